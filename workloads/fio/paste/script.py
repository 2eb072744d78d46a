r"""The fio commands of a pasted script: its words, variables and plain `for` loops.

What quotes protect is kept as characters of Unicode's private area until braces and
blanks have done their work. Nothing is run; what cannot be read is refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from instruments.errors import BadInput
from workloads.fio.paste.finding import Finding, Notes, Weight
from workloads.fio.paste.lines import Line, read_lines

MOST_COMMANDS = 1000
"""Commands that loops may make; more are a mistake."""

_MOST_WORDS = 4096
_MOST_TURNS = 20_000
_MOST_DEPTH = 20
# A private-use area of Unicode: quoted characters are kept apart from those with a
# meaning.
_BASE = 0xE000
_PIECE = re.compile(
    r"""(?P<blank>\s+)
    | (?P<comment>(?<!\S)\#.*)
    | (?P<operator>2>&1|(?<!\S)[12]>>?|&>>?|>>?|<<?|&&|\|\|?|&|;)
    | '(?P<single>[^']*+)'
    | "(?P<double>(?:\\.|[^"\\])*+)"
    | \\(?P<escaped>.)
    | (?:\$\(|`)\s*+seq\s+(?P<seq>[-\d\s]{1,60})[)`]
    | (?P<variable>\$\{\w+(?::-[^}${]{0,200})?\}|\$\w+|%\w+%)
    | (?P<unread>\$[({@*?\#!]|`|['"])
    | (?P<plain>[^\s'"\\$`;&|<>%]++|.)""",
    re.VERBOSE | re.DOTALL,
)
_BRACES = re.compile(r"\{([^{}\s]*)\}")
_SEQUENCE = re.compile(r"(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.(-?\d{1,15}))?")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_CALLED = re.compile(r"\bfio(?:\.exe)?[\"')}]*\s+-", re.IGNORECASE)
_NAME = re.compile(r"(?:.*[/\\])?fio(?:\.exe)?", re.IGNORECASE)
_NAMED = re.compile(r'"?\$\{?\w*fio\w*\}?"?', re.IGNORECASE)
_OUTPUT = re.compile(r"-+output\b")

_END = frozenset(("\n", ";", "&&", "||", "|", "&"))
_UNREAD_WORDS = "while until if elif else case select function { } ( (( [["
_UNREAD = frozenset(_UNREAD_WORDS.split())
_QUIET_WORDS = """
echo @echo cd set setlocal endlocal exit cls pause date true tee printf mkdir md title
uptime hostname grep cat type clear pwd wait export
"""
_QUIET = frozenset(_QUIET_WORDS.split())
_PINNING = ("nice", "ionice", "numactl", "taskset", "chrt", "cgexec")
_WRAPPERS = ("sudo", "doas", "time", "nohup", "env", "exec", "stdbuf", "timeout")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as it stands, its parts by how they are read; or an operator."""

    raw: str
    line: int
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def ends(self) -> bool:
        return not self.parts and self.raw in _END


class Argument(NamedTuple):
    """One word of a command after the shell has done its work."""

    text: str
    line: int
    raw: str


class FioCommand(NamedTuple):
    """One call of fio: what stands behind the program's name, and where it begins."""

    arguments: tuple[Argument, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Script:
    """What a shell would run: commands that run at the same time in groups."""

    groups: list[list[FioCommand]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_script(text: str, name: str = "pasted") -> Script:
    """Read a shell script, or lines pasted from a document or a terminal.

    Raises:
        BadInput: It has a statement that is not read, or a variable without a value
            in a command of fio; names the line.
    """
    notes = Notes()
    words = [word for line in read_lines(text, notes) for word in _words(line)]
    shell = _Shell(words, notes)
    try:
        shell.block(0, 0)
    except _NotReadError as error:
        raise BadInput(
            str(error),
            where=f"{name}, line {error.line}",
            way_out="Paste the commands of fio, with plain for loops around them.",
        ) from error
    return Script(shell.groups, notes.found)


class _NotReadError(Exception):
    def __init__(self, line: int, what: str, why: str = "is not read") -> None:
        super().__init__(f"{what} {why}")
        self.line = line


def _words(line: Line) -> Iterator[_Word]:
    """Divide a line into words and operators; comments are excluded."""
    number, windows = 0, line.is_windows()
    for number, text in line.pieces:
        parts: list[tuple[str, str]] = []
        start = 0
        for match in _PIECE.finditer(text):
            kind = str(match.lastgroup)
            if kind in ("blank", "comment", "operator"):
                if parts:
                    yield _Word(text[start : match.start()], number, tuple(parts))
                parts, start = [], match.end()
                if kind == "operator":
                    yield _Word(match[0], number)
            elif kind == "escaped" and windows:
                parts.append(("kept", match[0]))
            elif kind == "double":
                parts += [("kept", ""), *_quoted(match[kind], windows)]
            else:
                kind = {"single": "kept", "escaped": "kept"}.get(kind, kind)
                parts.append((kind, match[str(match.lastgroup)]))
        if parts:
            yield _Word(text[start:], number, tuple(parts))
    yield _Word("\n", number)


def _quoted(text: str, windows: bool) -> Iterator[tuple[str, str]]:
    for match in _PIECE.finditer(text):
        kind = str(match.lastgroup)
        if kind == "variable":
            yield "inside", match[0]
        elif kind in ("seq", "unread") and match[0] not in ("'", '"'):
            yield "unread", match[0]
        elif kind == "escaped" and match[kind] in '\\"$`' and not windows:
            yield "kept", match[kind]
        else:
            yield "kept", match[0]


class _Shell:
    """Follows a script as far as its fio commands need it."""

    def __init__(self, words: Sequence[_Word], notes: Notes) -> None:
        self.groups: list[list[FioCommand]] = []
        self._words = words
        self._notes = notes
        self._variables: dict[str, str] = {}
        self._commands = 0
        self._turns = 0
        self._beside = False
        self._live = True

    def block(self, at: int, depth: int) -> int:
        """Follow commands from a word on; return where they end, behind a `done`."""
        begin = at
        while at < len(self._words):
            word = self._words[at]
            if word.raw == "for" and word.parts:
                at = self._loop(at, depth)
            elif word.raw == "done" and depth:
                return at + 1
            elif word.raw in _UNREAD or word.raw == "done":
                raise _NotReadError(word.line, f'"{word.raw}"')
            else:
                at = self._command(at)
        if depth:
            raise _NotReadError(self._words[begin - 1].line, "a loop without its end")
        return at

    def _loop(self, at: int, depth: int) -> int:
        """Follow `for NAME in WORDS; do ... done`, once for each word."""
        line = self._words[at].line
        head = self._words[at + 1 : at + 3]
        begin = next(
            (i for i in range(at, len(self._words)) if self._words[i].raw == "do"), None
        )
        plain = len(head) == 2 and head[0].raw.isidentifier() and head[1].raw == "in"
        if not plain or begin is None or depth >= _MOST_DEPTH:
            raise _NotReadError(line, "a loop that is not `for x in 1 2 3; do ...`")
        words = self._words[at + 3 : begin]
        values = [
            one.text for word in words if word.parts for one in self._expanded(word)
        ]
        live, end = self._live, begin
        self._live = live and bool(values)
        for value in values[: None if self._live else 1] or [""]:
            self._variables[head[0].raw] = value
            self._turns += 1
            if self._turns > _MOST_TURNS:
                raise _NotReadError(line, f"a loop of over {_MOST_TURNS} turns")
            end = self.block(begin + 1, depth + 1)
        self._live = live
        return end

    def _command(self, at: int) -> int:
        """Follow one command with what may be piped behind it; return its end."""
        words: list[_Word] = []
        while at < len(self._words) and not self._words[at].ends:
            word = self._words[at]
            at += 1
            if word.parts:
                words.append(word)
            elif word.raw in ("<<", "<"):
                raise _NotReadError(word.line, f'"{word.raw}"')
            elif word.raw != "2>&1":  # a redirection and its file
                at += at < len(self._words) and bool(self._words[at].parts)
        end = self._words[at].raw if at < len(self._words) else "\n"
        if words and self._live:
            self._run(words, end)
        at += 1
        while end in ("|", "||"):
            behind: list[str] = []
            while at < len(self._words) and not self._words[at].ends:
                behind.append(self._words[at].raw)
                at += 1
            if _CALLED.search(" ".join(behind)):
                raise _NotReadError(self._words[at - 1].line, f"fio behind {end}")
            end = self._words[at].raw if at < len(self._words) else "\n"
            at += 1
        return at

    def _run(self, words: list[_Word], end: str) -> None:
        command = " ".join(word.raw for word in words)
        own: list[_Word] = []  # before a command they are its environment
        while words and _ASSIGNED.match(words[0].raw):
            own.append(words.pop(0))
        if not words or words[0].raw.lower() in ("export", "set"):
            for word in [*own, *words[1:]]:
                self._assign(word)
            return
        first = self._program(words[0])
        start = 0
        if first.lower() in _PINNING or first.lower() in _WRAPPERS:
            fio = (i for i, w in enumerate(words) if _NAME.fullmatch(self._program(w)))
            start = next(fio, 0)
        name = self._program(words[start])
        if not _NAME.fullmatch(name):
            self._other(first.lower(), words[0].line, command)
            return
        if first.lower() in _PINNING:
            self._notes.drop(
                words[0].line,
                " ".join(word.raw for word in words[:start]),
                f"{first} sets where or how urgently fio runs.",
                "Excluded. fio's cpus_allowed, numa_cpu_nodes, nice and prio do "
                "the same in a step.",
            )
        arguments = tuple(
            one for word in words[start + 1 :] for one in self._expanded(word)
        )
        self._commands += 1
        if self._commands > MOST_COMMANDS:
            raise _NotReadError(words[0].line, f"fio over {MOST_COMMANDS} times")
        if not self._beside:
            self.groups.append([])
        self.groups[-1].append(FioCommand(arguments, words[start].line))
        self._beside = end == "&"

    def _program(self, word: _Word) -> str:
        """Get the program that a word names; "$FIO" is fio where it is not set."""
        try:
            found = " ".join(one.text for one in self._expanded(word))
        except _NotReadError:
            return "fio" if _NAMED.fullmatch(word.raw) else word.raw
        return found.lstrip("@")

    def _assign(self, word: _Word) -> None:
        name, _, _ = word.raw.strip('"').partition("=")
        try:
            found = " ".join(one.text for one in self._expanded(word))
        except _NotReadError:
            self._variables.pop(name, None)  # refused where a command needs it
        else:
            self._variables[name] = found.partition("=")[2]

    def _other(self, first: str, line: int, command: str) -> None:
        """Tell of a command that is not fio."""
        if _CALLED.search(command):
            raise _NotReadError(line, f'fio within "{command[:60]}"')
        if first == "wait":
            self._beside = False
        elif first == "goto":
            self._notes.trap(
                line,
                command[:80],
                "cmd.exe goes on at that label, where it stands above without an end.",
                "Each command is taken once. Set `repeat` of the steps.",
            )
        elif first not in _QUIET and not first.startswith((":", "#")):
            self._notes.tell(
                line,
                command[:80],
                "It is not a fio command.",
                "Excluded. Add an idle step where a pause matters.",
                weight=Weight.EXCLUDED,
            )

    def _expanded(self, word: _Word) -> Iterator[Argument]:
        """Get the words that one word becomes.

        Raises:
            _NotReadError: It has something without a value.
        """
        try:
            text = "".join(self._part(kind, part, word) for kind, part in word.parts)
        except _NotReadError:
            if not _OUTPUT.match(word.raw):
                raise
            text = _kept(word.raw)  # Bayscope keeps fio's output itself
        quoted = any(kind in ("kept", "inside") for kind, _ in word.parts)
        for one in _braced(text, word.line):
            for part in one.split() or ([""] if quoted else []):
                yield Argument(_decoded(part), word.line, word.raw)

    def _part(self, kind: str, text: str, word: _Word) -> str:
        if kind == "plain":
            return text
        if kind == "kept":
            return _kept(text)
        if kind == "seq":
            return _kept(_sequence(text, word), " ")
        if kind == "unread":
            why = "has quotes that are not closed" if text in "'\"" else "is not read"
            raise _NotReadError(word.line, f"`{word.raw[:60]}`", why)
        name, given, default = text.strip("${}%").partition(":-")
        value = self._variables.get(name) or (default if given else None)
        if value is None and name not in self._variables:
            raise _NotReadError(word.line, text[:60], "is not set in this text")
        return _kept(value or "", "" if kind == "inside" else " \t")


def _sequence(text: str, word: _Word) -> str:
    """Get what `seq` prints."""
    parts = text.split()
    numbers = [int(part) for part in parts if part.lstrip("-").isdigit()]
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) > 2 else 1
    is_read = 1 <= len(numbers) <= 3 and len(numbers) == len(parts) and step != 0
    if not is_read or abs(numbers[-1] - first) // abs(step) > MOST_COMMANDS:
        raise _NotReadError(word.line, f"`{word.raw[:60]}`")
    found = range(first, numbers[-1] + (1 if step > 0 else -1), step)
    return " ".join(str(one) for one in found)


def _braced(text: str, line: int) -> list[str]:
    """Expand braces as bash does, such as dm-{2..4} or {4k,8k}."""
    done, todo = [], [text]
    while todo:
        one = todo.pop(0)
        found = next(
            ((m, a) for m in _BRACES.finditer(one) if (a := _alternatives(m[1]))), None
        )
        if found is None:
            done.append(one)
            continue
        match, values = found
        if len(done) + len(todo) + len(values) > _MOST_WORDS or len(one) > _MOST_WORDS:
            raise _NotReadError(line, f"braces with over {_MOST_WORDS} words")
        todo[:0] = [f"{one[: match.start()]}{v}{one[match.end() :]}" for v in values]
    return done


def _alternatives(inner: str) -> Sequence[str]:
    match = _SEQUENCE.fullmatch(inner)
    if match is None:
        return inner.split(",") if "," in inner else []
    first, last = int(match[1]), int(match[2])
    step = max(1, abs(int(match[3] or 1))) * (1 if last >= first else -1)
    zeros = any(re.match(r"-?0\d", end) for end in (match[1], match[2]))
    width = max(len(match[1]), len(match[2])) if zeros else 0
    found = range(first, last + (1 if step > 0 else -1), step)
    return [f"{one:0{width}}" for one in found[: _MOST_WORDS + 1]]


def _kept(text: str, but: str = "") -> str:
    """Protect characters from braces and splitting."""
    return "".join(
        chr(_BASE + ord(char))
        if ord(char) < 128 and not char.isalnum() and char not in but
        else char
        for char in text
    )


def _decoded(text: str) -> str:
    return "".join(
        chr(ord(char) - _BASE) if _BASE <= ord(char) < _BASE + 128 else char
        for char in text
    )
