"""The lines of a pasted script: marks of documents mended, wrapped lines joined."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from workloads.fio.paste.finding import Notes, Weight

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
# Ligatures, quotes, blanks and dashes of documents, with what was typed there.
_MARKS: dict[int, str] = {
    **{0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"},
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u00ab\u00bb"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a"), "'"),
    **dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\u3000"), " "),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), ""),
    **dict.fromkeys(map(ord, _DASHES), "-"),
}
_PRIVATE = re.compile("[\ue000-\uf8ff]")
# Word processors make one dash of the two before an option, with or without a blank.
_LEADING = re.compile(rf"(?<!\S)([{_DASHES}]+-*|-[{_DASHES}]+)(?=\s?\w)")
# user@host:~$, C:\dir>, PS C:\dir>, or a bare sign and a blank behind it.
_PROMPT = re.compile(
    r"^\s*(?:\[?[\w.-]+@[^$#%>]*+[$#%>]|[A-Za-z]:\\[^>]*>|PS [^>]*>|[$%>])\s+(?=\S)"
)
# "# fio --name=..." is a comment, or a command behind the prompt of root.
_ROOT = re.compile(r"^\s*#+\s+(?=(?:sudo\s+)?fio\s+-)")
# The program as a word of its own: not a folder or a name that has it in it.
_FIO = re.compile(r"(?:^|[\s/\\&;|(\"'])fio(?:\.exe)?(?=[\s\"']|$)", re.IGNORECASE)
# Of sh, and of cmd.exe: rem, or :: as a label that nobody goes to.
_COMMENT = re.compile(r"\s*(?:#|rem\b|::)", re.IGNORECASE)
# What begins and ends code in Markdown.
_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")
# \ of sh, where it is not quoted by another; ^ of cmd.exe; ` of PowerShell.
_CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*(\\|\^|(?<=\s)`)\s*$")
# An engine, a device, a program or a drive letter that only Windows has.
_WINDOWS = re.compile(r"windowsaio|\\\\\.\\|fio\.exe|[=\s\"'][a-z]:\\", re.IGNORECASE)


@dataclass(slots=True)
class Line:
    """One line as the shell is to read it, put together from lines of the text."""

    pieces: list[tuple[int, str]]
    wrapped: set[str] = field(default_factory=set)

    def is_windows(self) -> bool:
        r"""Tell whether it is a Windows command, where "\" is a letter like others."""
        return any(_WINDOWS.search(piece) for _, piece in self.pieces)


def read_lines(text: str, notes: Notes) -> list[Line]:
    """Read the lines of a pasted text, and note what was repaired in them."""
    raw = text.removeprefix("\ufeff").splitlines()
    lines = [_PROMPT.sub("", _mend(line, at, notes)) for at, line in enumerate(raw, 1)]
    if not any(_FIO.search(line) and not _COMMENT.match(line) for line in lines):
        lines = [_ROOT.sub("", line) for line in lines]  # "#" is the prompt of root
    return _joined(lines, notes)


def _mend(raw: str, number: int, notes: Notes) -> str:
    """Undo what word processors and PDF files do to a command line."""
    # Characters of the private area mark what is quoted (script.py).
    line = _PRIVATE.sub("", raw)
    mended = _LEADING.sub("--", line).translate(_MARKS)
    if mended != line:
        notes.tell(
            number,
            "".join(dict.fromkeys(mark for mark in line if ord(mark) in _MARKS)),
            "A document put these marks there, and fio and the shell take them for "
            "other words.",
            "Taken as the plain letters, quotes, dashes and blanks.",
            weight=Weight.TRAP,
        )
    return mended


def _joined(lines: Sequence[str], notes: Notes) -> list[Line]:
    """Put lines together: with a mark at the end, or wrapped by a page."""
    joined: list[Line] = []
    continued = False
    fio: Line | None = None
    for number, line in enumerate(lines, 1):
        if _FENCE.fullmatch(line) or (not line.strip() and not continued):
            continue
        mark = _continuation(line)
        piece = line[: mark.start(1)] if mark is not None else line
        if continued:
            joined[-1].pieces.append((number, piece))
        elif line.lstrip().startswith("-") and fio is not None:
            _wrap(number, piece.strip(), fio, notes)
        elif _COMMENT.match(line):
            fio = None
            _tell_comment(number, line, notes)
        else:
            joined.append(Line([(number, piece)], {piece.strip()}))
            fio = joined[-1] if _FIO.search(line) else None
        continued = mark is not None
    return joined


def _tell_comment(number: int, line: str, notes: Notes) -> None:
    if re.search(r"\bfio(?:\.exe)?\s+-", line):
        notes.tell(number, line.strip()[:80], "It is a comment.", "Excluded.")


def _continuation(line: str) -> re.Match[str] | None:
    """Find the mark at the end of a line that the next one continues."""
    mark = None if _COMMENT.match(line) else _CONTINUED.search(line)
    if mark is not None and mark[1] == "\\" and _WINDOWS.search(line):
        return None  # the end of a folder's name
    return mark


def _wrap(number: int, piece: str, fio: Line, notes: Notes) -> None:
    if piece in fio.wrapped:
        named = "name=" in piece
        notes.tell(
            number,
            piece,
            "The line appears twice in one command. Each --name begins a job, so "
            "fio would run the jobs of both at the same time."
            if named
            else "The line appears twice in one command; fio takes the last of two.",
            "Taken once.",
            weight=Weight.TRAP,
            decide=named,
        )
        return
    notes.tell(
        number,
        "",
        "The command continues on the next line without a mark at the end of the "
        "one before; a shell would end it there.",
        "Taken as wrapped by the page and joined.",
    )
    fio.pieces.append((number, piece))
    fio.wrapped.add(piece)
