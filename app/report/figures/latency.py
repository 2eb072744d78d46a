"""The histogram of a row's latency as a figure."""

from app.analysis.latency import LatencyHistogram, histogram_of
from app.record.store import Session, StepRow
from app.report.figures.figure import Axis, Figure, Mark, Series, Shape
from instruments.metric import BOTH
from instruments.sizes import counted

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
        f"Latency of {step.label}",
        _about(found),
        Axis("Completion latency (ms)", is_log=True),
        Axis("I/Os", is_log=True),
        tuple(series),
        tuple(Mark(ms, f"{percent:g} %: {ms:.3g} ms") for percent, ms in marked),
    )


def _about(found: LatencyHistogram) -> str:
    total = sum(found.bins(BOTH).values())
    hosts = f", merged over {counted(found.parts, 'host')}" if found.parts > 1 else ""
    return (
        f"{counted(total, 'I/O')} from submission to completion (fio's clat){hosts}, "
        "16 bars a decade; percentiles of reads and writes together."
    )
