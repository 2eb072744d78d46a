"""What a shell puts into a word: variables, braces, and the output of commands."""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workloads.fio.paste.finding import Notes, Weight
from workloads.fio.paste.words import (
    Word,
    decoded,
    is_open,
    looked_up,
    substituted,
)

_BRACES = re.compile(r"\{([^{}\s]*)\}")
_SEQUENCE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?")
MOST_WORDS = 4096
"""Words that braces may make of one; more are a mistake."""


def braced(text: str) -> list[str]:
    """Expand braces as bash does, such as dm-{2..4} or {4k,8k}.

    Raises:
        OverflowError: They make more than MOST_WORDS words.
    """
    if len(text) > MOST_WORDS and "{" in text:
        raise OverflowError
    done, todo = [], [text]
    while todo:
        one = todo.pop(0)
        match = next((m for m in _BRACES.finditer(one) if _alternatives(m[1])), None)
        if match is None:
            done.append(one)
            continue
        found = _alternatives(match[1])
        if len(done) + len(todo) + len(found) > MOST_WORDS:
            raise OverflowError
        todo[:0] = [
            f"{one[: match.start()]}{word}{one[match.end() :]}" for word in found
        ]
    return done


def _alternatives(inner: str) -> list[str]:
    match = _SEQUENCE.fullmatch(inner)
    if match is None:
        return inner.split(",") if "," in inner else []
    first, last = int(match[1]), int(match[2])
    step = max(1, abs(int(match[3] or 1)))
    zeros = any(re.match(r"-?0\d", end) for end in (match[1], match[2]))
    width = max(len(match[1]), len(match[2])) if zeros else 0
    way = step if last >= first else -step
    if abs(last - first) // step > MOST_WORDS:
        raise OverflowError
    return [
        f"{one:0{width}}" for one in range(first, last + (way > 0) - (way < 0), way)
    ]


_MOST_NUMBERS = 1000
_SUMS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One word of a command after the shell has done its work."""

    text: str
    line: int
    raw: str


class Expansion:
    """The variables of a script, and the words that they make.

    Attributes:
        variables: Their values by name; those of a loop of cmd.exe begin with "%".
    """

    def __init__(self, notes: Notes) -> None:
        self.variables: dict[str, str] = {}
        self._notes = notes

    def assign(self, name: str, word: Word) -> None:
        """Set a variable."""
        values = self.words(word)
        self.variables[name] = " ".join(one.text for one in values)

    def _output(self, command: str, word: Word, decide: bool) -> str:
        output = known_output(command, self.variables)
        if output is None:
            self._notes.tell(
                word.line,
                word.raw,
                f"The shell runs `{command}` and puts its output here.",
                "Nothing is run, so nothing stands here.",
                weight=Weight.LEFT_OUT,
                decide=decide,
            )
        return output or ""

    def words(self, word: Word) -> Iterator[Argument]:
        """Get the words that one word becomes."""
        text = word.text
        if is_open(word):
            self._notes.tell(
                word.line,
                word.raw,
                "The quotes are not closed, and the shell reads on.",
                "Closed at the end of the line.",
                weight=Weight.TRAP,
                decide=True,
            )
        decide = "--output" not in word.raw
        text = substituted(text, lambda one: self._output(one, word, decide))
        try:
            parts = [text] if word.batch else braced(text)
        except OverflowError:
            parts = [text]
            self._notes.tell(
                word.line,
                word.raw,
                f"bash makes more than {MOST_WORDS} words of it.",
                "Left as it stands.",
                weight=Weight.LEFT_OUT,
                decide=True,
            )
        if len(parts) > 1:
            self._notes.tell(
                word.line,
                word.raw,
                f"bash makes {len(parts)} words of it.",
                "So does Bayscope.",
            )
        for part in parts:
            found, missing = looked_up(part, self.variables)
            for name in missing:
                self._notes.tell(
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


def known_output(command: str, variables: Mapping[str, str]) -> str | None:
    """Get what `seq` prints and what a sum is; nothing else is run."""
    if command.startswith("(("):
        return _sum(command[2:-2], variables)
    match = re.fullmatch(r"\s*seq((?:\s+-?\d{1,15}){1,3})\s*", command)
    if match is None:
        return None
    numbers = [int(one) for one in match[1].split()]
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) > 2 else 1
    if step == 0 or abs(numbers[-1] - first) // abs(step) > _MOST_NUMBERS:
        return None
    found = range(first, numbers[-1] + (1 if step > 0 else -1), step)
    return " ".join(str(one) for one in found)


def _sum(text: str, variables: Mapping[str, str]) -> str | None:
    """Compute $((...)) of whole numbers and known variables."""
    told = re.sub(r"\$?\{?([A-Za-z_]\w*)\}?", lambda m: variables.get(m[1], "?"), text)
    if len(told) > 200 or not re.fullmatch(r"[\d\s+\-*/%()]+", told) or "**" in told:
        return None
    try:
        return str(_value(ast.parse(told.replace("/", "//").strip(), mode="eval").body))
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return None


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _SUMS:
        return _SUMS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError("no sum")


def counted(values: Sequence[str]) -> list[str]:
    """Get the values of cmd.exe's `for /L %%i in (start,step,end)`."""
    try:
        first, step, last = (int(one) for one in values)
        found = range(first, last + (1 if step > 0 else -1), step)
    except ValueError:
        return []
    return [str(one) for one in found[:_MOST_NUMBERS]]
