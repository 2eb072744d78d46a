"""A figure as SVG, in the colours of a theme: for a report as for the window."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

import numpy as np

from app.report.figures.figure import Axis, Figure, Floats, Series, Shape
from instruments.errors import printable
from resources import read_text

SIZE = (1000, 420)
"""Width and height of a figure in a report, in pixels."""

FAMILIES = "Inter, DejaVu Sans, sans-serif"

_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 18, 62, 50
_LETTER = 6.4
"""Pixels of a letter, about."""

_LONGEST = 120
_FEW = 300.0
"""A logarithmic axis up to this ratio has ticks between its decades."""

Colours = Mapping[str, str | Sequence[str]]
"""Those of a theme by their names in resources/colours."""


@cache
def light() -> Colours:
    """Get the colours of paper."""
    found: Colours = tomllib.loads(read_text("colours", "light.toml"))
    return found


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
    inner = _Scale(figure.x, [s.x for s in figure.series], (_LEFT, width - _RIGHT))
    up = _Scale(figure.y, [s.values for s in figure.series], (height - _BOTTOM, _TOP))
    title = escape(_line(figure.title))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{title}" '
        f'font-family="{FAMILIES}" font-size="12">'
        f'<rect width="{width}" height="{height}" fill="{paint["surface"]}"/>'
        f'<text x="12" y="20" font-size="14" font-weight="600" '
        f'fill="{paint["text"]}">{title}</text>'
    ]
    parts += _grid(figure, inner, up, paint)
    parts += [_drawn(one, inner, up, paint) for one in figure.series]
    parts += _marks(figure, inner, up, paint)
    parts += _legend(figure, paint, width)
    return "".join([*parts, "</svg>"])


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to pixels, linear or logarithmic."""

    axis: Axis
    values: Sequence[Floats]
    ends: tuple[int, int]

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest value of the axis."""
        every = np.concatenate([*self.values, np.empty(0)])
        known = every[np.isfinite(every) & (not self.axis.is_log or every > 0)]
        low, high = (known.min(), known.max()) if known.size else (1.0, 10.0)
        is_across = self.ends[0] < self.ends[1]
        if self.axis.is_log:
            # What counts once stands above the ground, on which nothing stands.
            ground = 0.9 if is_across else 0.5
            return float(low * ground), float(high * (1.1 if is_across else 1.6))
        room = 0.04 * (high - low) or 0.5 if is_across else 0.0
        if not is_across:
            low, high = min(0.0, low), max(1e-12, 1.08 * high)
        return float(low - room), float(high + room)

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
        if self.axis.is_log:
            first, last = round(math.log10(low)), round(math.log10(high))
            fine = (1, 2, 5) if last - first <= 2 else (1,)
            every = [f * 10.0**n for n in range(first, last + 1) for f in fine]
            return [one for one in every if low <= one <= high * 1.0001]
        step = _round_step((high - low) / 6)
        if self.axis.is_whole:
            step = max(1.0, step)
        places = np.arange(math.ceil(low / step), math.floor(high / step) + 1)
        return [float(place * step) for place in places]


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least)) if least > 0 else 1.0
    return next(power * n for n in (1, 2, 5, 10) if power * n >= least * 0.999)


def _grid(figure: Figure, across: _Scale, up: _Scale, paint: Colours) -> list[str]:
    left, right = across.ends
    bottom, top = up.ends
    parts = []
    for tick in up.ticks():
        at = float(up.at(np.array([tick]))[0])
        parts.append(
            f'<path d="M{left} {at:.1f}H{right}" stroke="{paint["grid"]}"/>'
            f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end" '
            f'fill="{paint["muted"]}">{_number(tick)}</text>'
        )
    for tick in across.ticks():
        at = float(across.at(np.array([tick]))[0])
        parts.append(
            f'<path d="M{at:.1f} {top}V{bottom}" stroke="{paint["grid"]}"/>'
            f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle" '
            f'fill="{paint["muted"]}">{_number(tick)}</text>'
        )
    middle = (top + bottom) / 2
    return [
        *parts,
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" '
        f'stroke="{paint["edge"]}"/>',
        f'<text x="{(left + right) / 2:.0f}" y="{bottom + 38}" text-anchor="middle" '
        f'fill="{paint["text"]}">{escape(_line(figure.x.title))}</text>',
        f'<text x="16" y="{middle:.0f}" text-anchor="middle" fill="{paint["text"]}" '
        f'transform="rotate(-90 16 {middle:.0f})">'
        f"{escape(_line(figure.y.title))}</text>",
    ]


def _drawn(one: Series, across: _Scale, up: _Scale, paint: Colours) -> str:
    colour = paint["traces"][one.colour % len(paint["traces"])]
    if one.shape is Shape.STEPS:
        x = np.repeat(across.at(one.x), 2)
        ground = np.full(1, up.ends[0])
        y = np.r_[ground, np.repeat(up.at(one.y), 2), ground]
        return (
            f'<path d="M{_points(x, y)}Z" fill="{colour}" fill-opacity="0.22" '
            f'stroke="{colour}" stroke-width="1.2"/>'
        )
    x, y = across.at(one.x), up.at(one.y)
    if one.top is not None:
        every = np.r_[x, x[::-1]], np.r_[y, up.at(one.top)[::-1]]
        return f'<path d="M{_points(*every)}Z" fill="{colour}" fill-opacity="0.14"/>'
    known = np.isfinite(y)
    if one.shape is Shape.POINTS:
        pairs = zip(x[known].tolist(), y[known].tolist(), strict=True)
        return "".join(
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"/>'
            for a, b in pairs
        )
    runs = np.split(np.arange(x.size), np.flatnonzero(~known))
    kept = [run[known[run]] for run in runs]
    path = "".join(f"M{_points(x[run], y[run])}" for run in kept if run.size)
    dashes = ' stroke-dasharray="7 4"' if one.shape is Shape.DASHES else ""
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5" '
        f'stroke-linejoin="round"{dashes}/>'
    )


def _marks(figure: Figure, across: _Scale, up: _Scale, paint: Colours) -> list[str]:
    bottom, top = up.ends
    parts, free = [], [-math.inf] * 3
    for mark in sorted(figure.marks, key=lambda one: one.x):
        at = float(across.at(np.array([mark.x]))[0])
        name = _line(mark.name)
        room = _LETTER * len(name) + 8
        is_left = at + room > across.ends[1]
        begin = at - room if is_left else at
        row = next((n for n, used in enumerate(free) if begin > used), None)
        parts.append(
            f'<path d="M{at:.1f} {top}V{bottom}" stroke="{paint["muted"]}" '
            'stroke-dasharray="2 3"/>'
        )
        if row is not None:
            side = -4 if is_left else 4
            parts.append(
                f'<text x="{at + side:.1f}" y="{top + 12 + 14 * row}" '
                f'text-anchor="{"end" if is_left else "start"}" '
                f'fill="{paint["muted"]}">{escape(name)}</text>'
            )
            free[row] = at + (0 if is_left else room)
    return parts


def _legend(figure: Figure, paint: Colours, width: int) -> list[str]:
    at, parts = 12.0, []
    for number, one in enumerate(figure.series):
        name = _line(one.name)
        room = 24 + _LETTER * len(name) + 18
        if at + room > width - 90 and number:
            more = f"and {len(figure.series) - number} more"
            parts.append(
                f'<text x="{at:.0f}" y="44" fill="{paint["muted"]}">{more}</text>'
            )
            break
        colour = paint["traces"][one.colour % len(paint["traces"])]
        parts.append(
            f"{_sample(one.shape, at, str(colour))}"
            f'<text x="{at + 24:.0f}" y="44" fill="{paint["text"]}">'
            f"{escape(name)}</text>"
        )
        at += room
    return parts


def _sample(shape: Shape, at: float, colour: str) -> str:
    """Draw what stands before a name of the legend."""
    if shape is Shape.POINTS:
        return f'<circle cx="{at + 9:.0f}" cy="40" r="4" fill="{colour}"/>'
    if shape in (Shape.BAND, Shape.STEPS):
        opacity = "0.22" if shape is Shape.STEPS else "0.14"
        return (
            f'<rect x="{at:.0f}" y="34" width="18" height="11" fill="{colour}" '
            f'fill-opacity="{opacity}" stroke="{colour}" stroke-opacity="0.5"/>'
        )
    dashes = ' stroke-dasharray="6 3"' if shape is Shape.DASHES else ""
    return f'<path d="M{at:.0f} 40h18" stroke="{colour}" stroke-width="2"{dashes}/>'


def _points(x: Floats, y: Floats) -> str:
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return "L".join(f"{a:.1f} {b:.1f}" for a, b in pairs)


def _number(value: float) -> str:
    if value and (abs(value) >= 1e6 or abs(value) < 1e-3):
        return f"{value:.3g}"
    return f"{value:.10g}"


def _line(name: str) -> str:
    """Make a label of a name: one line, not too long."""
    line = " ".join(printable(name).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
