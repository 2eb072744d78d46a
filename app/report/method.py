"""Method in a report: start-ups, prompts, means of repeats, and offsets of time."""

import math

from app.analysis.repeat import HALF_WIDTH, MEAN
from app.analysis.startup import PEAK_WINDOWS_S
from app.plan.passes import of_pass
from app.record.store import OffsetRow, Session
from instruments.metric import head_of

_START = {
    **{
        f"startup_peak_{round(1000 * seconds)}ms_w": f"peak over {seconds:g} s"
        for seconds in PEAK_WINDOWS_S
    },
    "startup_steps": "steps of power",
    "time_to_ready_s": "time to ready",
    "energy_to_ready_wh": "energy to ready",
    "startup_noise_db": "noise of the start",
    "startup_noise_max_db": "highest noise of the start",
}
"""What the results of a start-up are called."""


def method_notes(session: Session) -> list[str]:
    """Tell of start-ups, prompts, the mean of each series, and offsets of time."""
    return [
        *_startups(session),
        *_noticed(session),
        *_repeats(session),
        *_offsets(session),
    ]


def _noticed(session: Session) -> list[str]:
    """Tell how long the bench took to notice what an operator did."""
    labels = {
        step.id: step.label for step in session.steps() if step.engine == "prompt"
    }
    return [
        f"{labels[result.step_id]}: noticed after {result.value:.1f} s ({result.note})"
        for result in session.results()
        if result.step_id in labels
        and result.name == "detected_s"
        and result.value is not None
    ]


def _startups(session: Session) -> list[str]:
    """Tell what start-ups drew, each figure with its window."""
    labels = {
        step.id: step.label for step in session.steps() if step.engine == "startup"
    }
    order = list(_START)
    known = [r for r in session.results() if r.step_id in labels and r.name in _START]
    return [
        f"{labels[one.step_id]}: {_START[one.name]} "
        + ("unknown" if one.value is None else f"{one.value:.4g} {one.unit}".strip())
        + f" ({one.note})"
        for one in sorted(known, key=lambda r: (r.step_id, order.index(r.name)))
    ]


def _repeats(session: Session) -> list[str]:
    results = session.results()
    labels = {
        step.id: of_pass(step.series, step.pass_number) for step in session.steps()
    }
    half = {
        result.step_id: result.value for result in results if result.name == HALF_WIDTH
    }
    lines = []
    for result in results:
        if result.name != MEAN or result.value is None:
            continue
        value = _with_half(result.value, half.get(result.step_id))
        name = head_of(result.origin).partition(" (")[0]
        what = f"{labels[result.step_id]}: {name} {value} {result.unit}".strip()
        lines.append(f"{what}, mean of {result.n_valid} runs ({result.note})")
    return lines


def _with_half(value: float, half: float | None) -> str:
    """Write a mean with half the width of its interval, both to the same place.

    The half width has two digits, and never less than the whole numbers.
    """
    if not half:
        return f"{value:.6g}" if half is None else f"{value:.6g} ± 0"
    places = max(0, 1 - math.floor(math.log10(half)))
    return f"{value:.{places}f} ± {half:.{places}f}"


def _offsets(session: Session) -> list[str]:
    """Say of each source with an offset how much, how sure and how it was found."""
    last: dict[str, OffsetRow] = {row.source: row for row in session.offsets()}
    sentences = [
        f"Time: readings of {row.source} are moved by {_ms(row.offset_ns):+g} ms "
        f"± {_ms(row.spread_ns):g} ms ({row.method})"
        for row in last.values()
        if row.offset_ns
    ]
    if sentences and (early := _before_alignment(session)):
        sentences.append(
            f"Time: {', '.join(early)} came before the alignment step; their "
            "values are without the offsets"
        )
    return sentences


def _ms(ns: float) -> float:
    """Write a time in ms: whole ones, and below 10 ms two digits that count."""
    return round(ns / 1e6) if abs(ns) >= 1e7 else float(f"{ns / 1e6:.2g}")


def _before_alignment(session: Session) -> list[str]:
    """Name the rows that were measured before the last alignment step."""
    steps = session.steps()
    starts = [
        step.start_ns for step in steps if step.engine == "align" and step.start_ns
    ]
    last = max(starts, default=0)
    return [
        step.label for step in steps if step.window_end_ns and step.window_end_ns < last
    ]
