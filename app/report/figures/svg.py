"""A figure as SVG, in the colours of a theme: for a report as for the window."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from app.report.chart.plot import ticks
from app.report.figures.figure import Axis, Figure, Floats, Series, Shape
from app.report.figures.marks import PlacedMark, placed_marks
from app.report.figures.svg_shapes import (
    SHAPES,
    Pixels,
    dashed,
    draw_mark,
    draw_names,
    draw_shape,
    shade_of,
)
from app.report.numbers import NumberStyle
from app.report.svg import Colours, label_text, light, line_path, opened, points

SIZE = (1000, 420)
"""Width and height of a figure in a report, in pixels."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 26, 62, 50
_BETWEEN = 16
_LINE = 14
"""Pixels of a line of text."""

_LETTER, _TITLE_LETTER = 6.4, 7.7
"""Pixels of a letter, about."""

_LONGEST = 120
_LONGEST_TICK = 28
_OPACITIES = {
    Shape.STEPS: "0.22",
    Shape.BAND: "0.14",
    Shape.BARS: "0.85",
    Shape.BOX: "0.3",
}
"""Of shapes that are filled, in the legend."""


def figure_svg(
    figure: Figure,
    colours: Colours | None = None,
    *,
    width: int = SIZE[0],
    height: int = SIZE[1],
) -> str:
    """Draw a figure.

    Args:
        figure: What it shows.
        colours: Of the theme; None for those of paper.
        width: In pixels.
        height: In pixels.

    Returns:
        An <svg> element; names are text, whatever stands in them.
    """
    paint = colours or light()
    title = label_text(figure.title, min(_LONGEST, int((width - 24) / _TITLE_LETTER)))
    parts = [
        opened(width, height, title, 12),
        f"<desc>{escape(_line(figure.source))}</desc>"
        f'<rect width="{width}" height="{height}" fill="{paint["surface"]}"/>'
        f'<text x="12" y="20" font-size="14" font-weight="600" '
        f'fill="{paint["text"]}">{escape(title)}</text>',
    ]
    levels = levels_of(figure, width, height)
    for level in levels:
        part, inner, up = level.figure, level.across, level.up
        parts += _grid(part, inner, up, paint, is_lowest=level is levels[-1])
        parts += [_drawn(one, inner, up, paint) for one in part.series]
        pixels = Pixels(inner.at, up.at, inner.ends, up.ends)
        parts.append(draw_names(part.series, pixels, str(paint["text"])))
        parts += _marks(level, paint)
    parts += _legend(figure, paint, width)
    return "".join([*parts, "</svg>"])


@dataclass(frozen=True, slots=True)
class Level:
    """One of the figures that share an axis across, and where it is drawn.

    The names of its marks stand above it, in so many rows; what has no row has no name.
    """

    figure: Figure
    across: "Scale"
    up: "Scale"
    marks: Sequence[PlacedMark] = ()
    rows: int = 0


