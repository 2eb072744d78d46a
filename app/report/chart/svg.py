"""Charts of a report as SVG, which HTML and PDF hold and pictures are made from."""

from collections.abc import Callable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from app.report.chart.plot import (
    Plot,
    PlotCurve,
    Span,
    clock,
    range_of,
    ticks,
    time_ticks,
)
from app.report.numbers import PLAIN, NumberStyle
from app.report.svg import band_path, label_text, light, line_path, opened, traces

WIDTH, HEIGHT, STRIP = 1000, 210, 22
"""Of a chart in pixels; the first one has a strip with the steps above it."""

LEFT, RIGHT, TOP, BOTTOM = 62, 12, 30, 24
"""Around the plot."""

_RIGHT_AXIS = 58


def right_of(plot: Plot) -> int:
    """Get how much room is at the right of the plot."""
    return _RIGHT_AXIS if plot.has_right_room else RIGHT


_LETTER = 6.2
"""Pixels of a letter, about."""

_Floats = NDArray[np.float64]


def chart_svg(
    plot: Plot,
    *,
    name: str = "chart",
    strip: bool = False,
    style: NumberStyle = PLAIN,
    say: Callable[[str], str] = str,
) -> str:
    """Draw a chart.

    Args:
        plot: What it shows.
        name: Of its own parts; no other chart of a page has it.
        strip: Whether the steps are named above it.
        style: How numbers are written.
        say: Says a word of its head in the language of a report.

    Returns:
        An <svg> element, WIDTH wide; labels are text, whatever stands in them.
    """
    above = STRIP if strip else 0
    height = HEIGHT + above
    top, bottom = TOP + above, height - BOTTOM
    x = _Axis(plot.span, LEFT, WIDTH - right_of(plot))
    ups = [_Axis(range_of(plot, n), bottom, top) for n in range(len(plot.sides))]
    parts = [opened(WIDTH, height, plot.heading, 11)]
    parts += _steps(plot, x) if strip else []
    parts += _head(plot, above, say)
    parts += _ground(plot, x, top, bottom)
    parts += _grid(plot, x, ups, style)
    parts.append(
        f'<clipPath id="{name}-clip"><rect x="{LEFT}" y="{top}" '
        f'width="{x.width:.0f}" height="{bottom - top}"/></clipPath>'
        f'<g class="curves" clip-path="url(#{name}-clip)">'
    )
    parts += [_curve(c, n, x, ups[c.side]) for n, c in enumerate(plot.curves)]
    parts.append("</g></svg>")
    return "".join(parts)


_TITLE = 28
"""Pixels of the title above charts that are one picture."""


def stacked_height(plots: Sequence[Plot]) -> int:
    """Get how high charts are as one picture."""
    return _TITLE + STRIP + HEIGHT * max(1, len(plots))


def stacked_svg(plots: Sequence[Plot], title: str) -> str:
    """Draw charts below each other as one picture; see `stacked_height`."""
    at, inner = _TITLE, []
    for number, plot in enumerate(plots):
        one = chart_svg(plot, name=f"chart{number}", strip=number == 0)
        inner.append(one.replace("<svg ", f'<svg y="{at}" ', 1))
        at += HEIGHT + (STRIP if number == 0 else 0)
    shown = label_text(title)
    return (
        f"{opened(WIDTH, stacked_height(plots), shown, 11)}"
        f'<rect width="100%" height="100%" fill="#ffffff"/>'
        f'<text x="4" y="18" font-size="14" font-weight="600" '
        f'fill="{light()["text"]}">{escape(shown)}</text>{"".join(inner)}</svg>\n'
    )


class _Axis:
    """From values to pixels."""

    def __init__(self, span: Span, start: float, end: float) -> None:
        self.span = span
        self._start = start
        self.width = end - start
        self._scale = self.width / (span[1] - span[0])

    def at(self, values: _Floats) -> _Floats:
        return self._start + (values - self.span[0]) * self._scale

    def one(self, value: float) -> float:
        return self._start + (value - self.span[0]) * self._scale


def _steps(plot: Plot, x: _Axis) -> list[str]:
    """Name the steps in boxes, as far as a name has room."""
    edge, text = light()["border"], light()["muted"]
    parts = ['<g class="steps">']
    for label, start, end in plot.steps:
        left, right = x.one(start), x.one(end)
        room = int((right - left - 8) / _LETTER)
        shown = label_text(label)
        if len(shown) > room:
            shown = f"{shown[: room - 1]}\u2026" if room > 3 else ""
        width = max(1.0, right - left - 2)
        parts.append(
            f'<rect x="{left + 1:.1f}" y="2" width="{width:.1f}" height="16" rx="3" '
            f'fill="#f0f3f6" stroke="{edge}"><title>{escape(label_text(label))}</title>'
            f'</rect><text x="{left + 5:.1f}" y="14" font-size="10" fill="{text}">'
            f"{escape(shown)}</text>"
        )
    return [*parts, "</g>"]


