"""Text that others wrote: files, and what devices and tools say, read within limits.

Whatever is in it, reading takes bounded time and memory, and ends with values or with
an error that the caller knows.
"""

import contextlib
import errno
import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from instruments.errors import BadInput, Place

MOST_TEXT = 2**20
"""Bytes of a text that a person wrote, such as a bench or a campaign."""

MOST_VALUE = 2**14
"""Characters of one value in a text that a person wrote."""

MOST_LINE = 2**16
"""Bytes of one line of what a program prints."""

MOST_LEVELS = 64
"""How deep tables and lists may lie in each other."""

MISSHAPEN = (AttributeError, TypeError, LookupError, ValueError, ArithmeticError)
"""What looking into a document raises that has another form than it should."""

# Python has no largest integer, but SQLite, numpy and TOML have: 64 bits.
_LARGEST = 2**63 - 1
# Digits of a number in JSON. The time that int() takes grows with their square.
_DIGITS = 32
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What moves a cursor or turns a line round; line ends and tabs are text."""

# What spreadsheets take for the beginning of a formula (CSV injection, OWASP).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

# A surrogate without its other half: JSON can write it, UTF-8 cannot.
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
# Strings, comments, words and brackets of TOML. Possessive (*+, ++), so that a damaged
# text is not tried in every possible way.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)|'
    r"'''(?:[^']|'(?!''))*+(?:'{3,5}|\Z)|"
    r'"(?:[^"\\\n]|\\.)*+"?|' + r"'[^'\n]*+'?|#[^\n]*+|[\w+-]++|[\[\]{}.,=\n]",
    re.DOTALL,
)


def home_path(text: str) -> Path:
    """Get the path of a text; "~" is the home folder.

    Raises:
        BadInput: It begins with "~" and a user nobody knows.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise BadInput(
            f'"{text}" is in the home folder of an unknown user',
            way_out="Enter or choose a path.",
        ) from error


def read_content(path: Path, most: int) -> bytes:
    """Read a file; what only looks like one, such as a pipe, is not waited for.

    Raises:
        BadInput: It is not a file, may not be read, or is longer than `most` bytes.
    """
    try:
        # O_NONBLOCK: opening a pipe would wait for its writer. O_NOCTTY: opening a
        # terminal could make it that of this process.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "")  # what it is, `why_no_file` will say
            content = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"cannot be read, {why_no_file(path, error)}",
            where=str(path),
            way_out=way_to_file(
                path, "Give the path of an existing file that you may read."
            ),
        ) from error
    if len(content) > most:
        raise BadInput(
            f"it is longer than {_size(most)}",
            where=str(path),
            way_out="Check whether it is the right file.",
        )
    return content


_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a pipe"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
)


def way_to_file(path: Path, otherwise: str) -> str:
    """Say what to do about a path of no file: a link that leads nowhere can go."""
    with contextlib.suppress(OSError, ValueError):  # Of names that no file can have.
        if path.is_symlink() and not path.exists():
            return "Remove the link, or put the file back that it points to."
    return otherwise


