"""What a figure says under the pointer: the value that is nearest; no Qt."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from app.report.figures.figure import Axis, Figure, Floats, Series, Shape
from app.report.figures.svg import Level, levels_of

_REACH = 28.0
"""Pixels from the pointer to a value that still counts."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A value of a figure.

    Attributes:
        x: Pixels from the left.
        y: Pixels from the top.
        text: Of which series it is, and both values.
    """

    x: float
    y: float
    text: str


def spot_at(
    figure: Figure, size: tuple[int, int], pointer: tuple[float, float]
) -> Spot | None:
    """Find what is under the pointer.

    Args:
        figure: What is drawn.
        size: Width and height it is drawn with, in pixels.
        pointer: Where the pointer is, in the same pixels.

    Returns:
        None where no value is near.
    """
    found = [
        spot
        for level in levels_of(figure, *size)
        for one in level.figure.series
        for spot in _spots(one, level, pointer)
    ]
    return min(
        found,
        key=lambda spot: np.hypot(spot.x - pointer[0], spot.y - pointer[1]),
        default=None,
    )


def _spots(one: Series, level: Level, pointer: tuple[float, float]) -> Iterator[Spot]:
    """Yield the nearest value of a series, where it is near."""
    across, up = level.across, level.up
    if not up.ends[1] <= pointer[1] <= up.ends[0]:
        return
    if one.shape is Shape.HEAT:
        yield from _cell(one, level, pointer)
        return
    x, y = across.at(one.x), up.at(one.y)
    if one.shape is Shape.STEPS:
        yield from _step(one, level, x, y, pointer[0])
        return
    if one.shape is Shape.BAND or not one.y.size:
        return
    wide = one.shape in (Shape.BARS, Shape.BOX)
    half = np.abs(across.at(one.x + one.width / 2) - x) if wide else np.zeros(x.size)
    apart = np.hypot(
        np.maximum(np.abs(x - pointer[0]) - half, 0.0), 0.0 if wide else y - pointer[1]
    )
    apart = np.where(np.isfinite(y), apart, np.inf)
    place = int(np.argmin(apart))
    if apart[place] <= (1.0 if wide else _REACH):
        text = _text(one, level.figure, place)
        # Bars are found all over their height, and stand for themselves there.
        yield Spot(float(x[place]), pointer[1] if wide else float(y[place]), text)


def _step(
    one: Series, level: Level, x: Floats, y: Floats, pointer: float
) -> Iterator[Spot]:
    """Yield the step of a histogram above or below the pointer."""
    place = int(np.searchsorted(x, pointer)) - 1
    if 0 <= place < one.y.size:
        ends = f"{_number(one.x[place])} to {_number(one.x[place + 1])}"
        middle = float(x[place] + x[place + 1]) / 2
        yield Spot(middle, float(y[place]), _text(one, level.figure, place, ends))


def _cell(one: Series, level: Level, pointer: tuple[float, float]) -> Iterator[Spot]:
    """Yield the cell of a heat map under the pointer."""
    if one.cells is None:
        return
    column = int(np.searchsorted(level.across.at(one.x), pointer[0])) - 1
    row = int(np.searchsorted(-level.up.at(one.y), -pointer[1])) - 1
    if not (0 <= row < one.cells.shape[0] and 0 <= column < one.cells.shape[1]):
        return
    value = float(one.cells[row, column])
    if not np.isfinite(value):
        return
    name = one.names[row * one.cells.shape[1] + column] if one.names else ""
    ends = [
        f"{title}: {_number(edge[n])} to {_number(edge[n + 1])}"
        for title, edge, n in (
            (level.figure.x.title, one.x, column),
            (level.figure.y.title, one.y, row),
        )
    ]
    lines = (one.name, name, *ends, _number(value))
    yield Spot(*pointer, "\n".join(filter(None, lines)))


def _text(one: Series, figure: Figure, place: int, across: str = "") -> str:
    """Write a value with its series, both axes and how far off it may be."""
    x = across or _named(figure.x, float(one.x[place]))
    lines = [one.name, one.names[place] if one.names else "", f"{figure.x.title}: {x}"]
    if one.shape is Shape.BOX and one.cells is not None:
        words = ("lowest", "lower quartile", "median", "upper quartile", "highest")
        five = zip(words, one.cells[place].tolist(), strict=True)
        lines += [figure.y.title, *(f"{w} {_number(v)}" for w, v in five)]
        return "\n".join(filter(None, lines))
    value = f"{figure.y.title}: {_number(float(one.y[place]))}"
    if one.top is not None:
        value += f" to {_number(float(one.top[place]))}"
    if one.error is not None and np.isfinite(one.error[place]):
        value += f" \N{PLUS-MINUS SIGN} {_number(float(one.error[place]), 2)}"
    return "\n".join(filter(None, [*lines, value]))


def _number(value: float, digits: int = 5) -> str:
    return f"{value:.{digits}g}"


def _named(axis: Axis, value: float) -> str:
    names: Mapping[float, str] = dict(axis.ticks)
    return names.get(value) or _number(value)