def _head(plot: Plot, above: int, say: Callable[[str], str]) -> list[str]:
    base = above + 19
    parts = [
        f'<text x="4" y="{base}" font-size="13" font-weight="600" '
        f'fill="{light()["text"]}">{escape(plot.heading)}</text>'
    ]
    at = 4 + 8.0 * len(plot.heading) + 22
    for number, curve in enumerate(plot.curves):
        label = label_text(curve.label) + f" ({say('right')})" * curve.side
        width = 18 + _LETTER * len(label) + 16
        if at + width > WIDTH - 90:
            more = say(f"and {len(plot.curves) - number} more")
            parts.append(f'<text x="{at:.0f}" y="{base}" fill="#55616e">{more}</text>')
            break
        colour = traces()[number % len(traces())]
        parts.append(
            f'<rect x="{at:.0f}" y="{base - 9}" width="10" height="10" '
            f'fill="{colour}"/><text x="{at + 15:.0f}" y="{base}" '
            f'fill="{light()["text"]}">{escape(label)}</text>'
        )
        at += width
    if plot.is_simulated:
        parts.append(
            f'<text x="{WIDTH - RIGHT}" y="{base}" text-anchor="end" '
            f'fill="{light()["warn"]}">{say("simulated")}</text>'
        )
    return parts


def _ground(plot: Plot, x: _Axis, top: float, bottom: float) -> list[str]:
    height = bottom - top
    parts = ['<g class="windows">']
    for spans, colour, opacity in (
        (plot.windows, light()["accent"], 0.06),
        (plot.gaps, light()["warn"], 0.18),
    ):
        for start, end in spans:
            left, right = x.one(start), x.one(end)
            parts.append(
                f'<rect x="{left:.1f}" y="{top}" width="{max(0.7, right - left):.1f}" '
                f'height="{height}" fill="{colour}" fill-opacity="{opacity}"/>'
            )
    return [*parts, "</g>"]


def _grid(plot: Plot, x: _Axis, ups: list[_Axis], style: NumberStyle) -> list[str]:
    grid, text, edge = (light()[key] for key in ("grid", "muted", "edge"))
    right, y = WIDTH - right_of(plot), ups[0]
    top, bottom = y.one(y.span[1]), y.one(y.span[0])
    parts = ['<g class="axes">']
    for at, shown in _levels(y, style):
        parts.append(
            f'<path d="M{LEFT} {at:.1f}H{right}" stroke="{grid}"/>'
            f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end" fill="{text}">'
            f"{shown}</text>"
        )
    for at, shown in (one for up in ups[1:] for one in _levels(up, style)):
        parts.append(
            f'<path d="M{right} {at:.1f}h4" stroke="{edge}"/>'
            f'<text x="{right + 7}" y="{at + 4:.1f}" fill="{text}">{shown}</text>'
        )
    for moment in time_ticks(plot.span, 9):
        at = x.one(moment)
        parts.append(
            f'<path d="M{at:.1f} {top}V{bottom}" stroke="{grid}"/>'
            f'<text x="{at:.1f}" y="{bottom + 15}" text-anchor="middle" '
            f'fill="{text}">{clock(moment)}</text>'
        )
    return [
        *parts,
        f'<path d="M{LEFT} {top}V{bottom}H{right}{f"V{top}" * (len(ups) > 1)}" '
        f'fill="none" stroke="{edge}"/></g>',
    ]


def _levels(y: _Axis, style: NumberStyle) -> list[tuple[float, str]]:
    """Get where the ticks of an axis up are, and what is written at them."""
    levels = ticks(*y.span, 4)
    step = levels[1] - levels[0] if len(levels) > 1 else 1.0
    places = max(0, int(np.ceil(-np.log10(step) - 1e-9))) if step > 0 else 0
    return [(y.one(one), style.write(f"{one + 0.0:.{places}f}")) for one in levels]


def _curve(curve: PlotCurve, number: int, x: _Axis, y: _Axis) -> str:
    line, colour = curve.line, traces()[number % len(traces())]
    dashes = "" if number < len(traces()) else ' stroke-dasharray="5 3"'
    across = x.at(line.x)
    parts = []
    if curve.is_band:
        bands = band_path(across, y.at(line.low), y.at(line.high))
        parts.append(f'<path d="{bands}" fill="{colour}" fill-opacity="0.25"/>')
    drawn = line_path(across, y.at(line.mean))
    parts.append(
        f'<path d="{drawn}" fill="none" stroke="{colour}" stroke-width="1.1" '
        f'stroke-linecap="round" stroke-linejoin="round"{dashes}/>'
    )
    return "".join(parts)