def why_no_file(path: Path, error: Exception | None = None) -> str:
    """Say why a path is not that of a file; "" where it is one and nothing failed.

    Args:
        path: The path.
        error: What reading it came to.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        points = "it points to a file that is not there"
        return points if path.is_symlink() else "there is no such file"
    except OSError as looking:
        if looking.errno == errno.ELOOP:
            return "it is a link that leads back to itself"
        error = looking
    except ValueError:
        return "no file can have this name"
    else:
        for is_kind, meaning in _KINDS:
            if is_kind(mode):
                return meaning
    reason = getattr(error, "strerror", None) or ""
    return f"{reason[:1].lower()}{reason[1:]}"


def read_text(path: Path, most: int = MOST_TEXT) -> str:
    """Read a file of text in UTF-8, with or without a mark at its begin.

    Raises:
        BadInput: It is not a file, may not be read, is too long, or is not such a text.
    """
    content = read_content(path, most)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _no_text(f"{path}, line {line}") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise _no_text(f"{path}, line {line}")
    return text


def parsed_toml(text: str, name: str) -> dict[str, Any]:
    """Read TOML that came from `name`.

    Raises:
        BadInput: It is not TOML, too long, nested too deeply, or has a number that no
            64 bits hold; names the line where that is known.
    """
    if len(text) > MOST_TEXT:
        raise _no_toml(f"it is longer than {_size(MOST_TEXT)}", name)
    _see_levels(text, name)
    try:
        values = tomllib.loads(text)
        troubles = [why for leave in _leaves(values) if (why := _trouble(leave))]
    except ValueError as error:
        what, _, place = str(error).partition(" (at ")
        if "integer string conversion" in what:  # Python's words, without a place.
            raise _no_toml(_TOO_LARGE, name, _line_of_value(text)) from error
        at = re.search(r"line (\d+), column (\d+)", place)
        line, column = (int(at[1]), int(at[2])) if at else (0, 0)
        if place.startswith("end of document"):
            line = text.rstrip("\n").count("\n") + 1
        what = f"this is not TOML, {what[:1].lower()}{what[1:]}"
        if date := _date_at(text, line, column):
            what = f"{date} is not a date, which is written as 2026-03-31"
        raise _no_toml(what, name, line, column) from error
    if troubles:
        raise _no_toml(troubles[0], name, _line_of_value(text))
    return values


# Also what only looks like a date, such as 2026-3-31.
_DATE = re.compile(r"\d{4}-\d+-\d+[\dT:.Z+-]*")


def _date_at(text: str, line: int, column: int) -> str:
    """Get what is written like a date at a place that TOML cannot read; "" for none."""
    written = text.split("\n")[line - 1] if line else ""
    dates = _DATE.finditer(written)
    return next((m[0] for m in dates if m.start() < column <= m.end() + 1), "")


_TOO_LARGE = "a number is too large"


def _trouble(value: Any) -> str:
    """Say why a value cannot be taken, "" where it can."""
    if isinstance(value, int) and not -_LARGEST - 1 <= value <= _LARGEST:
        return _TOO_LARGE
    if isinstance(value, str) and len(value) > MOST_VALUE:
        return f"a value is longer than {_size(MOST_VALUE)}"
    if isinstance(value, str) and (mark := _CONTROL.search(value)):
        return (
            f"a value has the character U+{ord(mark[0]):04X}, which cannot be printed"
        )
    return ""


def _line_of_value(text: str) -> int:
    """Find the line of the first value that cannot be taken, 0 where none is found."""
    for token in _TOKEN.finditer(text):
        word = token[0]
        if len(word) <= _DIGITS // 2 and "\\" not in word and not _CONTROL.search(word):
            continue
        try:
            is_found = bool(_trouble(tomllib.loads(f"a = {word}").get("a")))
        except ValueError as error:
            is_found = "integer string conversion" in str(error)
        if is_found:
            return text.count("\n", 0, token.start()) + 1
    return 0


@lru_cache(1024)
def stored_toml(text: str) -> Mapping[str, Any]:
    """Read a stored plan or bench, once; nothing where it is damaged."""
    try:
        return parsed_toml(text, "")
    except BadInput:
        return {}


def stored_table(text: str, name: str) -> Mapping[str, Any]:
    """Get one table of such a text, nothing where it has none."""
    table = stored_toml(text).get(name)
    return table if isinstance(table, Mapping) else {}


def parsed_json(text: str | bytes) -> Any:
    """Read a document in JSON; of names that are there twice the last one counts.

    NaN, an infinite number and one of more than 32 digits become None: they are not
    values.

    Raises:
        ValueError: It is not JSON, or nested too deeply.
    """
    try:
        value = json.loads(
            text, parse_int=_whole, parse_float=_finite, parse_constant=lambda _: None
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    for _ in _leaves(value):
        pass
    if _HALF.search(text if isinstance(text, str) else text.decode("ascii", "replace")):
        # Half a character, which nothing can store or print.
        whole = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        value = json.loads(whole)
    return value


def object_at(parent: object, key: str) -> dict[str, Any]:
    """Get an object of a document by its key; empty where there is none."""
    value = parent.get(key) if isinstance(parent, dict) else None
    return value if isinstance(value, dict) else {}


def objects_of(parent: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the members of an object that are objects themselves, with their keys."""
    return ((key, part) for key, part in parent.items() if isinstance(part, dict))


def objects_at(parent: object, key: str) -> list[dict[str, Any]]:
    """Get the objects in a list of a document; services list other things, too."""
    items = parent.get(key) if isinstance(parent, dict) else None
    items = items if isinstance(items, list) else []
    return [item for item in items if isinstance(item, dict)]


def lines_of(file: IO[bytes], most: int = MOST_LINE) -> Iterator[bytes]:
    """Read the lines of what a program prints; a long one is cut."""
    while line := file.readline(most):
        yield line
        while not line.endswith(b"\n") and len(line) == most:
            line = file.readline(most)


def cell(text: str) -> str:
    """Make a text fit for CSV: a spreadsheet takes what begins as a formula for one."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _leaves(value: Any) -> Iterator[Any]:
    """Give all that is neither a list nor a table.

    Raises:
        ValueError: One of them lies too deep.
    """
    level = [value]
    for _ in range(MOST_LEVELS + 1):
        below: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                below += node.values()
            elif isinstance(node, list):
                below += node
            else:
                yield node
        if not below:
            return
        level = below
    raise ValueError("it is nested too deeply")


def _see_levels(text: str, name: str) -> None:
    """Refuse what tomllib would take too long for, or would not come back from."""
    depth = dots = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in ("[", "{"):
            depth += 1
        elif mark in ("]", "}"):
            depth = max(0, depth - 1)
        dots = dots + 1 if mark == "." else 0 if mark in ("\n", ",", "=") else dots
        if depth > MOST_LEVELS or dots > MOST_LEVELS:
            line = text.count("\n", 0, token.start()) + 1
            raise _no_toml("it is nested too deeply", name, line)


def _whole(text: str) -> int | None:
    return int(text) if len(text) <= _DIGITS else None


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _size(most: int) -> str:
    return f"{most >> 20} MiB" if most >= 2**20 else f"{most >> 10} KiB"


def _no_text(where: str) -> BadInput:
    return BadInput(
        "this is not UTF-8 text",
        where=where,
        way_out="Save it again with the encoding UTF-8.",
    )


def _no_toml(what: str, name: str, line: int = 0, column: int = 0) -> BadInput:
    return BadInput(
        what,
        where=Place(name, line, column=column),
        way_out="Correct it and try again.",
    )
