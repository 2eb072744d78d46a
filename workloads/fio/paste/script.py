r"""The fio commands of a pasted script: its words, variables and plain `for` loops.

What quotes protect is kept as characters of Unicode's private area until braces and
blanks have done their work. Nothing is run; what cannot be read is refused.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from instruments.errors import BadInput
from workloads.fio.paste.finding import Finding, Notes, Weight
from workloads.fio.paste.lines import read_lines
from workloads.fio.paste.words import (
    MOST_COMMANDS,
    Argument,
    NotReadError,
    Word,
    divided,
    expanded_braces,
    protected,
    restored,
    seq_output,
)

# A pasted text must not keep the window busy, whatever loops it has.
_MOST_TURNS = 20_000
_MOST_DEPTH = 20
# An assignment, before a command or alone.
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
# fio and an option somewhere in a command, also behind quotes and brackets.
_CALLED = re.compile(r"\bfio(?:\.exe)?[\"')}]*\s+-", re.IGNORECASE)
# fio, /usr/bin/fio, C:\fio\fio.exe
_NAME = re.compile(r"(?:.*[/\\])?fio(?:\.exe)?", re.IGNORECASE)
# $FIO, "${FIO_BIN}": a variable that by its name holds the program.
_NAMED = re.compile(r'"?\$\{?\w*fio\w*\}?"?', re.IGNORECASE)
# --output and --output-format, which are in no step.
_OUTPUT = re.compile(r"-+output\b")

# Which commands run depends on what only the shell knows.
_UNREAD_WORDS = "while until if elif else case select function { } ( (( [["
_UNREAD = frozenset(_UNREAD_WORDS.split())
# Commands that change nothing of what fio does: nothing is told of them.
_QUIET_WORDS = """
echo @echo cd set setlocal endlocal exit cls pause date true tee printf mkdir md title
uptime hostname grep cat type clear pwd wait export
"""
_QUIET = frozenset(_QUIET_WORDS.split())
# They start fio and change how it runs; what follows them is the command.
_PINNING = ("nice", "ionice", "numactl", "taskset", "chrt", "cgexec")
# They start fio, too; nothing is told of them.
_WRAPPERS = ("sudo", "doas", "time", "nohup", "env", "exec", "stdbuf", "timeout")


class FioCommand(NamedTuple):
    """One call of fio: its arguments, and the line where it begins."""

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
    words = [word for line in read_lines(text, notes) for word in divided(line)]
    shell = _Shell(words, notes)
    try:
        shell.block(0, 0)
    except NotReadError as error:
        raise BadInput(
            str(error),
            where=f"{name}, line {error.line}",
            way_out="Paste the commands of fio, with plain for loops around them.",
        ) from error
    return Script(shell.groups, notes.found)


class _Shell:
    """Follows a script as far as its fio commands need it."""

    def __init__(self, words: Sequence[Word], notes: Notes) -> None:
        self.groups: list[list[FioCommand]] = []
        self._words = words
        self._notes = notes
        self._variables: dict[str, str] = {}
        self._commands = 0
        self._turns = 0
        self._beside = False
        self._live = True

    def block(self, at: int, depth: int) -> int:
        """Follow commands from a word on; return where they end, after a `done`."""
        begin = at
        while at < len(self._words):
            word = self._words[at]
            if word.raw == "for" and word.parts:
                at = self._loop(at, depth)
            elif word.raw == "done" and depth:
                return at + 1
            elif word.raw in _UNREAD or word.raw == "done":
                raise NotReadError(word.line, f'"{word.raw}"')
            else:
                at = self._command(at)
        if depth:
            raise NotReadError(self._words[begin - 1].line, "a loop without its end")
        return at

    def _loop(self, at: int, depth: int) -> int:
        """Follow `for NAME in WORDS; do ... done`, once for each word."""
        line = self._words[at].line
        begin = self._do_of(at)
        if begin is None or depth >= _MOST_DEPTH:
            raise NotReadError(line, "a loop that is not `for x in 1 2 3; do ...`")
        words = self._words[at + 3 : begin]
        values = [argument.text for argument in self._arguments(words)]
        live, end = self._live, begin
        # A loop without a turn is followed once all the same, to find its end.
        self._live = live and bool(values)
        for value in values[: None if self._live else 1] or [""]:
            self._variables[self._words[at + 1].raw] = value
            self._turns += 1
            if self._turns > _MOST_TURNS:
                raise NotReadError(line, f"a loop of over {_MOST_TURNS} turns")
            end = self.block(begin + 1, depth + 1)
        self._live = live
        return end

    def _do_of(self, at: int) -> int | None:
        """Find the `do` of a loop; None where it is no `for NAME in`, or has none."""
        head = self._words[at + 1 : at + 3]
        if len(head) < 2 or not head[0].raw.isidentifier() or head[1].raw != "in":
            return None
        places = range(at, len(self._words))
        return next((i for i in places if self._words[i].raw == "do"), None)

    def _command(self, at: int) -> int:
        """Follow one command with what may be piped behind it; return its end."""
        end_at, end = self._end_of(at)
        words = self._without_redirections(self._words[at:end_at])
        if words and self._live:
            self._run(words, end)
        while end in ("|", "||"):
            at = end_at + 1
            before, (end_at, end) = end, self._end_of(at)
            piped = self._words[at:end_at]
            if _CALLED.search(" ".join(word.raw for word in piped)):
                raise NotReadError(piped[-1].line, f"fio behind {before}")
        return end_at + 1

    def _end_of(self, at: int) -> tuple[int, str]:
        """Find where a command ends, and what with: the end of the text is a line's."""
        ends = (i for i in range(at, len(self._words)) if self._words[i].ends)
        end_at = next(ends, len(self._words))
        return end_at, self._words[end_at].raw if end_at < len(self._words) else "\n"

    def _without_redirections(self, words: Sequence[Word]) -> list[Word]:
        kept: list[Word] = []
        is_file = False  # of a redirection before it
        for word in words:
            if word.parts and not is_file:
                kept.append(word)
            elif word.raw in ("<<", "<") and not word.parts:
                raise NotReadError(word.line, f'"{word.raw}"')
            is_file = not word.parts and word.raw != "2>&1"
        return kept

    def _run(self, words: list[Word], end: str) -> None:
        command = " ".join(word.raw for word in words)
        # Before a command they are its environment, and not kept.
        is_set = itertools.takewhile(lambda word: _ASSIGNED.match(word.raw), words)
        assigned = list(is_set)
        words = words[len(assigned) :]
        if not words or words[0].raw.lower() in ("export", "set"):
            for word in [*assigned, *words[1:]]:
                self._assign(word)
            return
        first = self._program(words[0]).lower()
        start = self._fio_among(words, first)
        if start is None:
            self._other(first, words[0].line, command)
            return
        if first in _PINNING:
            self._notes.drop(
                words[0].line,
                " ".join(word.raw for word in words[:start]),
                f"{first} sets where or how urgently fio runs.",
                "Excluded. fio's cpus_allowed, numa_cpu_nodes, nice and prio do "
                "the same in a step.",
            )
        self._add(words[start], words[start + 1 :], end)

    def _fio_among(self, words: Sequence[Word], first: str) -> int | None:
        """Find fio: it is the first word, or what a program before it starts."""
        starts_it = first in _PINNING or first in _WRAPPERS
        candidates = enumerate(words if starts_it else words[:1])
        fio = (i for i, word in candidates if _NAME.fullmatch(self._program(word)))
        return next(fio, None)

    def _add(self, fio: Word, words: Sequence[Word], end: str) -> None:
        """Add a call of fio, beside the one before where that ended with "&"."""
        arguments = tuple(self._arguments(words))
        self._commands += 1
        if self._commands > MOST_COMMANDS:
            raise NotReadError(fio.line, f"fio over {MOST_COMMANDS} times")
        if not self._beside:
            self.groups.append([])
        self.groups[-1].append(FioCommand(arguments, fio.line))
        self._beside = end == "&"

    def _program(self, word: Word) -> str:
        """Get the program that a word names; "$FIO" is fio where it is not set."""
        try:
            name = " ".join(argument.text for argument in self._expanded(word))
        except NotReadError:
            return "fio" if _NAMED.fullmatch(word.raw) else word.raw
        return name.lstrip("@")  # of cmd.exe: do not print this command

    def _assign(self, word: Word) -> None:
        name, _, _ = word.raw.strip('"').partition("=")
        try:
            text = " ".join(argument.text for argument in self._expanded(word))
        except NotReadError:
            self._variables.pop(name, None)  # refused where a command needs it
        else:
            self._variables[name] = text.partition("=")[2]

    def _other(self, first: str, line: int, command: str) -> None:
        """Report a command that is not fio."""
        if _CALLED.search(command):
            raise NotReadError(line, f'fio within "{command[:60]}"')
        if first == "wait":
            self._beside = False
        elif first == "goto":
            self._notes.trap(
                line,
                command[:80],
                "cmd.exe goes on at that label; if it is above, the loop never ends.",
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

    def _arguments(self, words: Sequence[Word]) -> Iterator[Argument]:
        for word in words:
            if word.parts:
                yield from self._expanded(word)

    def _expanded(self, word: Word) -> Iterator[Argument]:
        """Get the words that one word becomes.

        Raises:
            NotReadError: It has something without a value.
        """
        try:
            text = "".join(self._part(kind, part, word) for kind, part in word.parts)
        except NotReadError:
            if not _OUTPUT.match(word.raw):
                raise
            text = protected(word.raw)  # Bayscope keeps fio's output itself
        quoted = any(kind in ("kept", "inside") for kind, _ in word.parts)
        for expanded in expanded_braces(text, word.line):
            for part in expanded.split() or ([""] if quoted else []):
                yield Argument(restored(part), word.line, word.raw)

    def _part(self, kind: str, text: str, word: Word) -> str:
        if kind == "plain":
            return text
        if kind == "kept":
            return protected(text)
        if kind == "seq":
            return protected(seq_output(text, word), " ")
        if kind == "unread":
            why = "has quotes that are not closed" if text in "'\"" else "is not read"
            raise NotReadError(word.line, f"`{word.raw[:60]}`", why)
        return self._value(text, word, is_quoted=kind == "inside")

    def _value(self, text: str, word: Word, *, is_quoted: bool) -> str:
        """Get the value of $NAME, ${NAME:-DEFAULT} or %NAME%."""
        name, given, default = text.strip("${}%").partition(":-")
        value = self._variables.get(name) or (default if given else None)
        if value is None and name not in self._variables:
            raise NotReadError(word.line, text[:60], "is not set in this text")
        # What is not quoted is divided at its blanks.
        return protected(value or "", "" if is_quoted else " \t")