def levels_of(figure: Figure, width: int, height: int) -> list[Level]:
    """Get a figure, and what is below it, with their scales in pixels."""
    parts = figure.levels
    every = [one.x for part in parts for one in part.series]
    across = Scale(figure.x, every, (_LEFT, width - _RIGHT))
    lowest = height - _bottom(figure.x, width - _LEFT - _RIGHT)
    room = (lowest - _TOP - _BETWEEN * (len(parts) - 1)) // len(parts)
    tops = [_TOP + number * (room + _BETWEEN) for number in range(len(parts))]
    levels = []
    for part, top in zip(parts, tops, strict=True):
        marks = placed_marks(part.marks, across.at, across.ends)
        rows = min(1 + max((one.row for one in marks), default=-1), room // 2 // _LINE)
        values = [one.values for one in part.series]
        up = Scale(part.y, values, (top + room, top + _LINE * rows))
        levels.append(Level(part, across, up, marks, rows))
    return levels


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to pixels, linear or logarithmic."""

    axis: Axis
    values: Sequence[Floats]
    ends: tuple[int, int]

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest value of the axis."""
        if self.axis.span is not None:
            return self.axis.span
        every = np.concatenate([*self.values, np.empty(0)])
        known = every[np.isfinite(every) & (not self.axis.is_log or every > 0)]
        low, high = map(float, (known.min(), known.max()) if known.size else (1, 10))
        is_across = self.ends[0] < self.ends[1]
        if self.axis.is_log:
            # What counts once stands above the ground, on which nothing stands.
            below, above = (0.9, 1.1) if is_across else (0.5, 1.6)
            return low * below, high * above
        if self.axis.from_zero and not is_across:
            return min(0.0, low), max(1e-12, 1.08 * high)
        room = (0.04 if is_across else 0.08) * (high - low) or 0.5
        return low - room, high + room

    def at(self, values: Floats) -> Floats:
        """Get the pixels of values."""
        low, high = self.span
        if self.axis.is_log:
            low, high = math.log10(low), math.log10(high)
            values = np.log10(np.maximum(values, 10**low))
        start, end = self.ends
        found: Floats = start + (values - low) * (end - start) / (high - low)
        return found

    def ticks(self) -> list[float]:
        """Get round values to be written at the axis."""
        low, high = self.span
        if self.axis.ticks:
            return [value for value, _ in self.axis.ticks if low <= value <= high]
        if self.axis.is_log:
            first, last = round(math.log10(low)), round(math.log10(high))
            fine = (1, 2, 5) if last - first <= 2 else (1,)
            every = [f * 10.0**n for n in range(first, last + 1) for f in fine]
            return [one for one in every if low <= one <= high * 1.0001]
        return ticks(low, high, 6, least=1.0 if self.axis.is_whole else 0.0)


def _grid(
    figure: Figure, across: Scale, up: Scale, paint: Colours, *, is_lowest: bool
) -> list[str]:
    left, right = across.ends
    bottom, top = up.ends
    parts, above = [], math.inf
    for tick in up.ticks():
        at = float(up.at(np.array([tick]))[0])
        parts.append(f'<path d="M{left} {at:.1f}H{right}" stroke="{paint["grid"]}"/>')
        if above - at >= _LINE:
            parts.append(
                f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end" '
                f'fill="{paint["muted"]}">{_named(figure.y, tick, figure.style)}</text>'
            )
            above = at
    slanted = _is_slanted(figure.x, right - left)
    free = -math.inf
    for tick in across.ticks():
        at = float(across.at(np.array([tick]))[0])
        parts.append(f'<path d="M{at:.1f} {top}V{bottom}" stroke="{paint["grid"]}"/>')
        name = _named(figure.x, tick, figure.style)
        half = _LETTER if slanted else _LETTER * len(name) / 2 + 4
        if at - half < free or not is_lowest:
            continue
        free = at + half
        place = f'x="{at:.1f}" y="{bottom + 18}" text-anchor="middle"'
        if slanted:
            place = (
                f'x="{at + 4:.1f}" y="{bottom + 14}" text-anchor="end" '
                f'transform="rotate(-28 {at + 4:.1f} {bottom + 14})"'
            )
        parts.append(f'<text {place} fill="{paint["muted"]}">{name}</text>')
    if is_lowest:
        parts.append(
            f'<text x="{(left + right) / 2:.0f}" text-anchor="middle" '
            f'y="{bottom + _title_below(figure.x, right - left)}" '
            f'fill="{paint["text"]}">{escape(_line(figure.x.title))}</text>'
        )
    middle, most = (top + bottom) / 2, max(4, int((bottom - top) / _LETTER))
    return [
        *parts,
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" '
        f'stroke="{paint["edge"]}"/>',
        f'<text x="16" y="{middle:.0f}" text-anchor="middle" fill="{paint["text"]}" '
        f'transform="rotate(-90 16 {middle:.0f})">'
        f"{escape(label_text(figure.y.title, most))}</text>",
    ]


def _named(axis: Axis, tick: float, style: NumberStyle) -> str:
    name = dict(axis.ticks).get(tick)
    return (
        style.write(_number(tick))
        if name is None
        else escape(_line(name)[:_LONGEST_TICK])
    )


def _is_slanted(axis: Axis, width: int) -> bool:
    """Tell whether the names at an axis have too little room beside each other."""
    if axis.span is None or not axis.ticks:
        return False
    longest = max(len(name) for _, name in axis.ticks)
    return min(longest, _LONGEST_TICK) * _LETTER > width / len(axis.ticks)


def _title_below(axis: Axis, width: int) -> int:
    """Get how far below an axis its title is."""
    if not _is_slanted(axis, width):
        return _BOTTOM - 12
    longest = max(len(name) for _, name in axis.ticks)
    return 34 + round(min(longest, _LONGEST_TICK) * _LETTER * 0.47)


def _bottom(axis: Axis, width: int) -> int:
    return _title_below(axis, width) + 12


def colour_of(index: int, paint: Colours) -> str:
    """Get the colour of a series."""
    every = (*paint["traces"], *paint.get("lanes", ()))
    return str(every[index % len(every)])


def _drawn(one: Series, across: Scale, up: Scale, paint: Colours) -> str:
    colour = colour_of(one.colour, paint)
    if one.shape in SHAPES:
        pixels = Pixels(across.at, up.at, across.ends, up.ends)
        inks = str(paint["text"]), str(paint["surface"])
        return draw_shape(one, pixels, colour, inks)
    x, y = outline_of(one, up.span[0])
    x, y = across.at(x), up.at(y)
    if one.shape is Shape.STEPS:
        return (
            f'<path d="M{points(x, y)}Z" fill="{colour}" fill-opacity="0.22" '
            f'stroke="{colour}" stroke-width="1.2"/>'
        )
    if one.top is not None:
        return f'<path d="M{points(x, y)}Z" fill="{colour}" fill-opacity="0.14"/>'
    dashes = (
        ' stroke-dasharray="7 4"' if one.shape is Shape.DASHES else dashed(one.group)
    )
    return (
        f'<path d="{line_path(x, y)}" fill="none" stroke="{colour}" '
        f'stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"{dashes}/>'
    )


def outline_of(one: Series, ground: float) -> tuple[Floats, Floats]:
    """Get the points of a line, or those around what is filled.

    Args:
        one: The series.
        ground: What steps stand on.
    """
    if one.shape is Shape.STEPS:
        return np.repeat(one.x, 2), np.r_[ground, np.repeat(one.y, 2), ground]
    if one.top is not None:
        return np.r_[one.x, one.x[::-1]], np.r_[one.y, one.top[::-1]]
    return one.x, one.y


def _marks(level: Level, paint: Colours) -> list[str]:
    bottom, top = level.up.ends
    highest = top - _LINE * level.rows
    parts = []
    for one in level.marks:
        if one.mark.low is not None and one.mark.high is not None:
            ends = np.array([one.mark.low, one.mark.high])
            left, right = level.across.at(ends).tolist()
            parts.append(
                f'<rect x="{left:.1f}" y="{top}" width="{max(right - left, 1):.1f}" '
                f'height="{bottom - top}" fill="{paint["accent"]}" '
                'fill-opacity="0.12"/>'
            )
        begin = highest + _LINE * min(one.below, level.rows)
        parts.append(
            f'<path d="M{one.at:.1f} {begin}V{bottom}" '
            f'stroke="{paint["muted"]}" stroke-dasharray="2 3"/>'
        )
        if one.row < level.rows:
            parts.append(
                f'<text x="{one.at + (-4 if one.is_left else 4):.1f}" '
                f'y="{highest + _LINE * one.row + 10}" '
                f'text-anchor="{"end" if one.is_left else "start"}" '
                f'fill="{paint["muted"]}">{escape(one.name)}</text>'
            )
    return parts


def _legend(figure: Figure, paint: Colours, width: int) -> list[str]:
    at, parts = 12.0, []
    for number, one in enumerate(figure.series):
        name = _line(_legend_text(one))
        if not name:
            continue
        room = 24 + _LETTER * len(name) + 18
        if at + room > width - 90 and number:
            more = f"and {len(figure.series) - number} more"
            parts.append(
                f'<text x="{at:.0f}" y="44" fill="{paint["muted"]}">{more}</text>'
            )
            break
        colour = colour_of(one.colour, paint)
        parts.append(
            f"{_sample(one, at, str(colour))}"
            f'<text x="{at + 24:.0f}" y="44" fill="{paint["text"]}">'
            f"{escape(name)}</text>"
        )
        at += room
    return parts


def _legend_text(one: Series) -> str:
    """Say what a series is called, or what its faintest and strongest shade mean."""
    if one.shades is None or one.shades.span is None:
        return one.name
    low, high = (f"{value:.3g}" for value in one.shades.span)
    return f"{one.shades.title}: {low} (faint) to {high} (strong)"


def _sample(one: Series, at: float, colour: str) -> str:
    """Draw what stands before a name of the legend."""
    shape = one.shape
    if shape is Shape.HEAT:
        return "".join(
            f'<rect x="{at + 3 * step:.0f}" y="34" width="3" height="11" '
            f'fill="{colour}" fill-opacity="{shade_of(step / 5):.2f}"/>'
            for step in range(6)
        )
    if shape is Shape.POINTS:
        return draw_mark(at + 9, 40, colour, one.group)
    opacity = _OPACITIES.get(shape)
    if opacity is not None:
        return (
            f'<rect x="{at:.0f}" y="34" width="18" height="11" fill="{colour}" '
            f'fill-opacity="{opacity}" stroke="{colour}" stroke-opacity="0.5"/>'
        )
    dashes = ' stroke-dasharray="6 3"' if shape is Shape.DASHES else dashed(one.group)
    line = f'<path d="M{at:.0f} 40h18" stroke="{colour}" stroke-width="2"{dashes}/>'
    is_marked = shape is Shape.MARKED
    return line + (draw_mark(at + 9, 40, colour, one.group) if is_marked else "")


def _number(value: float) -> str:
    if value and (abs(value) >= 1e6 or abs(value) < 1e-3):
        return f"{value:.3g}"
    return f"{value:.10g}"


def _line(name: str) -> str:
    return label_text(name, _LONGEST)
