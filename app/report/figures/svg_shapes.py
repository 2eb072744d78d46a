"""Bars, boxes, heat and marked lines of a figure, as pieces of SVG."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeVar

import numpy as np

from app.report.figures.figure import Floats, Series, Shape
from app.report.svg import line_path
from instruments.errors import one_line

SHAPES = frozenset((Shape.MARKED, Shape.POINTS, Shape.BARS, Shape.BOX, Shape.HEAT))
"""What is drawn here."""

_DASHES = ("", "8 4", "2 3", "8 3 2 3")
_MARKS = (
    "",
    "m-3.5 -3.5h7v7h-7z",
    "m0 -5l4.5 8h-9z",
    "m0 -5l5 5l-5 5l-5 -5z",
    "m0 5l4.5 -8h-9z",
)
"""Circle, square, triangle, diamond and triangle upside down, about their middle."""

_CAP = 4.0
_LONGEST_NAME = 32
_FAINTEST = 0.06
_LETTER = 6.8
"""Pixels of a small letter, about."""

_LEAST_TEXT = 24.0
"""Pixels that a cell is wide at least, for its value to be written into it."""


@dataclass(frozen=True, slots=True)
class Pixels:
    """From the values of both axes to pixels."""

    x: Callable[[Floats], Floats]
    y: Callable[[Floats], Floats]
    across: tuple[int, int]  # left and right edge
    up: tuple[int, int]  # bottom and top edge


def draw_shape(one: Series, pixels: Pixels, colour: str, inks: tuple[str, str]) -> str:
    """Draw a series of one of `SHAPES`.

    Args:
        one: The series.
        pixels: Where its values are.
        colour: Its colour.
        inks: The colours of words, and of what is behind them.
    """
    if one.shape is Shape.BARS:
        return _bars(one, pixels, colour) + _errors(one, pixels, inks[0])
    if one.shape is Shape.BOX:
        return _boxes(one, pixels, colour)
    if one.shape is Shape.HEAT:
        return _heat(one, pixels, colour, inks)
    return _marked(one, pixels, colour) + _errors(one, pixels, colour)


def _marked(one: Series, pixels: Pixels, colour: str) -> str:
    x, y = pixels.x(one.x), pixels.y(one.y)
    dots = [
        draw_mark(x[n], y[n], colour, one.group) for n in np.flatnonzero(np.isfinite(y))
    ]
    if one.shape is Shape.POINTS:
        return "".join(dots)
    line = (
        f'<path d="{line_path(x, y)}" fill="none" stroke="{colour}" '
        f'stroke-width="1.5" stroke-linejoin="round"{dashed(one.group)}/>'
    )
    return line + "".join(dots)


def dashed(group: int) -> str:
    """Get the attribute that tells the line of a group from those of its colour."""
    dashes = _DASHES[group % len(_DASHES)]
    return f' stroke-dasharray="{dashes}"' if dashes else ""


def draw_mark(x: float, y: float, colour: str, group: int) -> str:
    """Draw a point: the groups of a colour have shapes of their own."""
    if not group % len(_MARKS):
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
    shape = _MARKS[group % len(_MARKS)]
    return f'<path d="M{x:.1f} {y:.1f}{shape}" fill="{colour}"/>'


def _errors(one: Series, pixels: Pixels, colour: str) -> str:
    """Draw how far off values may be as whiskers."""
    if one.error is None:
        return ""
    parts = []
    low, high = pixels.y(one.y - one.error), pixels.y(one.y + one.error)
    for at, lower, upper in zip(pixels.x(one.x), low, high, strict=True):
        if np.isfinite(lower) and np.isfinite(upper):
            parts.append(
                f"M{at:.1f} {lower:.1f}V{upper:.1f}M{at - _CAP:.1f} {lower:.1f}"
                f"h{2 * _CAP}M{at - _CAP:.1f} {upper:.1f}h{2 * _CAP}"
            )
    path = "".join(parts)
    return f'<path d="{path}" fill="none" stroke="{colour}"/>' if parts else ""


def draw_names(series: Sequence[Series], pixels: Pixels, ink: str) -> str:
    """Write the names of points beside them; one that would cover another is left out.

    Args:
        series: All of a figure; bars and the like have their names at the axis.
        pixels: Where values are.
        ink: The colour of the words.
    """
    taken: list[tuple[float, float, float, float]] = []
    parts = []
    for one in series:
        names = one.names if one.shape is Shape.MARKED else ()
        places = zip(names, pixels.x(one.x), pixels.y(one.y), strict=False)
        for name, at, up in places:
            text = one_line(name)[:_LONGEST_NAME]
            width = _LETTER * len(text)
            is_right = at + 7 + width > pixels.across[1]
            left = at - 7 - width if is_right else at + 7
            box = (left, up - 14, left + width, up)
            has_room = left > pixels.across[0] and not any(_meet(box, o) for o in taken)
            if not text or not np.isfinite(up) or not has_room:
                continue
            taken.append(box)
            parts.append(
                f'<text x="{left:.1f}" y="{up - 4:.1f}" font-size="11" '
                f'fill="{ink}">{escape(text)}</text>'
            )
    return "".join(parts)


_Box = tuple[float, float, float, float]


def _meet(one: _Box, other: _Box) -> bool:
    across = one[0] < other[2] and other[0] < one[2]
    return across and one[1] < other[3] and other[1] < one[3]


def _bars(one: Series, pixels: Pixels, colour: str) -> str:
    left = pixels.x(one.x - one.width / 2)
    right = pixels.x(one.x + one.width / 2)
    ground = pixels.up[0]
    zero = min(float(pixels.y(np.zeros(1))[0]), float(ground))
    return "".join(
        f'<rect x="{a:.1f}" y="{min(y, zero):.1f}" width="{max(b - a, 1):.1f}" '
        f'height="{abs(zero - y):.1f}" fill="{colour}" fill-opacity="0.85"/>'
        for a, b, y in zip(left, right, pixels.y(one.y), strict=True)
        if np.isfinite(y)
    )


def _boxes(one: Series, pixels: Pixels, colour: str) -> str:
    cells = one.cells if one.cells is not None else np.empty((0, 5))
    parts = []
    for number, five in enumerate(cells):
        if not np.isfinite(five).all():
            continue
        low, first, middle, third, high = pixels.y(five)
        x = one.x[number]
        ends = pixels.x(np.array([x - one.width / 2, x, x + one.width / 2]))
        left, at, right = ends
        parts.append(
            f'<path d="M{at:.1f} {low:.1f}V{first:.1f}M{at:.1f} {third:.1f}V{high:.1f}'
            f'M{left:.1f} {middle:.1f}H{right:.1f}" stroke="{colour}" '
            f'stroke-width="1.5" fill="none"/>'
            f'<rect x="{left:.1f}" y="{third:.1f}" width="{right - left:.1f}" '
            f'height="{max(first - third, 1):.1f}" fill="{colour}" fill-opacity="0.3" '
            f'stroke="{colour}"/>'
        )
    dots = zip(pixels.x(one.x), pixels.y(one.y), strict=True)
    points = [
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"/>'
        for a, b in dots
        if np.isfinite(b)
    ]
    return "".join([*parts, *points])


def _heat(one: Series, pixels: Pixels, colour: str, inks: tuple[str, str]) -> str:
    """Fill cells the more the higher their value; names are written into them."""
    shares = _shades(one)
    x, y = pixels.x(one.x), pixels.y(one.y)
    parts = []
    names = iter(one.names)
    for row in range(shares.shape[0]):
        for place in range(shares.shape[1]):
            name = next(names, "")
            share = shares[row, place]
            if not np.isfinite(share):
                continue
            left, right = x[place], x[place + 1]
            top, bottom = sorted((y[row], y[row + 1]))
            parts.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
                f'height="{bottom - top:.1f}" fill="{colour}" '
                f'fill-opacity="{share:.3f}"/>'
            )
            if name and right - left >= _LEAST_TEXT:
                parts.append(
                    f'<text x="{(left + right) / 2:.1f}" '
                    f'y="{(top + bottom) / 2 + 4:.1f}" text-anchor="middle" '
                    f'font-size="10" fill="{_ink_on(colour, share, inks)}">'
                    f"{escape(name)}</text>"
                )
    return "".join(parts)


def _shades(one: Series) -> Floats:
    """Get how opaque each cell is, by its place between the two ends of the shades."""
    cells = one.cells if one.cells is not None else np.empty((0, 0))
    known = cells[np.isfinite(cells)]
    if not known.size:
        return np.full(cells.shape, np.nan)
    axis = one.shades
    low, high = (axis and axis.span) or (float(known.min()), float(known.max()))
    if axis is not None and axis.is_log:
        cells, low, high = np.log(cells), math.log(low), math.log(high)
    return np.asarray(shade_of((cells - low) / ((high - low) or 1.0)))


_Number = TypeVar("_Number", float, Floats)


def shade_of(share: _Number) -> _Number:
    """Get how opaque heat is, from 0 for the least to 1 for the most there is."""
    return _FAINTEST + (1 - _FAINTEST) * share


def _ink_on(colour: str, share: float, inks: tuple[str, str]) -> str:
    """Choose the ink that stands out more on a colour over the ground.

    Args:
        colour: Of the cell, as #rrggbb.
        share: How opaque it is.
        inks: The colour of words, and that of the ground.
    """
    ink, ground = map(_parts, inks)
    # Colours are laid over each other as they are written, not as light adds up.
    cell = _luminance(share * _parts(colour) + (1 - share) * ground)

    def contrast(one: Floats) -> float:
        low, high = sorted((_luminance(one), cell))
        return (high + 0.05) / (low + 0.05)

    return inks[0] if contrast(ink) >= contrast(ground) else inks[1]


def _parts(colour: str) -> Floats:
    """Get red, green and blue of #rrggbb, 0 to 1."""
    return np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])


def _luminance(parts: Floats) -> float:
    """Get the relative luminance of a colour (WCAG 2, without the linear part)."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ parts**2.2)
