"""One line of the benchmarks' table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A measured figure beside its target.

    Attributes:
        what: What was measured.
        value: The figure as text.
        unit: Its unit.
        target: What it shall be, "" where nothing was promised.
        how: Under which conditions.
    """

    what: str
    value: str
    unit: str
    target: str
    how: str
