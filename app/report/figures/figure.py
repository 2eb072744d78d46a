"""What a figure shows: series over an axis that is not the session's time; no Qt."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Shape(StrEnum):
    """How a series is drawn."""

    LINE = "line"
    DASHES = "dashes"
    POINTS = "points"
    STEPS = "steps"  # x are the edges: one more than there are values
    BAND = "band"  # from `y` to `top`


@dataclass(frozen=True, slots=True)
class Series:
    """One thing that is drawn, in the units of the axes; NaN breaks it.

    Attributes:
        name: What the legend calls it.
        x: Where its values are, or the edges of its steps.
        y: Its values, the lower ones of a band.
        shape: How it is drawn.
        top: The upper values of a band.
        colour: Index of its colour; series with the same belong together.
    """

    name: str
    x: Floats
    y: Floats
    shape: Shape = Shape.LINE
    top: Floats | None = None
    colour: int = 0

    @property
    def values(self) -> Floats:
        """All values that the axis has to have room for."""
        every = self.y if self.top is None else np.r_[self.y, self.top]
        return every[np.isfinite(every)]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a figure."""

    title: str  # with its unit
    is_log: bool = False
    is_whole: bool = False  # whether only whole numbers mean something


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the x axis with a name, such as a percentile."""

    x: float
    name: str


@dataclass(frozen=True, slots=True)
class Figure:
    """Series on two axes.

    Attributes:
        title: What it shows.
        about: What is to be known of it, sentences without markup.
        x: The axis across.
        y: The axis up.
        series: What is drawn, the lowest first.
        marks: Places that are named.
    """

    title: str
    about: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()

    def lines(self) -> Iterator[tuple[str, ...]]:
        """Write its data: a head, and one line for each value of each series."""
        yield "series", self.x.title, self.y.title, "up to"
        for one in self.series:
            ends = one.x[1:] if one.shape is Shape.STEPS else None
            for place, value in enumerate(one.y.tolist()):
                top = "" if one.top is None else f"{one.top[place]:.9g}"
                if ends is not None:
                    top = f"{ends[place]:.9g}"
                shown = f"{value:.9g}" if np.isfinite(value) else ""
                yield one.name, f"{one.x[place]:.9g}", shown, top
