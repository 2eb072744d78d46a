"""What a power meter measures: quantities with units, elements, and their channels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from instruments.reading import SECOND, Channel, Judged

UNITS = {
    "P": "W",
    "S": "VA",
    "Q": "var",
    "lambda": "",
    "U": "V",
    "I": "A",
    "f": "Hz",
    "Wh": "Wh",
}
"""The quantities of every meter here, with their units."""

ENERGY = "Wh"


@dataclass(frozen=True, slots=True)
class Timing:
    """How often a meter has something new, all in seconds.

    Attributes:
        period_s: From one read to the next.
        window_s: Its averaging window.
        latency_s: How much later than the event it shows it.
    """

    period_s: float
    window_s: float
    latency_s: float


@dataclass(frozen=True, slots=True)
class Sample:
    """What one round of questions brought.

    Attributes:
        values: One for each of the dialect's points.
        raw: The answers as they came.
        integrated_s: Seconds for which energy was integrated; NaN where the meter
            does not say.
    """

    values: Sequence[Judged]
    raw: str
    integrated_s: float = math.nan


class Point(NamedTuple):
    """One thing that a meter measures.

    Attributes:
        quantity: Such as "P".
        unit: Its unit, such as "W".
        location: Where in the meter: "" for the whole, or such as "element2".
    """

    quantity: str
    unit: str
    location: str = ""


def channels(name: str, points: Sequence[Point], timing: Timing) -> tuple[Channel, ...]:
    """Make the channels of a meter."""
    return tuple(
        Channel(
            name,
            point.quantity,
            point.unit,
            point.location,
            round(timing.period_s * SECOND),
            round(timing.latency_s * SECOND),
            round(timing.window_s * SECOND),
        )
        for point in points
    )


def points(quantities: Sequence[str], elements: Sequence[str]) -> tuple[Point, ...]:
    """Get what several elements of a meter measure; one alone needs no name."""
    alone = len(elements) == 1
    return tuple(
        Point(quantity, UNITS[quantity], "" if alone else place(element))
        for element in elements
        for quantity in quantities
    )


def place(element: str) -> str:
    """Get the location of an element: "element2", or "sum" for all of them."""
    return f"element{element}" if element.isdecimal() else "sum"
