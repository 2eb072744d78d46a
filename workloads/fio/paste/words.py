r"""The words of a shell's line, POSIX or cmd.exe, with the line each one stands in.

Variables are looked up later, so a word keeps them as marks; what quotes protect is
kept as characters of Unicode's private area, and `decoded` brings all back.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from workloads.fio.paste.lines import Line

_BASE = 0xE000
_QUOTED_VAR, _OPEN_VAR, _COMMAND, _END = "\uf8f0", "\uf8f1", "\uf8f2", "\uf8f3"
_BRACKETS = ("(", ")")
_OPERATORS = ("&&", "||", ";;", ">>", "2>&1", "&>", "2>", "1>", "<", ">", "&", "|", ";")
_REDIRECT = frozenset((">>", "&>", "2>", "1>", "<", ">"))
_MARK = re.compile(f"([{_QUOTED_VAR}{_OPEN_VAR}])([^{_END}]*){_END}")
_SUBSTITUTED = re.compile(f"{_COMMAND}([^{_END}]*){_END}")
_PERCENT = re.compile(r"%%~?\w*?([A-Za-z])|%(\w+)%")
_SUM = re.compile(r"\$(\(\([^()]*(?:\([^()]*\)[^()]*)*\)\))")
_CALLED = re.compile(r"\$\(\s*(?=(?:sudo\s+|time\s+)?[\w./${}]*fio\}?\s+[-\\])")
_OUTPUT = re.compile(r"\$\(([^()]*)\)|`([^`]*)`")
_VARIABLE = re.compile(r"\$(?:\{([^}]{0,200})\}|(\w+))")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or where `is_operator` a mark such as "&&".

    Attributes:
        text: With marks for what is looked up later.
        line: Where it stands.
        raw: As it stands in the text.
        is_operator: Whether it divides commands.
        batch: Whether cmd.exe reads it.
    """

    text: str
    line: int
    raw: str
    is_operator: bool = False
    batch: bool = False


def words(line: Line) -> list[Word]:
    """Divide a line into words and operators; comments are left out."""
    found: list[Word] = []
    for number, piece in line.pieces:
        found.extend(_Scanner(piece, number, line.batch).run())
    return found


