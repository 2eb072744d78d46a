"""The course of a write saturation: IOPS and latency over what has been written."""

import numpy as np

from app.analysis.samples import Samples, samples_of
from app.plan.step import Role
from app.record.store import Session, StepRow, Window
from app.report.figures.figure import Axis, Figure, Floats, Series
from app.report.table import Cell, Column, Table
from instruments.files.foreign_text import stored_table, stored_toml
from instruments.reading import SECOND

_PARTS = 20
# Documents of fio come twice a second: a shorter part would have one value or none.
_LEAST_S = 2.0
_MINUTE_S = 60.0
_MOST_MINUTES = 1440
_TB = 1e12


def is_saturation(step: StepRow) -> bool:
    """Tell whether a row is one by its plan, and was measured."""
    is_measured = step.window_start_ns is not None and step.window_end_ns is not None
    return is_measured and stored_toml(step.plan).get("role") == Role.SATURATION


def saturation_figure(session: Session, step: StepRow) -> Figure | None:
    """Draw write IOPS by what was written; None where its traces have no value."""
    window = _window(step)
    seconds = (window[1] - window[0]) / SECOND
    count = int(min(_MOST_MINUTES, max(_parts(window), seconds / _MINUTE_S)))
    course = _course(session, step, count)
    if course is None:
        return None
    written, iops, _ = course
    each = seconds / count
    fills = _fills(session, float(written[-1]))
    unit, factor = ("TB", 1.0) if written[-1] >= 1 else ("GB", 1e3)
    return Figure(
        f"Saturation: {step.label}",
        f"Means of {each:.3g} s each, over what had been written until their middle"
        f"{fills}.",
        Axis(f"Written ({unit})"),
        Axis("Write IOPS"),
        (Series("Write IOPS", factor * written, iops),),
    )


def saturation_tables(session: Session) -> list[tuple[str, Table]]:
    """Make the tables of all saturations, with their titles."""
    found = [
        (f"Saturation: {step.label}", saturation_table(session, step))
        for step in session.steps()
        if is_saturation(step)
    ]
    return [(title, table) for title, table in found if table is not None]


def saturation_table(session: Session, step: StepRow) -> Table | None:
    """Tell the course of a saturation in twenty parts at most; None as its figure."""
    start, end = _window(step)
    count = _parts((start, end))
    course = _course(session, step, count)
    if course is None:
        return None
    minutes = (np.arange(count) + 0.5) * (end - start) / SECOND / 60 / count
    columns = (
        Column("Minutes", "step"),
        Column("Written (TB)", "written_tb", 6),
        # Not of the whole row: their keys are of no result.
        Column("Write IOPS", "write_iops of parts"),
        Column("Write latency (ms)", "write_latency_ms of parts", 3),
    )
    rows: list[tuple[Cell, ...]] = [
        (f"{minute:.4g}", *(None if np.isnan(one) else float(one) for one in each))
        for minute, *each in zip(minutes, *course, strict=True)
    ]
    return Table(columns, tuple(rows))


def _window(step: StepRow) -> Window:
    return step.window_start_ns or 0, step.window_end_ns or 0


def _parts(window: Window) -> int:
    """Get into how many parts it is cut: none so short that no document is in it."""
    return max(1, min(_PARTS, int((window[1] - window[0]) / SECOND / _LEAST_S)))


def _course(
    session: Session, step: StepRow, count: int
) -> tuple[Floats, Floats, Floats] | None:
    """Get written TB, IOPS and mean latency in ms of parts of equal length.

    What was written is known while no part before lacks its rate.
    """
    window = _window(step)
    own = {
        channel.quantity: samples_of(session, channel, window)
        for channel in session.channels()
        if channel.source == step.engine and not channel.location
    }
    names = ("write_bw", "write_iops", "write_lat")
    if not all(name in own and own[name].values.size for name in names[:2]):
        return None
    edges = np.linspace(*window, count + 1)
    rate, iops = (_means(own[name], edges) for name in names[:2])
    latency = np.full(count, np.nan)
    if names[2] in own:
        latency = 1e3 * _means(own[names[2]], edges)
    moved = rate * np.diff(edges) / SECOND / _TB
    return np.cumsum(moved) - moved / 2, iops, latency


def _means(samples: Samples, edges: Floats) -> Floats:
    """Get the means between edges, documents weighted by their length; NaN for none."""
    weights, _ = np.histogram(samples.times, edges, weights=samples.lengths)
    moved = samples.values * samples.lengths
    sums, _ = np.histogram(samples.times, edges, weights=moved)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums / weights, dtype=np.float64)


def _fills(session: Session, written_tb: float) -> str:
    capacity = stored_table(session.info.bench, "dut").get("capacity_tb")
    if not isinstance(capacity, int | float) or not capacity > 0:
        return ""
    return f"; {written_tb / capacity:.3g} times the capacity in all"
