"""The fio commands of a pasted script, as the shell would run them one by one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workloads.fio.paste.expand import Argument, Expansion, counted
from workloads.fio.paste.finding import Finding, Notes, Weight
from workloads.fio.paste.lines import Written, read_lines
from workloads.fio.paste.tree import Command, Loop, read_tree
from workloads.fio.paste.words import Word, without_redirects

_QUIET_WORDS = """
echo @echo cd rem @rem set setlocal endlocal exit cls pause date true tee printf mkdir
md title export uptime hostname grep cat type clear pwd
"""
_QUIET = frozenset(_QUIET_WORDS.split())
_PAUSES = ("sleep", "timeout", "ping")
_PINNING = ("nice", "ionice", "numactl", "taskset", "chrt", "cgexec")
_WRAPPERS = ("sudo", "doas", "time", "nohup", "env", "exec", "command", "call", "start")
_OTHER_WRAPPERS = ("timeout", "stdbuf", "")


def wraps(first: str) -> bool:
    """Tell whether a program starts the one that its arguments name."""
    return first in _WRAPPERS or first in _PINNING or first in _OTHER_WRAPPERS


class Others:
    """The commands of a script that are not fio."""

    def __init__(self, notes: Notes, expansion: Expansion) -> None:
        self._notes = notes
        self._variables = expansion.variables
        self._labels: dict[str, int] = {}

    def around(self, words: Sequence[Argument]) -> None:
        """Tell of what starts fio."""
        for word in words:
            name = word.text.lower().lstrip("@")
            if name in _PINNING:
                self._notes.tell(
                    word.line,
                    " ".join(one.text for one in words),
                    f"{name} sets where or how urgently fio runs.",
                    "Left out. fio's own cpus_allowed, numa_cpu_nodes, nice and prio "
                    "say the same in a step.",
                    weight=Weight.LEFT_OUT,
                    decide=True,
                )
                return
        self._notes.tell(
            words[0].line,
            " ".join(one.text for one in words),
            "The shell starts fio through it.",
            "Left out: Bayscope starts fio itself.",
        )

    def command(self, words: Sequence[Argument], batch: bool) -> None:
        """Follow a command that is not fio, or tell of it."""
        first = words[0].text.lower().lstrip("@")
        line = words[0].line
        said = " ".join(word.text for word in words)[:80]
        if first == "set" and batch and len(words) > 1:
            said = " ".join(word.text for word in words[1:])
            name, _, value = said.strip('"').partition("=")
            self._variables[name.strip().lower()] = value
        elif first == "export":
            for word in words[1:]:
                name, _, value = word.text.partition("=")
                self._variables[name] = value
        elif re.fullmatch(r":[A-Za-z_]\w*", first):
            self._labels[first[1:]] = line
        elif first == "goto" and len(words) > 1:
            self._goto(line, words[1].text.lower().lstrip(":"))
        elif first in _PAUSES:
            self._notes.tell(
                line,
                said,
                "The shell waits here.",
                "No step is made of it. Add an idle step where the pause matters.",
                weight=Weight.LEFT_OUT,
            )
        elif first in _QUIET or first.startswith(("::", "#")):
            return
        else:
            self._notes.tell(
                line,
                "",
                "It is no command of fio.",
                "Left out: Bayscope runs no other program of a script.",
                weight=Weight.LEFT_OUT,
            )

    def _goto(self, line: int, label: str) -> None:
        if label in self._labels:
            self._notes.tell(
                line,
                f"goto {label}",
                f"cmd.exe goes back to line {self._labels[label]} and runs all since "
                "then again, without an end.",
                "Each command is taken once. Set `repeat` of the steps.",
                weight=Weight.TRAP,
                decide=True,
            )
        else:
            self._notes.tell(
                line,
                f"goto {label}",
                "cmd.exe goes on at that label and leaves out what stands between.",
                "Not followed: what stands between is taken, too.",
                weight=Weight.TRAP,
                decide=True,
            )


MOST_COMMANDS = 1000
"""Commands that loops may make; more are a mistake."""

_MOST_TURNS = 20 * MOST_COMMANDS
"""Turns of loops that are followed, whether or not fio is in them."""

_NAME = re.compile(r"(?:.*[/\\])?fio(?:\.exe)?", re.IGNORECASE)
_NAMED = re.compile(r'"?\$\{?\w*fio\w*\}?"?', re.IGNORECASE)
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FioCommand:
    """One call of fio.

    Attributes:
        arguments: What stands behind the program's name.
        line: Where it begins.
        beside: Whether the shell goes on without waiting for its end.
        batch: Whether it is Windows' cmd.exe that runs it.
    """

    arguments: tuple[Argument, ...]
    line: int
    beside: bool = False
    batch: bool = False


@dataclass(slots=True)
class Script:
    """What a shell would run.

    Attributes:
        groups: Commands that run at the same time.
        findings: What is to be told of the text.
        files: Files that the script writes itself, by name.
    """

    groups: list[list[FioCommand]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    files: Mapping[str, Written] = field(default_factory=dict)


def read_script(text: str) -> Script:
    """Read a shell script, a batch file, or lines pasted from a document."""
    lines = read_lines(text)
    shell = _Shell()
    shell.run(read_tree(lines.lines))
    findings = [*lines.findings, *shell.notes.found]
    return Script(shell.groups, findings, lines.files)


class _Shell:
    """Runs a script as far as its fio commands need it."""

    def __init__(self) -> None:
        self.groups: list[list[FioCommand]] = []
        self.notes = Notes()
        self._expansion = Expansion(self.notes)
        self._others = Others(self.notes, self._expansion)
        self._commands = 0
        self._turns = 0
        self._open = False

    def run(self, statements: list[Command | Loop]) -> None:
        otherwise = False
        for one in statements:
            if isinstance(one, Loop):
                self._loop(one)
            elif otherwise and one.words:
                self.notes.tell(
                    one.words[0].line,
                    "||",
                    "The shell runs what follows only where the command before fails.",
                    "Left out.",
                )
            else:
                self._command(one)
            otherwise = isinstance(one, Command) and one.end == "||"

    def _loop(self, loop: Loop) -> None:
        if loop.head == "if":
            self.notes.tell(
                loop.line,
                "if",
                "The shell runs what follows only where its test holds.",
                "Its commands are taken.",
                weight=Weight.TRAP,
                decide=True,
            )
            self.run(loop.body)
            return
        if loop.head != "for":
            self.notes.tell(
                loop.line,
                loop.head,
                "The shell repeats what follows until its test tells it to stop.",
                "Its commands are taken once. Set `repeat` of the steps.",
                weight=Weight.TRAP,
                decide=True,
            )
            self.run(loop.body)
            return
        name = loop.variable.strip("\uf8f1\uf8f3").removeprefix("%")
        name = f"%{name}" if loop.values and loop.values[0].batch else name
        values = [
            one.text for word in loop.values for one in self._expansion.words(word)
        ]
        if loop.counts:
            values = counted(values)
        self.notes.tell(
            loop.line,
            f"for {name.lstrip('%')}",
            f"The shell runs what follows {len(values)} times.",
            "Each time is a step of its own."
            if values
            else "Nothing of it is taken: it has no values.",
        )
        for value in values:
            self._expansion.variables[name] = value
            self.run(loop.body)
            self._turns += 1
            if self._commands > MOST_COMMANDS or self._turns > _MOST_TURNS:
                break

    def _command(self, command: Command) -> None:
        found: list[Word] = []
        redirected = ""
        for word, apart in without_redirects(command.words):
            if apart:
                redirected = f"{redirected} {word.raw}".strip()
            else:
                found.append(word)
        assigned: list[tuple[str, Word]] = []
        while found and (match := _ASSIGNED.fullmatch(found[0].text)):
            if found[0].batch:
                break
            value = Word(match[2], found[0].line, found[0].raw)
            assigned.append((match[1], value))
            found.pop(0)
        if not found:
            # Before a command they are its own environment and not the shell's.
            for name, value in assigned:
                self._expansion.assign(name, value)
            return
        words = [one for word in found for one in self._words(word)]
        if not words:
            return  # a variable that is empty
        batch = found[0].batch
        start = next((i for i, w in enumerate(words) if _NAME.fullmatch(w.text)), None)
        if batch and words[0].text.lower().lstrip("@") == "fio":
            start = 0
        first = words[0].text.lower().lstrip("@")
        if first == "wait" and not batch:
            self._open = False
        elif start is None or (start > 0 and not wraps(first)):
            self._others.command(words, batch)
        else:
            self._fio(command, words, start, redirected)

    def _words(self, word: Word) -> list[Argument]:
        """Expand a word; "$FIO" is the program where the text does not say."""
        found = list(self._expansion.words(word))
        if not found and _NAMED.fullmatch(word.raw):
            return [Argument("fio", word.line, word.raw)]
        return found

    def _fio(
        self, command: Command, words: list[Argument], start: int, redirected: str
    ) -> None:
        if start:
            self._others.around(words[:start])
        if redirected:
            self.notes.tell(
                words[0].line,
                redirected,
                "The shell sends fio's output elsewhere.",
                "Left out: Bayscope keeps the output in the session.",
            )
        self._add(command, words, start)

    def _add(self, command: Command, words: list[Argument], start: int) -> None:
        batch = command.words[0].batch
        starts = batch and words[0].text.lower() == "start"
        waits = any(word.text.lower() == "/wait" for word in words[:start])
        beside = (command.end == "&" and not batch) or (starts and not waits)
        one = FioCommand(tuple(words[start + 1 :]), words[start].line, beside, batch)
        self._commands += 1
        if self._commands > MOST_COMMANDS:
            self.notes.tell(
                one.line,
                "",
                f"The script runs fio more than {MOST_COMMANDS} times.",
                "The rest is left out.",
                weight=Weight.LEFT_OUT,
                decide=True,
            )
            return
        if self._open:
            self.groups[-1].append(one)
        else:
            self.groups.append([one])
        self._open = beside
