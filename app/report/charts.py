"""The charts of a report: stacked on one time axis, drawn by matplotlib."""

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.record.store import Session, StepRow, Trace
from app.report.not_live import simulated_sources
from instruments.reading import SECOND, Channel

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
_FINE_LOG = "fio_log"


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart of the stack: its axis and the channels on it.

    `scale` divides stored SI values, such as 1e6 for MB/s.
    """

    label: str
    channels: tuple[Channel, ...]
    names: tuple[str, ...]
    scale: float = 1.0


def panels(session: Session) -> list[Panel]:
    """Choose the charts of a session: performance, power, temperature, noise."""
    channels = session.channels()

    def pick(quantity: str, *locations: str) -> list[Channel]:
        return [
            c
            for c in channels
            if c.quantity == quantity
            and (not locations or c.location.startswith(locations))
        ]

    loads = {c.source for c in channels if c.quantity.endswith("_lat")} - {_FINE_LOG}

    def whole(quantity: str) -> list[Channel]:
        """Pick what a load says of all its devices, not what its disks count, too."""
        known = [c for c in pick(quantity) if not c.location and c.source != _FINE_LOG]
        return [c for c in known if c.source in loads] or known

    found: list[Panel] = []
    bandwidth = whole("read_bw") + whole("write_bw")
    names = tuple("Read" if c.quantity == "read_bw" else "Write" for c in bandwidth)
    found.append(Panel("Throughput (MB/s)", tuple(bandwidth), names, 1e6))
    iops = whole("read_iops") + whole("write_iops")
    names = tuple("Read" if c.quantity == "read_iops" else "Write" for c in iops)
    found.append(Panel("IOPS (1/s)", tuple(iops), names))
    power = pick("P")
    found.append(Panel("Power (W)", tuple(power), tuple(c.source for c in power)))
    slots = _spread(pick("temperature", "slot", "bay", "drive"), 2)
    warm = [*slots, *pick("temperature", "inlet", "ambient", "exhaust")][:4]
    labels = tuple(c.location for c in warm)
    found.append(Panel("Temperature (°C)", tuple(warm), labels))
    noise = pick("LAeq")
    found.append(Panel("Noise (dB(A))", tuple(noise), tuple(c.source for c in noise)))
    return [
        replace(panel, channels=panel.channels[:MOST_LINES])
        for panel in found
        if panel.channels
    ]


def _spread(channels: list[Channel], count: int) -> list[Channel]:
    """Pick the first and the last of many."""
    if len(channels) <= count:
        return channels
    return [channels[0], channels[-1]]


def draw_session(session: Session, form: str, *, title: str = "") -> bytes:
    """Draw a session's charts.

    Args:
        session: The session.
        form: "svg" or "png".
        title: A heading; the label "simulated" is added where it belongs.
    """
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
    for number, (channel, name) in enumerate(
        zip(panel.channels, panel.names, strict=False)
    ):
        trace = session.trace(channel, None, POINTS)
        colour = COLOURS[number % len(COLOURS)]
        seconds = (trace.times - start) / SECOND
        style = "-" if number < len(COLOURS) else "--"
        values = trace.mean / panel.scale
        axes.plot(
            seconds, values, style, color=colour, linewidth=1.0, label=_plain(name)
        )
        alone = alone_in(values)
        axes.plot(seconds[alone], values[alone], "o", color=colour, markersize=2.5)
        _fill_between_extremes(axes, trace, seconds, panel.scale, colour)
    axes.set_ylabel(panel.label, fontsize=9)
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


def alone_in(values: np.ndarray) -> np.ndarray:
    """Find the values between two that lack: no line goes through them."""
    known = np.isfinite(np.concatenate(([np.nan], values, [np.nan])))
    return np.asarray(known[1:-1] & ~known[:-2] & ~known[2:])


def _fill_between_extremes(
    axes: "Axes", trace: Trace, seconds: np.ndarray, scale: float, colour: str
) -> None:
    """Show what lies between minimum and maximum where points are summaries."""
    if not trace.exact:
        axes.fill_between(
            seconds,
            trace.low / scale,
            trace.high / scale,
            color=colour,
            alpha=0.2,
            linewidth=0,
        )


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
