"""Where the names of marks stand: none on another one, nor on the line of one."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.report.figures.figure import Floats, Mark
from app.report.svg import label_text

_LETTER = 6.9
"""Pixels of a letter, about: of the wider of the fonts that stand in for ours."""

_GAP = 4.0
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class PlacedMark:
    """A mark and its name, which stands beside the top of its line.

    Attributes:
        mark: The mark.
        name: As it is written.
        at: Where its line is, in pixels.
        is_left: Whether its name ends at the line instead of beginning there.
        row: Of its name, 0 is at the top.
        below: Of the begin of its line: that of the name, or below those that it meets.
    """

    mark: Mark
    name: str
    at: float
    is_left: bool
    row: int = 0
    below: int = 0

    @property
    def span(self) -> tuple[float, float]:
        """From and to which pixel its line and its name take the row."""
        room = _room(self.name)
        return (self.at - room, self.at) if self.is_left else (self.at, self.at + room)


def placed_marks(
    marks: Sequence[Mark], x: Callable[[Floats], Floats], across: tuple[int, int]
) -> list[PlacedMark]:
    """Place the names of marks in rows, as stairs that lead down from the line.

    Names that have no room at the right of their line stand at its left, and so do
    those before them that would meet these.

    Args:
        marks: In any order.
        x: From their values to pixels.
        across: Left and right edge.
    """
    ordered = sorted(marks, key=lambda one: one.x)
    places = x(np.array([one.x for one in ordered])).tolist()
    named: list[PlacedMark] = []
    edge, begin = float(across[1]), math.inf  # of the names at the left of their lines
    for mark, at in zip(reversed(ordered), reversed(places), strict=True):
        room = max(at - across[0], across[1] - at) - 2 * _GAP
        name = label_text(mark.name, min(_LONGEST, int(room / _LETTER)))
        meets = at + _room(name) > edge or at > begin
        is_left = meets and at - _room(name) > across[0]
        if is_left:
            edge, begin = at, min(begin, at - _room(name))
        named.append(PlacedMark(mark, name, at, is_left))
    rightward = [one for one in reversed(named) if not one.is_left]
    placed: list[PlacedMark] = []
    for one in (*rightward, *(one for one in named if one.is_left)):
        rows = (o.row for o in placed if _meet(o, one))
        placed.append(replace(one, row=1 + max(rows, default=-1)))
    return [replace(one, below=_below(one, placed)) for one in placed]


def _below(one: PlacedMark, placed: Sequence[PlacedMark]) -> int:
    met = (o.row + 1 for o in placed if o is not one and _covers(o, one.at))
    return max([one.row, *met])


def _covers(one: PlacedMark, at: float) -> bool:
    left, right = one.span
    return left < at < right


def _meet(one: PlacedMark, other: PlacedMark) -> bool:
    (left, right), (start, end) = one.span, other.span
    return left <= end and start <= right


def _room(name: str) -> float:
    return 2 * _GAP + _LETTER * len(name)
