"""The lines of a pasted script: marks of documents mended, wrapped lines joined."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from workloads.fio.paste.finding import Finding, Weight

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}
_QUOTES = dict.fromkeys((0x201C, 0x201D, 0x201E, 0xAB, 0xBB), '"') | dict.fromkeys(
    (0x2018, 0x2019, 0x201A), "'"
)
_SPACES = dict.fromkeys((0xA0, 0x2007, 0x2009, 0x202F, 0x3000), " ")
_NOTHING = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_LEADING = re.compile(rf"(?<!\S)([{_DASHES}]+-*|-[{_DASHES}]+)(?=\s?\w)")
_PROMPT = re.compile(
    r"^\s*(?:\[?[\w.-]+@[^$#%>]*+[$#%>]|[A-Za-z]:\\[^>]*>|PS [^>]*>|[$%>])\s+"
    r"(?=\S)"
)
_FIO = re.compile(r"(?:^|[\s/\\&;|(\"'])fio(?:\.exe)?(?=[\s\"']|$)", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
_DOCUMENT = re.compile(r"<<-?\s*[\"'\\]?(\w+)[\"']?")
_CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*(\\|\^|(?<=\s)`)\s*$")

WINDOWS = re.compile(
    r"windowsaio|\\\\\.\\|"
    r"^[ \t]*+(?:@echo|rem\b|goto\b|:[A-Za-z_]\w*[ \t]*$|setlocal\b)|"
    r"^(?!.*\$\{).*%%~?[A-Za-z]\b",
    re.IGNORECASE | re.MULTILINE,
)
_POSIX = re.compile(
    r"^#!|libaio|io_uring|/dev/|\$\{?\w|;\s*do\b|^[ \t]*+(?:done|fi)\b", re.MULTILINE
)


@dataclass(slots=True)
class Line:
    """One line as the shell is to read it, put together from lines of the text.

    Attributes:
        pieces: (number, text) of each.
        batch: Whether Windows' cmd.exe reads it.
        joined: The texts of its pieces.
    """

    pieces: list[tuple[int, str]]
    batch: bool = False
    joined: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        """All of it in one."""
        return " ".join(piece for _, piece in self.pieces)

    @property
    def number(self) -> int:
        """Where it begins."""
        return self.pieces[0][0]


@dataclass(frozen=True, slots=True)
class Written:
    """A file that a script writes by `cat > FILE <<EOF`, and where its text begins."""

    text: str
    line: int


@dataclass(slots=True)
class Lines:
    """All lines of a text, what was mended in them, and files that stand in it."""

    lines: list[Line] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    files: dict[str, Written] = field(default_factory=dict)


def read_lines(text: str) -> Lines:
    """Read the lines of a pasted text."""
    found = Lines()
    mended = [
        (number, _mend(raw, number, found.findings))
        for number, raw in enumerate(text.splitlines(), 1)
    ]
    mended = _without_documents(mended, found)
    prompts = _hash_prompts([line for _, line in mended])
    whole = "\n".join(line for _, line in mended)
    batch = bool(WINDOWS.search(whole)) and not _POSIX.search(whole)
    _join(_without_prompts(mended, prompts), found, batch)
    for line in found.lines:
        line.batch = batch or bool(WINDOWS.search(line.text))
    return found


def _without_documents(
    lines: list[tuple[int, str]], found: Lines
) -> list[tuple[int, str]]:
    """Take out what a script writes into files, such as job files of its own."""
    kept: list[tuple[int, str]] = []
    ends: dict[str, list[int]] = {}
    for at, (_, line) in enumerate(lines):
        ends.setdefault(line.strip(), []).append(at)
    at = 0
    while at < len(lines):
        number, line = lines[at]
        at += 1
        match = _DOCUMENT.search(line)
        marks = ends.get(match[1], []) if match else []
        place = bisect_left(marks, at)
        if match is None or place == len(marks):
            kept.append((number, line))
            continue
        body = lines[at : marks[place]]
        at = marks[place] + 1
        name = re.search(r"(?:>|\btee)\s*([^\s<>|]+)", line)
        if name is not None:
            text = "\n".join(one for _, one in body)
            found.files[name[1].strip("'\"")] = Written(text, number + 1)
        if _FIO.search(line):
            kept.append((number, line[: match.start()]))
    return kept


def _mend(raw: str, number: int, findings: list[Finding]) -> str:
    """Undo what word processors and PDF files do to a command line."""
    # Characters of the private area mark what is quoted (fio_paste_words).
    line = _PRIVATE.sub("", raw)
    if any(mark in line for mark in _NOTHING):
        line = line.translate(dict.fromkeys(map(ord, _NOTHING)))
        if number > 1 or not raw.startswith("\ufeff"):
            findings.append(_typographic(number, "invisible characters", "removed"))
    for table, what, made in (
        (_LIGATURES, "a ligature", "written as letters"),
        (_QUOTES, "curly quotes", "taken as straight ones"),
        (_SPACES, "a space that is none", "taken as a space"),
    ):
        if any(ord(mark) in table for mark in line):
            line = line.translate(table)
            findings.append(_typographic(number, what, made))
    if match := _LEADING.search(line):
        word = line[match.start() :].split()[0]
        line = _LEADING.sub("--", line)
        findings.append(
            Finding(
                (number,),
                word,
                "fio takes a word that begins with a long dash for a job file.",
                'Taken as "--".',
                weight=Weight.TRAP,
            )
        )
    if any(mark in line for mark in _DASHES):
        line = line.translate(dict.fromkeys(map(ord, _DASHES), "-"))
        findings.append(_typographic(number, "a long dash", 'taken as "-"'))
    return line


def _typographic(number: int, what: str, made: str) -> Finding:
    return Finding(
        (number,),
        what,
        "A document put it there, and fio or the shell takes it for another word.",
        f"{made[0].upper()}{made[1:]}.",
        weight=Weight.TRAP,
    )


def _hash_prompts(lines: list[str]) -> bool:
    """Tell whether "# fio" is root's prompt: so where no command goes without it."""
    marked = [line for line in lines if re.match(r"^\s*#+\s+(?:sudo\s+)?fio\s+-", line)]
    bare = [line for line in lines if re.match(r"^[^#]*\bfio(?:\.exe)?\s", line)]
    return bool(marked) and not bare


