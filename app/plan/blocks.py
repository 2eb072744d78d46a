"""The text of a TOML file in blocks: each header with its comment above and its keys.

Blocks can be moved, copied and left out while every other byte stays as it is, which no
library that writes TOML from values can do for a list of tables with comments.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from instruments.errors import BadInput
from instruments.files.foreign_text import parsed_toml

_HEADER = re.compile(r"^\s*(\[\[?)(?P<name>[^\]]+)\]\]?\s*(#.*)?$")
_QUOTES = ('"""', "'''")


@dataclass(frozen=True, slots=True)
class Block:
    """One header and what is below it; the first block of a file has no header.

    Attributes:
        path: Names in the header, such as ("step", "fio").
        is_item: Whether it begins another table of a list, as [[step]] does.
        lead: Comment lines right above the header.
        header: The line of the header.
        body: Everything below it.
    """

    path: tuple[str, ...]
    is_item: bool
    lead: str
    header: str
    body: str

    @property
    def text(self) -> str:
        """The block as it stands in the file."""
        return f"{self.lead}{self.header}{self.body}"


def split(text: str) -> list[Block]:
    """Split a text into its blocks; joined they are the text again.

    Raises:
        BadInput: It is not TOML.
    """
    return list(_blocks(text))


@functools.lru_cache(maxsize=8)
def _blocks(text: str) -> tuple[Block, ...]:
    values = read(text)
    blocks = tuple(_split(text))
    for name, value in values.items():
        if isinstance(value, list) and _is_list_of_tables(value):
            headed = sum(block.is_item and block.path == (name,) for block in blocks)
            if headed != len(value):
                raise BadInput(
                    f"the list {name} is written on one line",
                    where=name,
                    way_out=f"Write each of its tables below a header [[{name}]].",
                )
    return blocks


def join(blocks: Iterable[Block]) -> str:
    """Put blocks together to a text: a free line between tables, none at the end."""
    text = ""
    for block in blocks:
        if text and not text.endswith("\n"):
            text += "\n"
        if text and block.is_item and not text.endswith("\n\n"):
            text += "\n"
        text += block.text
    return f"{text.rstrip()}\n"


@functools.lru_cache(maxsize=8)
def read(text: str) -> Mapping[str, object]:
    """Read the values of a text; raises BadInput where it is not TOML.

    They are shared by all who ask for the same text: nobody may change them.
    """
    return parsed_toml(text, "")


def items(values: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    """Get the tables of a list, [] where there is none."""
    found = values.get(name)
    return list(found) if isinstance(found, list) and _is_list_of_tables(found) else []


def spans(blocks: Sequence[Block], name: str) -> list[tuple[int, int]]:
    """Find each table of a list: its first block, and the one behind its last."""
    found = []
    for number, block in enumerate(blocks):
        if block.is_item and block.path == (name,):
            end = number + 1
            while end < len(blocks) and _is_within(blocks[end], name):
                end += 1
            found.append((number, end))
    return found


def _is_within(block: Block, name: str) -> bool:
    return block.path[0] == name and len(block.path) > 1


def _is_list_of_tables(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) for one in value)
    )


def _split(text: str) -> Iterator[Block]:
    path: tuple[str, ...] = ()
    lead = header = ""
    is_item = False
    body: list[str] = []
    for line, found in _headers(text):
        if found is None:
            body.append(line)
            continue
        comments: list[str] = []
        while body and body[-1].lstrip().startswith("#"):
            comments.insert(0, body.pop())
        if path or body:
            yield Block(path, is_item, lead, header, "".join(body))
        path = _names(found["name"])
        is_item = found[1] == "[["
        lead, header, body = "".join(comments), line, []
    if path or body:
        yield Block(path, is_item, lead, header, "".join(body))


def _headers(text: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Yield each line, with what is found where it is a header."""
    within = ""
    depth = 0
    for line in StringIO(text):  # Which ends lines as TOML does.
        if within:
            within = "" if within in line else within
            yield line, None
            continue
        found = None if depth else _HEADER.match(line)
        yield line, found
        if found is None:
            within = next((q for q in _QUOTES if line.count(q) % 2), "")
            depth = 0 if within else max(0, depth + _opened(line))


def _opened(line: str) -> int:
    """Count the brackets of a value that go on in the next line."""
    bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'", "", line).split("#")[0]
    return bare.count("[") - bare.count("]")


@functools.lru_cache(maxsize=256)
def _names(text: str) -> tuple[str, ...]:
    values: object = parsed_toml(f"[{text}]", "")
    names = []
    while isinstance(values, dict) and values:
        name, values = next(iter(values.items()))
        names.append(name)
    return tuple(names)
