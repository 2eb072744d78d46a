"""A stretch of time in a plot; no Qt."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time in a plot.

    Attributes:
        start: Seconds from the origin.
        end: Seconds from the origin.
        text: What it is; shown on hover.
    """

    start: float
    end: float
    text: str = ""