class _Scanner:
    def __init__(self, text: str, line: int, batch: bool) -> None:
        self._text = text
        self._line = line
        self._batch = batch
        self._at = 0
        self._word = ""
        self._start = -1
        self._found: list[Word] = []

    def run(self) -> list[Word]:
        while self._at < len(self._text):
            char = self._text[self._at]
            if char in " \t":
                self._end()
                self._at += 1
            elif self._start < 0 and char == "#" and not self._batch:
                break
            elif operator := self._operator():
                self._end()
                self._found.append(
                    Word(operator, self._line, operator, True, self._batch)
                )
                self._at += len(operator)
            else:
                if self._start < 0:
                    self._start = self._at
                self._take(char)
        self._end()
        return self._found

    def _operator(self) -> str:
        if self._batch and self._text[self._at] == ";":
            return ""
        if not self._batch and self._text[self._at] in _BRACKETS:
            return self._text[self._at]
        for one in _OPERATORS:
            is_digit = one[0].isdigit() and self._start >= 0
            if self._text.startswith(one, self._at) and not is_digit:
                return one
        return ""

    def _end(self) -> None:
        if self._start >= 0:
            raw = self._text[self._start : self._at]
            self._found.append(Word(self._word, self._line, raw, False, self._batch))
        self._word, self._start = "", -1

    def _take(self, char: str) -> None:
        if char == '"':
            self._double()
        elif self._batch:
            self._take_batch(char)
        elif char == "'":
            end = self._text.find("'", self._at + 1)
            end = len(self._text) if end < 0 else end
            self._word += _kept(self._text[self._at + 1 : end]) or _kept("\0")
            self._at = end + 1
        elif char == "\\" and self._at + 1 < len(self._text):
            self._word += _kept(self._text[self._at + 1])
            self._at += 2
        elif char in "$`":
            self._dollar(_OPEN_VAR)
        else:
            self._word += char
            self._at += 1

    def _take_batch(self, char: str) -> None:
        if char == "^" and self._at + 1 < len(self._text):
            self._word += _kept(self._text[self._at + 1])
            self._at += 2
        elif char == "%":
            self._percent()
        elif char in "{}$\\`":
            self._word += _kept(char)
            self._at += 1
        else:
            self._word += char
            self._at += 1

    def _percent(self) -> None:
        match = _PERCENT.match(self._text, self._at)
        if match is None:
            self._word += "%"
            self._at += 1
            return
        name = match[2].lower() if match[2] else f"%{match[1]}"
        self._word += f"{_OPEN_VAR}{name}{_END}"
        self._at += len(match[0])

    def _double(self) -> None:
        self._at += 1
        self._word += _kept("\0")
        while self._at < len(self._text) and self._text[self._at] != '"':
            char = self._text[self._at]
            if self._batch and char == "%":
                self._percent()
            elif not self._batch and char in "$`":
                self._dollar(_QUOTED_VAR)
            elif (
                not self._batch
                and char == "\\"
                and self._text[self._at + 1 : self._at + 2] in ("\\", '"', "$", "`")
            ):
                self._word += _kept(self._text[self._at + 1])
                self._at += 2
            else:
                self._word += _kept(char)
                self._at += 1
        self._at += 1

    def _dollar(self, mark: str) -> None:
        if mark == _OPEN_VAR and (called := _CALLED.match(self._text, self._at)):
            # The output of fio is read by the script; here it is a command like others.
            self._end()
            self._found.append(Word(";", self._line, "$(", True))
            self._at += len(called[0])
            return
        command = _SUM.match(self._text, self._at) or _OUTPUT.match(
            self._text, self._at
        )
        variable = _VARIABLE.match(self._text, self._at)
        if command is not None:
            inner = next((one for one in command.groups() if one), "")
            self._word += f"{_COMMAND}{inner}{_END}"
            self._at += len(command[0])
        elif variable is not None:
            self._word += f"{mark}{variable[1] or variable[2]}{_END}"
            self._at += len(variable[0])
        else:
            self._word += _kept(self._text[self._at])
            self._at += 1


def is_open(word: Word) -> bool:
    """Tell whether a word has quotes that are not closed in its line."""
    raw = re.sub(r"\\\\.", "", word.raw) if not word.batch else word.raw
    raw = re.sub(r'"[^"]*"' if word.batch else r"\"[^\"]*\"|'[^']*'", "", raw)
    return '"' in raw or (not word.batch and "'" in raw)


def _kept(text: str) -> str:
    """Protect characters from braces, variables and splitting."""
    return "".join(
        chr(_BASE + ord(char)) if ord(char) < 128 and not char.isalnum() else char
        for char in text
    )


def decoded(text: str) -> str:
    """Give back what was protected."""
    return "".join(
        chr(ord(char) - _BASE) if _BASE <= ord(char) < _BASE + 128 else char
        for char in text
    ).replace("\0", "")


def substituted(text: str, output: Callable[[str], str]) -> str:
    """Put the output of each command of a word where it would stand."""
    return _SUBSTITUTED.sub(lambda match: output(match[1]), text)


def looked_up(text: str, variables: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Put variables in; one that stands without quotes may become several words.

    Returns:
        The words, and the variables that have no value.
    """
    missing: list[str] = []

    def value(match: re.Match[str]) -> str:
        name, _, default = match[2].partition(":-")
        known = variables.get(name)
        if known is None:
            if not default:
                missing.append(name)
            known = default
        return _kept(known) if match[1] == _QUOTED_VAR else known

    return _MARK.sub(value, text).split() or [""], missing


def without_redirects(found: list[Word]) -> Iterator[tuple[Word, bool]]:
    """Go through a command's words: (word, whether it belongs to a redirection)."""
    skip = False
    for word in found:
        redirects = word.is_operator and (word.text in _REDIRECT or word.text == "2>&1")
        yield word, skip or redirects
        skip = redirects and word.text != "2>&1"
