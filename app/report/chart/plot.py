"""What a chart of a report draws: curves, measured windows, steps and gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.record.store import Session
from app.report.chart.gaps import charted_gaps
from app.report.chart.layout_file import PREFIX, saved_layout
from app.report.chart.line import Floats, Line
from app.report.chart.lines import load_line
from app.report.chart.panel import Panel
from app.report.chart.panels import session_rows
from instruments.reading import SECOND

DRAWN = (
    "Throughput",
    "IOPS",
    "Mean latency",
    "Active power",
    "Temperature",
    "Fans",
    "Noise",
)
"""Titles of the panels that a report has where its template names none."""

MOST_CURVES = 64
"""Curves of a chart; what is beyond them is in the tables."""

_FEW, _LEAST = 8, 160
"""Curves that are drawn with all points, and the points of each of very many."""

# More would not be told apart at the width of a page.
_MOST_GAPS = 200
# In seconds: a session of one moment has no length that an axis could have.
_LEAST_SPAN = 1.0

Span = tuple[float, float]
"""From and to, in seconds since the start of the session."""


@dataclass(frozen=True, slots=True)
class PlotCurve:
    """One curve of a chart.

    Attributes:
        label: What the legend calls it.
        line: Its points; NaN breaks it.
        is_band: Whether its lowest and highest values are drawn as well.
        side: 0 where the axis at the left is its own, 1 for that at the right.
    """

    label: str
    line: Line
    is_band: bool
    side: int = 0


@dataclass(frozen=True, slots=True)
class Plot:
    """One chart over time.

    Attributes:
        title: What it shows.
        unit: Of its axis, "" for a ratio.
        curves: At least one.
        span: All of the session.
        windows: The measured windows of the steps.
        steps: The steps by their labels.
        gaps: Where a value of it is missing.
        is_simulated: Whether any of its values comes from a simulator.
        from_zero: Whether its axis begins at zero.
        right_unit: Of the axis at the right; None without one.
        has_right_room: Whether there is room for one, in this chart or those beside it.
    """

    title: str
    unit: str
    curves: tuple[PlotCurve, ...]
    span: Span
    windows: tuple[Span, ...] = ()
    steps: tuple[tuple[str, float, float], ...] = ()
    gaps: tuple[Span, ...] = ()
    is_simulated: bool = False
    from_zero: bool = False
    right_unit: str | None = None
    has_right_room: bool = False

    @property
    def sides(self) -> tuple[tuple[str, bool], ...]:
        """Unit of each axis, and whether that begins at zero."""
        left = (self.unit, self.from_zero)
        return (left,) if self.right_unit is None else (left, (self.right_unit, False))

    @property
    def heading(self) -> str:
        """Its title with the unit of its axis."""
        named = self.unit in ("", self.title) and self.right_unit is None
        units = self.unit or "no unit"
        if self.right_unit is not None:
            units += f", right: {self.right_unit or 'no unit'}"
        return self.title if named else f"{self.title} ({units})"


def panels_of(session: Session, titles: Sequence[str] = ()) -> list[Panel]:
    """Choose the charts of a report among those that the window shows of a session.

    Args:
        session: The session.
        titles: Of the panels, "all" for every one; none for the usual ones.
            "layout:" and the name of a saved layout stands for its charts.

    Raises:
        BadInput: There is no such layout.
    """
    wanted = titles or DRAWN
    every = [panel for row in session_rows(session) for panel in row.panels]
    found = [one for one in every if "all" in wanted or one.title in wanted]
    for title in wanted:
        if title.startswith(PREFIX):
            rows = saved_layout(session, title.removeprefix(PREFIX)).rows
            found += [row.panels[0] for row in rows]
    return found


def plots_of(session: Session, points: int, titles: Sequence[str] = ()) -> list[Plot]:
    """Get the charts of a session, as the window draws them.

    Args:
        session: The session.
        points: About how many points a curve has.
        titles: See `panels_of`.
    """
    start, (_, end) = session.begin_ns, session.extent()
    panels = panels_of(session, titles)
    ended = [s for s in session.steps() if None not in (s.start_ns, s.end_ns)]

    def since(moment: int | None) -> float:
        return ((moment or 0) - start) / SECOND

    steps = tuple((s.label, since(s.start_ns), since(s.end_ns)) for s in ended)
    windows = tuple(
        (since(s.window_start_ns), since(s.window_end_ns))
        for s in ended
        if s.window_start_ns is not None and s.window_end_ns is not None
    )
    gaps: dict[str, list[Span]] = {}
    for gap in charted_gaps(session):
        own = gaps.setdefault(gap.channel_name, [])
        own.append((since(gap.start_ns), since(gap.end_ns)))
    plots = [
        Plot(
            panel.title,
            panel.unit,
            _plot_curves(session, panel, points),
            (0.0, max(_LEAST_SPAN, (end - start) / SECOND)),
            windows,
            steps,
            tuple(_gaps_of(panel, gaps)),
            panel.simulated,
            panel.from_zero,
            panel.right_unit,
            any(one.right_unit is not None for one in panels),
        )
        for panel in panels
    ]
    return [plot for plot in plots if plot.curves]


def _gaps_of(panel: Panel, gaps: Mapping[str, Sequence[Span]]) -> list[Span]:
    """Get where no curve of a panel has anything."""
    curves = (curve for curve in panel.curves if not curve.is_band)
    return _common([gaps.get(curve.parts[0].name, []) for curve in curves])[:_MOST_GAPS]


def _plot_curves(session: Session, panel: Panel, points: int) -> tuple[PlotCurve, ...]:
    """Get the curves of a panel that have a point."""
    shown = panel.curves[:MOST_CURVES]
    are_few = len(shown) <= _FEW
    # Of many curves none can be told from the others as finely as a few can.
    count = points if are_few else max(_LEAST, points * _FEW // len(shown))
    start = session.begin_ns
    return tuple(
        PlotCurve(
            f"{curve.label} {line.remark}".strip(),
            line,
            curve.is_band or (not line.exact and line.has_extremes and are_few),
            int(curve.scale.unit != panel.unit),
        )
        for curve in shown
        if len((line := load_line(session, curve, None, count, start)).x)
    )


def _common(spans: Sequence[Sequence[Span]]) -> list[Span]:
    """Get where all of some lists of spans have one."""
    if not spans:
        return []
    both = _merged(spans[0])
    for other in spans[1:]:
        ours, theirs = both, _merged(other)
        pairs = ((max(a[0], b[0]), min(a[1], b[1])) for a in ours for b in theirs)
        both = sorted(pair for pair in pairs if pair[0] < pair[1])[:_MOST_GAPS]
    return both


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Put those together that overlap: shades on one another would be a wall."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def range_of(plot: Plot, side: int = 0) -> Span:
    """Get lowest and highest of what is drawn on an axis, with a little room."""
    from_zero = plot.sides[side][1]
    ends = [
        end
        for curve in plot.curves
        if curve.side == side
        for values in (
            (curve.line.low, curve.line.high) if curve.is_band else (curve.line.mean,)
        )
        for end in _ends(values)
    ]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    if from_zero:
        low = min(0.0, low)
    room = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return (low if from_zero and low == 0.0 else low - room), high + room


def _ends(values: Floats) -> list[float]:
    finite = values[np.isfinite(values)]
    return [float(finite.min()), float(finite.max())] if finite.size else []


def ticks(low: float, high: float, count: int, least: float = 0.0) -> list[float]:
    """Get about this many round numbers in a range, `least` apart at the least."""
    step = max(least, _round_step((high - low) / max(1, count)))
    first = np.ceil(low / step)
    last = np.floor(high / step)
    # The first may be -0.0, which is no number to be read at an axis.
    return [float(n * step) + 0.0 for n in np.arange(first, last + 1)]


def _round_step(least: float) -> float:
    power = 10.0 ** np.floor(np.log10(least)) if least > 0 else 1.0
    return float(next(power * n for n in (1, 2, 5, 10) if power * n >= least * 0.999))


_CLOCK = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400),
    *(21600, 43200, 86400),
)
"""Seconds between ticks of time."""


def time_ticks(span: Span, count: int) -> list[float]:
    """Get about this many round times in a span."""
    least = (span[1] - span[0]) / max(1, count)
    step = next((one for one in _CLOCK if one >= least), None)
    if step is None:
        step = 86400 * int(np.ceil(least / 86400))
    return [float(t) for t in np.arange(np.ceil(span[0] / step) * step, span[1], step)]


def clock(seconds: float) -> str:
    """Write a time since the start, such as "1:05" or "2:00:00"."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
