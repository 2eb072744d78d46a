"""TOML files that the user wrote, with the line that each key stands in."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from app.plan.toml_table import TomlTable
from instruments.errors import BadInput
from instruments.files import foreign_text
from instruments.files.foreign_text import read_text

_HEADER = re.compile(r"^\s*(\[\[?)([^\]]+)\]\]?")
_KEY = re.compile(r"""^\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_-]+))\s*[=.]""")


def read_toml(path: Path) -> tuple[str, TomlTable]:
    """Read a TOML file; return its text and its top table.

    Raises:
        BadInput: It cannot be read or is not TOML; names the line.
    """
    text = read_text(path)
    return text, parse_toml(text, str(path))


def parse_toml(text: str, name: str) -> TomlTable:
    """Read TOML text that came from `name`.

    Raises:
        BadInput: It is not TOML; names the line.
    """
    values = foreign_text.parsed_toml(text, name)
    return TomlTable(values, name, "", cache(lambda: dict(_find_lines(text))))


_KINDS = {"bench": "dut", "campaign": "step", "described instrument": "value"}
"""What people write for Bayscope to read, and the table that only it has."""


def check_kind(top: TomlTable, kind: str, name: str) -> None:
    """Check that a file is not one of another kind, before its keys are looked at.

    Raises:
        BadInput: It has no table of its kind, and one of another.
    """
    found = [other for other, table in _KINDS.items() if table in top.values]
    if found and kind not in found:
        raise BadInput(
            f"this is a {found[0]}, not a {kind}",
            where=name,
            way_out=f"Give the file of a {kind}.",
        )


def _find_lines(text: str) -> Iterator[tuple[str, int]]:
    """Yield (path, line) for each header and key; paths as TomlTable spells them."""
    counts: dict[str, int] = {}
    place = ""
    in_string = ""
    for number, line in enumerate(text.split("\n"), 1):
        if in_string:
            in_string = "" if in_string in line else in_string
            continue
        for quotes in ('"""', "'''"):
            if line.count(quotes) % 2:
                in_string = quotes
        header = _HEADER.match(line)
        if header:
            names = [part.strip().strip("\"'") for part in header[2].split(".")]
            if header[1] == "[[":
                key = ".".join(names)
                counts[key] = counts.get(key, 0) + 1
            place = _numbered(names, counts)
            yield place, number
        elif key_match := _KEY.match(line):
            key = next(group for group in key_match.groups() if group)
            yield (f"{place}.{key}" if place else key), number


def _numbered(names: list[str], counts: dict[str, int]) -> str:
    path: list[str] = []
    for depth, name in enumerate(names):
        key = ".".join(names[: depth + 1])
        path.append(f"{name}#{counts[key]}" if key in counts else name)
    return ".".join(path)
