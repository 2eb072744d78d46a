"""Which figures a session has: of its matrices, its saturations, and of each load."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.analysis.latency import LatencyHistogram, histogram_of
from app.analysis.steady.matrix import Tracked
from app.analysis.steady.rules import SSS_PTS
from app.record.store import Session, StepRow
from app.report.figures.figure import Axis, Figure, Floats, Mark, Series, Shape
from app.report.figures.saturation import is_saturation, saturation_figure
from app.report.rounds import judged_rounds
from instruments.metric import BOTH, BY_NAME
from instruments.sizes import counted


def tracking_figure(found: Tracked) -> Figure | None:
    """Draw the tracking variable of a matrix; None where no round was run.

    Each band is the mean of the window plus and minus half of what the rule allows. A
    steady best-fit line lies in that of the rise.
    """
    if not found.values:
        return None
    head = BY_NAME[found.plan.of].head
    rounds = np.arange(1.0, len(found.values) + 1)
    first, last = found.window
    window = np.array([float(first), float(last)])
    series = []
    if found.mean is not None:
        mean = np.full(2, found.mean)
        range_, rise = (share / 2 for share in (SSS_PTS.range, SSS_PTS.slope))
        series += [
            _band(f"Range allowed, {200 * range_:g} %", window, found.mean, range_, 1),
            _band(f"Rise allowed, {200 * rise:g} %", window, found.mean, rise, 2),
            Series("Mean of the window", window, mean, Shape.DASHES, colour=1),
        ]
    if found.line is not None:
        line = np.array(found.line)
        series.append(Series("Best-fit line", window, line, colour=3))
    values = np.array(found.values)
    series += [
        Series(head, rounds, values),
        Series("Rounds", rounds, values, Shape.POINTS),
    ]
    return Figure(
        f"Tracking variable: {found.label}",
        f"{found.sentence}.",
        Axis("Round", is_whole=True),
        Axis(head),
        tuple(series),
    )


def _band(name: str, x: Floats, mean: float, share: float, colour: int) -> Series:
    low, high = (np.full(2, mean * (1 + way * share)) for way in (-1, 1))
    return Series(name, x, low, Shape.BAND, high, colour)


_MARKED = (50.0, 99.0, 99.9, 99.99)
_NAMES = {"read": "Reads", "write": "Writes"}


def latency_figure(session: Session, step: StepRow) -> Figure | None:
    """Draw how long the I/Os of a row took; None where no histogram is kept."""
    found = histogram_of(session, step)
    if found is None:
        return None
    edges = found.edges_ms()
    series = [
        Series(_NAMES[way], edges, found.grouped(edges, way), Shape.STEPS, colour=n)
        for n, way in enumerate(found.ways)
    ]
    marked = found.percentiles(BOTH, _MARKED).items()
    return Figure(
        f"Latency: {step.label}",
        _about(found),
        Axis("Completion latency (ms)", is_log=True),
        Axis("I/Os", is_log=True),
        tuple(series),
        tuple(
            Mark(ms, f"{percent:g} %: {float(f'{ms:.3g}'):g} ms")
            for percent, ms in marked
        ),
    )


def _about(found: LatencyHistogram) -> str:
    total = sum(found.bins(BOTH).values())
    hosts = f", merged over {counted(found.parts, 'host')}" if found.parts > 1 else ""
    return (
        f"{counted(total, 'I/O')} from submission to completion (fio's clat){hosts}, "
        "16 bars a decade; percentiles of reads and writes together."
    )


MOST_IN_REPORT = 8
"""Histograms of this many loads a report has; the window shows each."""

_MOST_BYTES = 4 * 2**20
"""So much kept output may be read for them: it unpacks to some 80 MiB, a second."""

_PACKED = 20
"""So many times larger is an imported file, which is kept as it is."""


@dataclass(frozen=True, slots=True)
class FigureChoice:
    """A figure that a session may have.

    Attributes:
        title: What it is called in a list.
        make: Makes it; None where what it is made of is not kept.
        is_latency: Whether it is the histogram of a load.
        is_of_round: Whether that is one row of many rounds.
        kept_bytes: How much its row has of kept output.
    """

    title: str
    make: Callable[[], Figure | None]
    is_latency: bool = False
    is_of_round: bool = False
    kept_bytes: int = 0


def figure_choices(session: Session) -> list[FigureChoice]:
    """List what figures a session may have; none is made yet."""
    steps, judged = session.steps(), judged_rounds(session)
    kept: dict[int | None, int] = {}
    for one in session.artefacts():
        kept[one.step_id] = kept.get(one.step_id, 0) + one.size
    # The files of an imported session are read for all of its rows.
    shared = kept.get(None, 0) // _PACKED if session.info.is_imported else 0
    in_rounds = {label for matrix, _ in judged for label, _ in matrix.rows}
    found = [
        FigureChoice(f"Tracking variable: {one.label}", partial(tracking_figure, one))
        for _, one in judged
    ]
    found += [
        FigureChoice(
            f"Saturation: {step.label}", partial(saturation_figure, session, step)
        )
        for step in steps
        if is_saturation(step)
    ]
    return found + [
        FigureChoice(
            f"Latency: {step.label}",
            partial(latency_figure, session, step),
            is_latency=True,
            is_of_round=step.series in in_rounds,
            kept_bytes=kept.get(step.id, shared),
        )
        for step in steps
        if _has_histogram(step)
    ]


def _has_histogram(step: StepRow) -> bool:
    return step.engine == "fio" and step.window_start_ns is not None


def report_figures(session: Session) -> list[Figure]:
    """Make the figures of a report: no histograms of single rounds, and few others."""
    figures: list[Figure] = []
    left, room = MOST_IN_REPORT, _MOST_BYTES
    for choice in figure_choices(session):
        if choice.is_latency:
            if choice.is_of_round or not left or choice.kept_bytes > room:
                continue
            room -= choice.kept_bytes
        if (figure := choice.make()) is not None:
            figures.append(figure)
            left -= choice.is_latency
    return figures
