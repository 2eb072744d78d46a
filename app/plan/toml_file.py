"""TOML files that the user wrote, with the line that each key stands in."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from app.plan.toml_table import TomlTable
from instruments.errors import BadInput

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"""^\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_-]+))\s*[=.]""")


def read_toml(path: Path) -> tuple[str, TomlTable]:
    """Read a TOML file; return its text and its top table.

    Raises:
        BadInput: It cannot be read or is not TOML; names the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(
            "this is not UTF-8 text",
            where=str(path),
            way_out="Save it again with the encoding UTF-8.",
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(
            f"cannot be read, {reason[0].lower()}{reason[1:]}",
            where=str(path),
            way_out="Give the path of a TOML file that you may read.",
        ) from error
    return text, parse_toml(text, str(path))


def parse_toml(text: str, name: str) -> TomlTable:
    """Read TOML text that came from `name`.

    Raises:
        BadInput: It is not TOML; names the line.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, position = str(error).partition(" (at ")
        where = position.rstrip(")").replace("line", ", line", 1) if position else ""
        raise BadInput(
            f"this is not TOML, {what[0].lower()}{what[1:]}",
            where=f"{name}{where}" if "line" in where else f"{name}, {where or 'end'}",
            way_out="Correct the line and try again.",
        ) from error
    return TomlTable(values, name, "", dict(_find_lines(text)))


def _find_lines(text: str) -> Iterator[tuple[str, int]]:
    """Yield (path, line) for each header and key; paths as TomlTable spells them."""
    counts: dict[str, int] = {}
    place = ""
    in_string = ""
    for number, line in enumerate(text.splitlines(), 1):
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