def _without_prompts(
    lines: list[tuple[int, str]], prompts: bool
) -> Iterator[tuple[int, str]]:
    for number, raw in lines:
        line = _PROMPT.sub("", raw)
        if prompts:
            line = re.sub(r"^\s*#\s+(?=(?:sudo\s+)?fio\s)", "", line)
        yield number, line


def _join(lines: Iterator[tuple[int, str]], found: Lines, batch: bool) -> None:
    """Put lines together: with a mark at the end, or wrapped by a page."""
    continued = False
    fio: Line | None = None
    for number, line in lines:
        if _FENCE.match(line) or (not line.strip() and not continued):
            continue
        ended = _CONTINUED.search(line)
        # One that is a comment cannot be continued.
        goes_on = ended is not None and not line.lstrip().startswith("#")
        if ended is not None and ended[1] == "\\" and (batch or WINDOWS.search(line)):
            goes_on = False  # the end of a folder's name
        piece = line[: ended.start(1)] if ended is not None and goes_on else line
        if continued and found.lines:
            found.lines[-1].pieces.append((number, piece))
        elif line.lstrip().startswith("-") and fio is not None:
            _wrap(number, piece.strip(), fio, found)
        else:
            found.lines.append(Line([(number, piece)], joined={piece.strip()}))
            comment = re.match(r"\s*(?:#|rem\b|::)", line, re.IGNORECASE)
            if comment and re.search(r"\bfio(?:\.exe)?\s+-", line):
                found.findings.append(
                    Finding(
                        (number,), line.strip()[:80], "It is a comment.", "Left out."
                    )
                )
            if _FIO.search(line) and not comment:
                fio = found.lines[-1]
            elif line.strip():
                fio = None
        continued = goes_on


def _wrap(number: int, piece: str, fio: Line, found: Lines) -> None:
    if piece in fio.joined:
        found.findings.append(
            Finding(
                (number,),
                piece,
                "The line stands twice in one command. Each --name begins a job, so "
                "fio would run the jobs of both at the same time."
                if "name=" in piece
                else "The line stands twice in one command; fio takes the last of two.",
                "Taken once.",
                weight=Weight.TRAP,
                decide="name=" in piece,
            )
        )
        return
    found.findings.append(
        Finding(
            (number,),
            "",
            "The command goes on in a line of its own without a mark at the end of "
            "the one before; a shell would end it there.",
            "Taken as wrapped by the page and joined.",
        )
    )
    fio.pieces.append((number, piece))
    fio.joined.add(piece)
