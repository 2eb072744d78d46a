"""Method in a report: means of repeats with their interval, and offsets of time."""

from app.analysis.repeat import HALF_WIDTH, MEAN
from app.record.store import OffsetRow, Session


def method_notes(session: Session) -> list[str]:
    """Tell the mean of each series of repeats, and how far sources were moved."""
    return [*_repeats(session), *_offsets(session)]


def _repeats(session: Session) -> list[str]:
    results = session.results()
    half = {one.step_id: one.value for one in results if one.name == HALF_WIDTH}
    told = []
    for one in results:
        if one.name != MEAN or one.value is None:
            continue
        width = half.get(one.step_id)
        unit = f" {one.unit}" if one.unit else ""
        value = f"{one.value:.6g}"
        if width is not None:
            value += f" ± {width:.2g}"
        told.append(f"Mean of {one.n_valid} runs, {one.note} = {value}{unit}")
    return told


def _offsets(session: Session) -> list[str]:
    """Say of each source with an offset how much, how sure and how it was found."""
    last: dict[str, OffsetRow] = {row.source: row for row in session.offsets()}
    told = [
        f"Time: readings of {row.source} are moved by {row.offset_ns / 1e6:+.0f} ms "
        f"± {row.spread_ns / 1e6:.0f} ms ({row.method})"
        for row in last.values()
        if row.offset_ns
    ]
    if told and (early := _before_alignment(session)):
        told.append(
            f"Time: {', '.join(early)} came before the alignment step, and have their "
            "values without the offsets"
        )
    return told


def _before_alignment(session: Session) -> list[str]:
    """Name the rows that were measured before the last alignment step."""
    steps = session.steps()
    starts = [one.start_ns for one in steps if one.engine == "align" and one.start_ns]
    last = max(starts, default=0)
    return [
        one.label for one in steps if one.window_end_ns and one.window_end_ns < last
    ]
