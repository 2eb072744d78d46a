"""Divides lines of a shell into words, and expands braces and seq in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workloads.fio.paste.lines import Line

MOST_COMMANDS = 1000
"""Commands that loops may make; more are a mistake."""

# {1..9}{1..9}{1..9}... grows without end.
_MOST_WORDS = 4096
# A private-use area of Unicode: quoted characters are kept apart from those with a
# meaning.
_BASE = 0xE000
# The first that fits counts: an operator before a letter, a quote as far as it goes.
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
# The innermost ones: they are expanded from the inside out.
_BRACES = re.compile(r"\{([^{}\s]*)\}")
# {1..9}, {01..10}, {0..100..25}
_SEQUENCE = re.compile(r"(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.(-?\d{1,15}))?")
ENDS = frozenset(("\n", ";", "&&", "||", "|", "&"))


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the text in parts, each read in its own way; or an operator."""

    raw: str
    line: int
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def ends(self) -> bool:
        """Whether a command ends with it."""
        return not self.parts and self.raw in ENDS


class Argument(NamedTuple):
    """One word of a command after the shell has done its work."""

    text: str
    line: int
    raw: str


class NotReadError(Exception):
    """A statement that is not read, or has no value."""

    def __init__(self, line: int, what: str, why: str = "is not read") -> None:
        super().__init__(f"{what} {why}")
        self.line = line


def divided(line: Line) -> Iterator[Word]:
    """Divide a line into words and operators; comments are excluded."""
    number, windows = 0, line.is_windows()
    for number, text in line.pieces:
        parts: list[tuple[str, str]] = []
        start = 0
        for match in _PIECE.finditer(text):
            kind = str(match.lastgroup)
            if kind in ("blank", "comment", "operator"):
                if parts:
                    yield Word(text[start : match.start()], number, tuple(parts))
                parts, start = [], match.end()
                if kind == "operator":
                    yield Word(match[0], number)
            elif kind == "escaped" and windows:  # the "\\" of a path
                parts.append(("kept", match[0]))
            elif kind == "double":
                # "" alone is a word, too: an empty one.
                parts += [("kept", ""), *_quoted(match[kind], windows)]
            else:
                kind = {"single": "kept", "escaped": "kept"}.get(kind, kind)
                parts.append((kind, match[str(match.lastgroup)]))
        if parts:
            yield Word(text[start:], number, tuple(parts))
    yield Word("\n", number)


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


def seq_output(text: str, word: Word) -> str:
    """Get what `seq` prints."""
    numbers = [int(part) for part in text.split() if re.fullmatch(r"-?\d+", part)]
    if not 1 <= len(numbers) <= 3 or len(numbers) < len(text.split()):
        raise NotReadError(word.line, f"`{word.raw[:60]}`")
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) > 2 else 1
    if step == 0 or abs(numbers[-1] - first) // abs(step) > MOST_COMMANDS:
        raise NotReadError(word.line, f"`{word.raw[:60]}`")
    return " ".join(map(str, range(first, numbers[-1] + (1 if step > 0 else -1), step)))


def expanded_braces(text: str, line: int) -> list[str]:
    """Expand braces as bash does, such as dm-{2..4} or {4k,8k}."""
    done, todo = [], [text]
    while todo:
        text = todo.pop(0)
        found = next(
            ((m, a) for m in _BRACES.finditer(text) if (a := _alternatives(m[1]))), None
        )
        if found is None:
            done.append(text)
            continue
        match, values = found
        if len(done) + len(todo) + len(values) > _MOST_WORDS or len(text) > _MOST_WORDS:
            raise NotReadError(line, f"braces with over {_MOST_WORDS} words")
        # In place of the word that had them, as the first braces vary slowest.
        todo[:0] = [f"{text[: match.start()]}{v}{text[match.end() :]}" for v in values]
    return done


def _alternatives(inner: str) -> Sequence[str]:
    match = _SEQUENCE.fullmatch(inner)
    if match is None:
        return inner.split(",") if "," in inner else []
    first, last = int(match[1]), int(match[2])
    step = max(1, abs(int(match[3] or 1))) * (1 if last >= first else -1)
    # A leading zero asks for numbers of one width: {01..10}.
    zeros = any(re.match(r"-?0\d", end) for end in (match[1], match[2]))
    width = max(len(match[1]), len(match[2])) if zeros else 0
    numbers = range(first, last + (1 if step > 0 else -1), step)
    return [f"{number:0{width}}" for number in numbers[: _MOST_WORDS + 1]]


def protected(text: str, but: str = "") -> str:
    """Protect characters from braces and splitting."""
    return "".join(
        chr(_BASE + ord(char))
        if ord(char) < 128 and not char.isalnum() and char not in but
        else char
        for char in text
    )


def restored(text: str) -> str:
    """Undo `protected`."""
    return "".join(
        chr(ord(char) - _BASE) if _BASE <= ord(char) < _BASE + 128 else char
        for char in text
    )
