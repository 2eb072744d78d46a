"""Errors that the user can act on: what happened, where, and the way out.

Two roots keep the user's world and our bugs apart: a BenchError is shown as one
sentence, anything else is an internal error and ends in a traceback.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from instruments.reading import Status

_MOST_SHOWN = 1000  # characters; what a device or a file says may be endless


def printable(text: str, kept: str = "") -> str:
    r"""Write what is not seen, or turns a line round, by its number, such as "\u202e".

    Args:
        text: Of others, such as the name of a file.
        kept: Characters that stay what they are, such as "\n" where lines may be.
    """
    return write_unseen(text, _number, kept)


def write_unseen(text: str, written: Callable[[str], str], kept: str = "") -> str:
    """Replace each character that is not seen; `kept` stay what they are."""
    if text.isascii() and text.isprintable():
        return text
    marks = {mark for mark in set(text) if not _is_seen(mark)} - {*kept, *_JOINERS}
    text = text.translate({ord(mark): written(mark) for mark in marks})
    return _LONE_JOINER.sub(lambda joiner: written(joiner[0]), text)


_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters without ink: a name of them alone would look like none."""

_JOINERS = "\u200c\u200d"
"""Within an emoji or a word of Persian or Hindi they belong to what is seen."""

# A joiner beside a letter of Latin, or at an end, joins nothing: it only hides there.
_LONE_JOINER = re.compile(
    f"(?<![^\x00-\u02ff{_JOINERS}])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\u02ff{_JOINERS}])"
)


def _is_seen(mark: str) -> bool:
    # A space of any width stands between words and hides nothing.
    is_space = unicodedata.category(mark) == "Zs"
    return (mark.isprintable() or is_space) and mark not in _BLANK


def _number(mark: str) -> str:
    return mark.encode("unicode_escape").decode()


def one_line(text: str) -> str:
    """Make a text that may be of others fit for one line: not long, all printable."""
    cut = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} ..."
    return printable(cut)


def plain_words(error: Exception) -> str:
    """Say what an error of Python or of the system means, without Python's words.

    Text that Bayscope itself gave to a ValueError or a library's error is kept.
    """
    text = str(error).strip()
    for words, meaning in _PYTHONS_WORDS:
        if match := words.search(text):
            return meaning.format(*(group.strip("'\"") for group in match.groups()))
    if isinstance(error, KeyError) and error.args:
        return f'"{error.args[0]}" is missing'
    for kind, meaning in _KINDS.items():
        if isinstance(error, kind):
            return meaning
    text = getattr(error, "strerror", None) or text
    return text or "it failed without a message"


_KINDS: Mapping[type[Exception], str] = {
    UnicodeError: "its text is damaged",
    LookupError: "a part of it is missing",
    TypeError: "a value in it has the wrong type",
    AttributeError: "a value in it has the wrong type",
    ArithmeticError: "a number in it is out of range",
}
_PYTHONS_WORDS = tuple(
    (re.compile(words, re.DOTALL), meant)
    for words, meant in (
        (r"^could not convert string to float: (.*)$", '"{}" is not a number'),
        (
            r"^invalid literal for int\(\) with base \d+: (.*)$",
            '"{}" is not a whole number',
        ),
        (r"^Invalid isoformat string: (.*)$", '"{}" is not a time'),
        (r"^time data (.*) does not match", '"{}" is not a time'),
        (
            r" must be in -?\d+\.\.|^year .* out of range|^timestamp out",
            "a time is out of range",
        ),
        (
            r"integer string conversion|^cannot convert float ",
            "a number is out of range",
        ),
        (
            r" values to unpack| is not in list$|^substring not",
            "a part of it is missing",
        ),
        (r"got an unexpected keyword argument (.*)$", '"{}" is not known'),
        (r"missing \d+ required .* argument: (.*)$", '"{}" is missing'),
        (
            r"^[A-Z].*: line (\d+) column (\d+) \(char",
            "it is not JSON, line {} column {}",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file a mistake is.

    Attributes:
        file: Its name.
        line: From 1; 0 where it is not known.
        key: The path of a key, such as "step#2.fio.bs" for that of the second [[step]];
            "" for none.
        column: From 1; 0 where it is not known.
    """

    file: str
    line: int = 0
    key: str = ""
    column: int = 0

    @property
    def name(self) -> str:
        """The last part of the key."""
        return self.key.rpartition(".")[2]

    def __str__(self) -> str:
        parts = [self.file, f"line {self.line}" if self.line else ""]
        parts += [f"column {self.column}" if self.column else "", printed(self.key)]
        return ", ".join(filter(None, parts))


def printed(key: str) -> str:
    """Write a path of a key for people: "step#2.fio.bs" is "[[step]] 2 fio.bs"."""
    return re.sub(r"(\w+)#(\d+)\.?", r"[[\1]] \2 ", key).strip()


class BenchError(Exception):
    """The bench failed in a way the user can mend.

    Args:
        what: What happened, without a full stop.
        where: The file, line, key, instrument or command it happened at.
        way_out: What the user can do about it, a whole sentence.
    """

    exit_code = 3

    def __init__(
        self, what: str, *, where: str | Place = "", way_out: str = ""
    ) -> None:
        super().__init__(what)
        self.what = one_line(what)
        self.where = one_line(str(where))
        self.place = where if isinstance(where, Place) else None
        self.way_out = one_line(way_out)
        self.facts: Mapping[str, object] = {}  # further plain values, for --json

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" {self.way_out}" if self.way_out else ""
        return f"{place}{self.what}.{advice}"

    @property
    def bare(self) -> str:
        """The sentence without the place, for where that stands beside it."""
        sentence = f"{self.what}. {self.way_out}".rstrip()
        return f"{sentence[0].upper()}{sentence[1:]}"


class BadInput(BenchError):  # noqa: N818  (reads as a sentence where it is raised)
    """A file, a line or an option that the user gave is wrong; nothing was started."""

    exit_code = 2


class OptionError(BadInput):
    """A value of an option that cannot be taken.

    Args:
        option: Key of the option.
        what: What is wrong with it, without a full stop.
        way_out: What is expected, a whole sentence.
    """

    def __init__(self, option: str, what: str, way_out: str) -> None:
        super().__init__(what, where=option, way_out=way_out)
        self.option = option

    def __str__(self) -> str:
        # A sentence that begins with the option needs no second name of it.
        begins_so = self.what.startswith(f"{self.option} ")
        return f"{self.what}. {self.way_out}" if begins_so else super().__str__()


class Aborted(BenchError):  # noqa: N818  (an end that was asked for)
    """The operator ended a run before its first step."""

    exit_code = 4


class SourceError(BenchError):
    """A source did not deliver a reading.

    Args:
        what: What happened, without a full stop.
        where: The source and its address.
        way_out: What the user can do about it.
        status: The reason stored with the gap.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        way_out: str = "",
        status: Status = Status.ERROR,
    ) -> None:
        super().__init__(what, where=where, way_out=way_out)
        self.status = status


class MaybeDone(SourceError):  # noqa: N818  (reads as a sentence where it is raised)
    """An order was sent, and what became of it is not known."""


def maybe_done(error: SourceError) -> MaybeDone:
    """Make the error of an order whose outcome could not be read."""
    return MaybeDone(
        f"the order was sent, and it may have been done: {error.what}",
        where=error.where,
        way_out="Check at the device what it did before it is tried again.",
        status=error.status,
    )
