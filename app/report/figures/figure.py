"""What a figure shows: series over an axis that is not the session's time; no Qt."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from app.report.numbers import PLAIN, NumberStyle

Floats = NDArray[np.float64]


class Shape(StrEnum):
    """How a series is drawn."""

    LINE = "line"
    DASHES = "dashes"
    POINTS = "points"
    STEPS = "steps"  # x are the edges: one more than there are values
    BAND = "band"  # from `y` to `top`
    MARKED = "marked"  # a line with a point at each value
    BARS = "bars"  # from zero, `width` wide
    BOX = "box"  # `cells` has minimum, quartiles and maximum of each
    HEAT = "heat"  # x and y are edges, `cells` says how much is between them


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
        group: Which of those with its colour it is: index of its dashes and marks.
        error: How far off its values may be, to either side; None where not known.
        names: Of its values, "" for one without.
        cells: See `Shape`; one row for each box, or for each stretch of y.
        width: Of bars and boxes, in units of x.
        shades: What the shades of heat stand for, from faint to strong.
    """

    name: str
    x: Floats
    y: Floats
    shape: Shape = Shape.LINE
    top: Floats | None = None
    colour: int = 0
    group: int = 0
    error: Floats | None = None
    names: tuple[str, ...] = ()
    cells: Floats | None = None
    width: float = 0.8
    shades: "Axis | None" = None

    @property
    def values(self) -> Floats:
        """All values that the axis has to have room for."""
        every = self.y if self.top is None else np.r_[self.y, self.top]
        if self.shape is Shape.BOX and self.cells is not None:
            every = np.r_[every, self.cells.ravel()]
        if self.error is not None:
            known = np.nan_to_num(self.error)
            every = np.r_[every, self.y - known, self.y + known]
        return every[np.isfinite(every)]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a figure."""

    title: str  # with its unit
    is_log: bool = False
    is_whole: bool = False  # whether only whole numbers mean something
    # values that are written at it, each with its name; none for round ones
    ticks: tuple[tuple[float, str], ...] = ()
    span: tuple[float, float] | None = None  # from and to; None for what there is
    from_zero: bool = True  # whether an axis up begins at zero


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the x axis with a name, such as a percentile."""

    x: float
    name: str
    # how far off it may be, None where that is not shown
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """Series on two axes.

    Attributes:
        title: What it shows.
        about: Notes for its reader, sentences without markup.
        x: The axis across.
        y: The axis up.
        series: What is drawn, the lowest first.
        marks: Places that are named.
        source: Which sessions it was made of, written into its file.
        below: Another one on the same axis across, drawn below it.
        style: How numbers are written at its axes.
    """

    title: str
    about: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    source: str = ""
    below: "Figure | None" = None
    style: NumberStyle = PLAIN

    @property
    def levels(self) -> tuple["Figure", ...]:
        """Itself, and what is below it."""
        return (self, *(self.below.levels if self.below is not None else ()))

    def lines(self) -> Iterator[tuple[str, ...]]:
        """Write its data: a head, and one line for each value of each series.

        Uncertainties and names have columns where any value has one.
        """
        has_more = any(one.error is not None or one.names for one in self.series)
        more = ("uncertainty", "name") if has_more else ()
        yield "series", self.x.title, self.y.title, "up to", *more
        for one in self.series:
            for line in _cells(one) if one.cells is not None else _values(one):
                yield line[: 4 + len(more)]
        if self.below is not None:
            yield from self.below.lines()


def _values(one: Series) -> Iterator[tuple[str, ...]]:
    ends = one.x[1:] if one.shape is Shape.STEPS else None
    for place, value in enumerate(one.y.tolist()):
        top = "" if one.top is None else f"{one.top[place]:.9g}"
        if ends is not None:
            top = f"{ends[place]:.9g}"
        shown = f"{value:.9g}" if np.isfinite(value) else ""
        error = "" if one.error is None else f"{one.error[place]:.9g}"
        name = one.names[place] if one.names else ""
        x = f"{one.x[place]:.9g}"
        yield one.name, x, shown, top, error.replace("nan", ""), name


def _cells(one: Series) -> Iterator[tuple[str, ...]]:
    """Write boxes by their five figures, and heat by the corner of each cell."""
    cells = one.cells if one.cells is not None else np.empty((0, 0))
    names = one.names or ("",) * cells.size
    for row, values in enumerate(cells.tolist()):
        for place, value in enumerate(values):
            is_box = one.shape is Shape.BOX
            x = one.x[row if is_box else place]
            y = place if is_box else one.y[row]
            if np.isfinite(value):
                name = names[row] if is_box else names[row * cells.shape[1] + place]
                figures = (f"{x:.9g}", f"{y:.9g}", f"{value:.9g}")
                yield one.name, *figures, "", name


def whiskers_note(series: Iterable[Series]) -> str:
    """Say what whiskers are, "" where no series has any."""
    has = any(one.error is not None and np.isfinite(one.error).any() for one in series)
    return "Whiskers are expanded uncertainties (k = 2)." if has else ""
