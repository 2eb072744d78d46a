"""A stretch of time in a plot; no Qt."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time in a plot.

    Attributes:
        start: Seconds from the origin.
        end: Seconds from the origin.
        text: What it is; shown on hover.
        layer: Which of several sessions it is of, "" for the only one.
    """

    start: float
    end: float
    text: str = ""
    layer: str = ""
