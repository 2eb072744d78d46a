"""What dialects share that read several elements of a meter on ranges of their own."""

from collections.abc import Sequence
from typing import ClassVar

from instruments.power.points import Point, points
from instruments.power.step_ranges import StepRanges


class Ranged:
    """Elements and ranges of one meter.

    Args:
        ranges: In V and A, of those that the meter has.
        elements: Elements (channels) that are read, such as "1".

    Attributes:
        quantities: What is read of each element, in this order.
        points: All of it; see `Dialect`.
    """

    quantities: ClassVar[tuple[str, ...]] = ()

    def __init__(self, ranges: StepRanges, elements: Sequence[str] = ("1",)) -> None:
        self.points: Sequence[Point] = points(self.quantities, elements)
        self._ranges = ranges
        self._elements = tuple(elements)
