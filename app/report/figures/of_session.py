"""Which figures a session has: of its matrices, its saturations, and of each load."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from app.record.store import Session, StepRow
from app.report.figures.figure import Figure
from app.report.figures.latency import latency_figure
from app.report.figures.saturation import is_saturation, saturation_figure
from app.report.figures.tracking import tracking_figure
from app.report.rounds import judged_rounds

MOST_IN_REPORT = 8
"""Histograms of so many loads a report has; the window shows each."""

_MOST_BYTES = 4 * 2**20
"""So much kept output may be read for them: it unpacks to some 80 MiB, a second."""


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
    kept: dict[int, int] = {}
    for one in session.artefacts():
        if one.step_id is not None:
            kept[one.step_id] = kept.get(one.step_id, 0) + one.size
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
            kept_bytes=kept.get(step.id, 0),
        )
        for step in steps
        if _has_histogram(step)
    ]


def _has_histogram(step: StepRow) -> bool:
    return step.engine == "fio" and step.window_start_ns is not None


def report_figures(session: Session) -> list[Figure]:
    """Make the figures of a report: no histograms of single rounds, and few others."""
    found: list[Figure] = []
    left, room = MOST_IN_REPORT, _MOST_BYTES
    for choice in figure_choices(session):
        if choice.is_latency:
            if choice.is_of_round or not left or choice.kept_bytes > room:
                continue
            room -= choice.kept_bytes
        if (figure := choice.make()) is not None:
            found.append(figure)
            left -= choice.is_latency
    return found
