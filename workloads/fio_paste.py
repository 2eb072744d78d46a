"""The fio commands of a pasted script, as the shell would run them one by one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from workloads.fio_finding import Finding, Weight
from workloads.fio_paste_lines import read_lines
from workloads.fio_paste_tree import Command, Loop, read_tree
from workloads.fio_paste_words import (
    Word,
    braced,
    decoded,
    looked_up,
    substitutions,
    with_output,
    without_redirects,
)

MOST_COMMANDS = 1000
"""Commands that loops may make; more are a mistake."""

_NAME = re.compile(r"(?:.*[/\\])?fio(?:\.exe)?", re.IGNORECASE)
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_QUIET_WORDS = """
echo @echo cd rem @rem set setlocal endlocal exit cls pause date true tee printf mkdir
md title export uptime hostname grep cat type clear pwd
"""
_QUIET = frozenset(_QUIET_WORDS.split())
_PAUSES = ("sleep", "timeout", "ping")
_PINNING = ("nice", "ionice", "numactl", "taskset", "chrt", "cgexec")
_WRAPPERS = ("sudo", "doas", "time", "nohup", "env", "exec", "command", "call", "start")


@dataclass(frozen=True, slots=True)
class Argument:
    """One word of a command after the shell has done its work."""

    text: str
    line: int
    raw: str


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
    """What a shell would run: commands in the groups that run at the same time."""

    groups: list[list[FioCommand]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_script(text: str) -> Script:
    """Read a shell script, a batch file, or lines pasted from a document."""
    lines = read_lines(text)
    script = Script(findings=lines.findings)
    _Shell(script).run(read_tree(lines.lines))
    return script


class _Shell:
    """Runs a script as far as its fio commands need it."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._variables: dict[str, str] = {}
        self._labels: dict[str, int] = {}
        self._commands = 0
        self._open = False

    def run(self, statements: list[Command | Loop]) -> None:
        for one in statements:
            if isinstance(one, Loop):
                self._loop(one)
            else:
                self._command(one)

    def _tell(
        self,
        line: int,
        quote: str,
        fio: str,
        made: str,
        *,
        weight: Weight = Weight.NOTE,
        decide: bool = False,
    ) -> None:
        found = Finding((line,), quote, fio, made, weight, decide)
        self._script.findings.append(found)

    def _loop(self, loop: Loop) -> None:
        if loop.head == "if":
            self._tell(
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
            self._tell(
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
        values = [one.text for word in loop.values for one in self._expand(word)]
        if loop.counts:
            values = _counted(values)
        self._tell(
            loop.line,
            f"for {name.lstrip('%')}",
            f"The shell runs what follows {len(values)} times.",
            "Each time is a step of its own."
            if values
            else "Nothing of it is taken: it has no values.",
        )
        for value in values:
            self._variables[name] = value
            self.run(loop.body)
            if self._commands >= MOST_COMMANDS:
                break

    def _command(self, command: Command) -> None:
        found: list[Word] = []
        redirected = ""
        for word, apart in without_redirects(command.words):
            if apart:
                redirected = f"{redirected} {word.raw}".strip()
            else:
                found.append(word)
        while found and (match := _ASSIGNED.fullmatch(found[0].text)):
            if found[0].batch:
                break
            self._assign(match[1], Word(match[2], found[0].line, found[0].raw))
            found.pop(0)
        if not found:
            return
        words = [one for word in found for one in self._expand(word)]
        batch = found[0].batch
        start = next((i for i, w in enumerate(words) if _NAME.fullmatch(w.text)), None)
        if batch and words[0].text.lower().lstrip("@") == "fio":
            start = 0
        first = words[0].text.lower().lstrip("@")
        if start is None or (start > 0 and not _wraps(first)):
            self._other(words, first, batch)
            return
        if start:
            self._wrapped(words[:start])
        if redirected:
            self._tell(
                words[0].line,
                redirected,
                "The shell sends fio's output elsewhere.",
                "Left out: Bayscope keeps the output in the session.",
            )
        self._add(command, words, start, batch)

    def _add(
        self, command: Command, words: list[Argument], start: int, batch: bool
    ) -> None:
        starts = batch and words[0].text.lower() == "start"
        waits = any(word.text.lower() == "/wait" for word in words[:start])
        beside = (command.end == "&" and not batch) or (starts and not waits)
        one = FioCommand(tuple(words[start + 1 :]), words[start].line, beside, batch)
        self._commands += 1
        if self._commands > MOST_COMMANDS:
            self._tell(
                one.line,
                "",
                f"The script runs fio more than {MOST_COMMANDS} times.",
                "The rest is left out.",
                weight=Weight.LEFT_OUT,
                decide=True,
            )
            return
        if self._open:
            self._script.groups[-1].append(one)
        else:
            self._script.groups.append([one])
        self._open = beside

    def _assign(self, name: str, word: Word) -> None:
        values = self._expand(word)
        self._variables[name] = " ".join(one.text for one in values)

    def _expand(self, word: Word) -> Iterator[Argument]:
        text = word.text
        for command in substitutions(text):
            output = _known_output(command)
            if output is None:
                self._tell(
                    word.line,
                    word.raw,
                    f"The shell runs `{command}` and puts its output here.",
                    "Nothing is run, so nothing stands here.",
                    weight=Weight.LEFT_OUT,
                    decide=True,
                )
            text = with_output(text, command, output or "")
        try:
            parts = [text] if word.batch else braced(text)
        except OverflowError:
            parts = [text]
        if len(parts) > 1:
            self._tell(
                word.line,
                word.raw,
                f"bash makes {len(parts)} words of it.",
                "So does Bayscope.",
            )
        for part in parts:
            found, missing = looked_up(part, self._variables)
            for name in missing:
                self._tell(
                    word.line,
                    word.raw,
                    f'The variable "{name.lstrip("%")}" is not set in this text.',
                    "Taken as empty, as the shell does."
                    if not word.batch
                    else "Taken as empty.",
                    weight=Weight.TRAP,
                    decide=True,
                )
            for one in found:
                told = decoded(one)
                if told or word.text.strip("\0") == "":
                    yield Argument(told, word.line, word.raw)

    def _wrapped(self, words: list[Argument]) -> None:
        for word in words:
            name = word.text.lower().lstrip("@")
            if name in _PINNING:
                self._tell(
                    word.line,
                    " ".join(one.text for one in words),
                    f"{name} sets where or how urgently fio runs.",
                    "Left out. fio's own cpus_allowed, numa_cpu_nodes, nice and prio "
                    "say the same in a step.",
                    weight=Weight.LEFT_OUT,
                    decide=True,
                )
                return
        self._tell(
            words[0].line,
            " ".join(one.text for one in words),
            "The shell starts fio through it.",
            "Left out: Bayscope starts fio itself.",
        )

    def _other(self, words: list[Argument], first: str, batch: bool) -> None:
        line = words[0].line
        said = " ".join(word.text for word in words)[:80]
        if first == "wait" and not batch:
            self._open = False
        elif first == "set" and batch and len(words) > 1:
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
            self._tell(
                line,
                said,
                "The shell waits here.",
                "No step is made of it. Add an idle step where the pause matters.",
                weight=Weight.LEFT_OUT,
            )
        elif first in _QUIET or first.startswith(("::", "#")):
            return
        else:
            self._tell(
                line,
                "",
                "It is no command of fio.",
                "Left out: Bayscope runs no other program of a script.",
                weight=Weight.LEFT_OUT,
            )

    def _goto(self, line: int, label: str) -> None:
        if label in self._labels:
            self._tell(
                line,
                f"goto {label}",
                f"cmd.exe goes back to line {self._labels[label]} and runs all since "
                "then again, without an end.",
                "Each command is taken once. Set `repeat` of the steps.",
                weight=Weight.TRAP,
                decide=True,
            )
        else:
            self._tell(
                line,
                f"goto {label}",
                "cmd.exe goes on at that label and leaves out what stands between.",
                "Not followed: what stands between is taken, too.",
                weight=Weight.TRAP,
                decide=True,
            )


def _wraps(first: str) -> bool:
    return first in _WRAPPERS or first in _PINNING or first in ("timeout", "stdbuf", "")


def _known_output(command: str) -> str | None:
    """Get what `seq` prints; nothing else is run."""
    match = re.fullmatch(r"\s*seq((?:\s+-?\d+){1,3})\s*", command)
    if match is None:
        return None
    numbers = [int(one) for one in match[1].split()]
    first, step, last = {
        1: (1, 1, numbers[-1]),
        2: (numbers[0], 1, numbers[-1]),
        3: (numbers[0], numbers[1] if len(numbers) > 1 else 1, numbers[-1]),
    }[len(numbers)]
    if step == 0 or abs(last - first) // abs(step) > MOST_COMMANDS:
        return None
    return " ".join(
        str(one) for one in range(first, last + (1 if step > 0 else -1), step)
    )


def _counted(values: list[str]) -> list[str]:
    """Get the values of cmd.exe's `for /L %%i in (start,step,end)`."""
    try:
        first, step, last = (int(one) for one in values)
        found = range(first, last + (1 if step > 0 else -1), step)
    except ValueError:
        return []
    return [str(one) for one in found[:MOST_COMMANDS]]
