"""The charts of a report: stacked on one time axis, drawn by matplotlib."""

import io
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.record.store import Session, StepRow
from app.report.chart.lines import load_line
from app.report.chart.panel import Panel
from app.report.chart.panels import session_rows
from app.report.provenance import simulated_sources
from instruments.reading import SECOND

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 1500

MOST_LINES = 64
"""Lines of a chart; what is beyond them is in the table."""

MOST_NAMED = 200
"""Steps that are named above the charts; more would stand on one another."""

LONGEST_NAME = 200
COLOURS = ("#0072B2", "#D55E00", "#007a5e", "#a8487f")
_MUTED = "#5b6672"

DRAWN = ("Throughput", "IOPS", "Active power", "Temperature", "Noise")
"""Titles of the panels that a report has."""


def panels(session: Session) -> list[Panel]:
    """Choose the charts of a session among those that the window shows of it."""
    rows = session_rows(session)
    return [panel for row in rows for panel in row.panels if panel.title in DRAWN]


def draw_session(session: Session, form: str, *, title: str = "") -> bytes:
    """Draw a session's charts."""
    # Here, because it takes half a second that no other command should pay.
    from matplotlib import rc_context  # noqa: PLC0415
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    stack = panels(session)
    start, end = session.extent()
    height = 1.1 + 1.9 * max(1, len(stack))
    # A name is text, and no formula that may have a mistake; letters that the font has
    # not are boxes.
    with rc_context({"text.parse_math": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        figure = Figure(figsize=(10, height), layout="constrained")
        FigureCanvasAgg(figure)
        simulated = bool(simulated_sources(session))
        heading = f"{title or session.info.name}{' (simulated)' if simulated else ''}"
        figure.suptitle(_plain(heading), fontsize=11, x=0.01, ha="left")
        rows = figure.subplots(max(1, len(stack)), 1, sharex=True, squeeze=False)
        for number, panel in enumerate(stack):
            axes = rows[number][0]
            _draw_panel(axes, session, panel, start)
            _draw_steps(axes, session.steps(), start, label=number == 0)
        rows[-1][0].set_xlabel("Time since start (s)", fontsize=9)
        rows[-1][0].set_xlim(0, max(1.0, (end - start) / SECOND))
        out = io.BytesIO()
        metadata = {"Date": None} if form == "svg" else None
        figure.savefig(out, format=form, dpi=120, metadata=metadata)
    return out.getvalue()


def _draw_panel(axes: "Axes", session: Session, panel: Panel, start: int) -> None:
    for number, curve in enumerate(panel.curves[:MOST_LINES]):
        line = load_line(session, curve, None, POINTS, start)
        colour = COLOURS[number % len(COLOURS)]
        style = "-" if number < len(COLOURS) else "--"
        name = _plain(curve.label)
        axes.plot(line.x, line.mean, style, color=colour, linewidth=1.0, label=name)
        alone = line.alone()
        axes.plot(line.x[alone], line.mean[alone], "o", color=colour, markersize=2.5)
        if curve.is_band or not line.exact:
            axes.fill_between(
                line.x, line.low, line.high, color=colour, alpha=0.2, linewidth=0
            )
    is_named = panel.unit in ("", panel.title)
    label = panel.title if is_named else f"{panel.title} ({panel.unit})"
    axes.set_ylabel(label, fontsize=9)
    if panel.from_zero:
        axes.set_ylim(bottom=0)
    axes.tick_params(labelsize=8)
    axes.grid(visible=True, color="#dde3e8", linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        fontsize=8,
        frameon=False,
        handlelength=1.2,
    )


def _plain(name: str) -> str:
    """Make a label of a name: one line, and never one that matplotlib leaves out."""
    shown = "".join(c if c.isprintable() else " " for c in name[:LONGEST_NAME])
    return f" {shown}" if shown.startswith("_") else shown or " "


def _draw_steps(
    axes: "Axes", steps: Sequence[StepRow], start: int, *, label: bool
) -> None:
    """Shade the measured windows, as the window of the program does; name the steps."""
    ended = [one for one in steps if None not in (one.start_ns, one.end_ns)]
    spans = [
        ((first - start) / SECOND, (last - first) / SECOND)
        for step in ended
        if (first := step.window_start_ns) is not None
        and (last := step.window_end_ns) is not None
    ]
    whole = axes.get_xaxis_transform()
    axes.broken_barh(spans, (0, 1), color="#0b3d66", alpha=0.05, lw=0, transform=whole)
    if not label or len(ended) > MOST_NAMED:
        return
    for step in ended:
        middle = ((step.start_ns or 0) + (step.end_ns or 0) - 2 * start) / 2 / SECOND
        axes.annotate(
            _plain(step.label),
            (middle, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=7,
            color=_MUTED,
        )
