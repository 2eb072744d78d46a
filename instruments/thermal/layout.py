"""How the bays of an enclosure are arranged: rows of slot numbers from a small file."""

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from instruments.errors import BadInput
from instruments.files.foreign_text import home_path, parsed_toml, read_text

_PLAIN = re.compile(r"(\d{1,3})x(\d{1,3})")
_RANGE = re.compile(r"(\d{1,4})-(\d{1,4})")
_EMPTY = "."
# Slots; far above any enclosure, and a map of more could not be drawn.
_LARGEST = 1000


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows of bays as one sees them, front or top.

    Attributes:
        title: What it is, for a person.
        rows: Slot numbers from left to right, rows from top to bottom; None is a
            place without a bay.
    """

    title: str
    rows: tuple[tuple[int | None, ...], ...]

    @property
    def slots(self) -> tuple[int, ...]:
        """Get all slot numbers, in reading order."""
        return tuple(slot for row in self.rows for slot in row if slot is not None)


def parse_layout(text: str) -> Layout:
    """Get a layout by name, by size or from a file.

    Args:
        text: A name that ships, such as "4x15"; rows x columns, numbered from 0 row by
            row; or the path of a .toml file.

    Raises:
        BadInput: There is no such layout, or its file is wrong.
    """
    shipped = files("resources") / "layouts" / f"{text}.toml"
    if text in names():
        return read_layout(shipped.read_text(encoding="utf-8"), text)
    if text.endswith(".toml"):
        return read_layout(read_text(home_path(text)), text)
    size = _PLAIN.fullmatch(text)
    if size and 0 < int(size[1]) * int(size[2]) <= _LARGEST:
        height, width = int(size[1]), int(size[2])
        rows = (tuple(range(r * width, (r + 1) * width)) for r in range(height))
        return Layout(f"{height} rows of {width}", tuple(rows))
    raise BadInput(
        f'there is no layout "{text}"',
        where="layout",
        way_out=f"Expected {', '.join(names())}, rows x columns such as 6x10, or the "
        "path of a .toml file.",
    )


def names() -> list[str]:
    """List the layouts that ship."""
    folder = files("resources") / "layouts"
    paths = (Path(entry.name) for entry in folder.iterdir())
    return sorted(path.stem for path in paths if path.suffix == ".toml")


def read_layout(text: str, where: str) -> Layout:
    """Read a layout file.

    It has a `title` and `rows`, one text for each row: slot numbers such as 7, ranges
    such as 0-14 or 14-0, and "." for a place without a bay, with spaces between.

    Args:
        text: What the file says.
        where: What to call it in an error.

    Raises:
        BadInput: Something in it is wrong.
    """
    table = parsed_toml(text, where)
    unknown = set(table) - {"title", "rows"}
    lines = table.get("rows")
    if unknown or not isinstance(lines, list) or not lines:
        what = f"unknown key {min(unknown)}" if unknown else "rows are missing"
        way_out = 'Expected title = "..." and rows = ["0-14", "15-29"].'
        raise BadInput(what, where=where, way_out=way_out)
    rows = tuple(_row(line, where) for line in lines)
    layout = Layout(str(table.get("title", where)), rows)
    if not layout.slots:
        raise BadInput("it has no bay", where=where)
    if twice := {slot for slot in layout.slots if layout.slots.count(slot) > 1}:
        raise BadInput(f"slot {min(twice)} appears twice", where=where)
    return layout


def _row(line: object, where: str) -> tuple[int | None, ...]:
    row: list[int | None] = []
    for word in str(line).split():
        if word == _EMPTY:
            row.append(None)
        # The length first: int() of endless digits takes ever longer.
        elif word.isdecimal() and len(word) < 5 and int(word) < _LARGEST:
            row.append(int(word))
        elif (ends := _RANGE.fullmatch(word)) and max(map(int, ends.groups())) < (
            _LARGEST
        ):
            first, last = int(ends[1]), int(ends[2])
            step = 1 if last >= first else -1
            row.extend(range(first, last + step, step))
        else:
            raise BadInput(
                f'"{word}" is not a slot',
                where=where,
                way_out='Expected a number, a range such as 0-14, or ".".',
            )
    return tuple(row)
