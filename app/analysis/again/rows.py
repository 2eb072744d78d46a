"""The results of a step, computed again from what the session keeps of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.analysis.again.series import near_limits, series_mean
from app.analysis.io_checks import io_findings, io_results, with_rest
from app.analysis.load_part import WHOLE_LOAD, part_load, part_results, traced_results
from app.analysis.results import step_results
from app.analysis.startup_row import NOISE, startup_row
from app.analysis.steady.fio import steady_results
from app.analysis.steady.rounds import Rounds
from app.analysis.steady.state import METHODS, SteadyWatch, results_of
from app.plan.step import RESTING
from app.record.imports.again import ToldAgain, told_again
from app.record.store import Action, Result, Session, StepRow, Window
from instruments.durations import parse_duration
from instruments.errors import BadInput
from instruments.files.foreign_text import MISSHAPEN, parsed_json, stored_toml
from instruments.reading import SECOND
from workloads.base import LoadOutcome, LoadResult
from workloads.disk_trace import MOVED, kept_movement
from workloads.engines import LOADS
from workloads.kept import Kept

STEADY_STATE = "steady-state.json"
"""The artefact with the means of all rounds, and the rule that judged them."""


@dataclass(frozen=True, slots=True)
class Row:
    """What the session keeps of a step beside its samples.

    Attributes:
        session: The session.
        step: The row.
        window: Its measured window.
        whole: The window of its load, of which that is a part.
        plan: Its plan, as TOML has it.
        outputs: Its artefacts by name.
        offset_id: The last clock offset that it was computed with; None for all.
        instead: Clock offsets in ns that count in place of these, by source.
        told: What imported files say of it; None where they were not read yet.
    """

    session: Session
    step: StepRow
    window: Window
    whole: Window
    plan: Mapping[str, object]
    outputs: Mapping[str, bytes]
    offset_id: int | None
    instead: Mapping[str, int] = field(default_factory=dict)
    told: Sequence[Result] | None = None

    @property
    def options(self) -> Mapping[str, str]:
        """The options of its engine."""
        table = self.plan.get(self.step.engine)
        own = table if isinstance(table, Mapping) else {}
        return {str(name): str(value) for name, value in own.items()}


def row_of(
    session: Session, step: StepRow, told: ToldAgain | None = None
) -> Row | None:
    """Get what is kept of a step; None where it has no measured window.

    Args:
        session: The session.
        step: The step.
        told: What `told_again` reads of an imported session, which takes as long as
            its files are; None to read it when it is wanted.
    """
    if step.window_start_ns is None or step.window_end_ns is None:
        return None
    names = [kept.name for kept in session.artefacts() if kept.step_id == step.id]
    outputs = {name: session.artefact(name, step.id) for name in names}
    window = step.window_start_ns, step.window_end_ns
    results = session.results(step.id)
    kept = (r for r in results if r.name in WHOLE_LOAD)
    whole = next(((r.start_ns, r.end_ns) for r in kept), window)
    offset_id = next((r.offset_id for r in results), None)
    plan = stored_toml(step.plan)
    own = None if told is None else told.results.get(step.id, ())
    return Row(session, step, window, whole, plan, outputs, offset_id, told=own)


def results_again(
    row: Row, window: Window | None = None, steady: Sequence[Result] | None = None
) -> list[Result]:
    """Compute a row again, the way the run did when the row had ended.

    What only the run could see, such as counts of system calls that were not kept, is
    not among the results.

    Args:
        row: The row.
        window: Another window than the one that was measured.
        steady: What a rule says of its steady state; None for the rule of the run,
            which judged nothing of another window.

    Raises:
        BadInput: An output that was kept is damaged.
    """
    # Clock offsets that were set later would move what the row was made of.
    with row.session.with_offsets(row.offset_id, row.instead):
        part = window or row.window
        if steady is None:
            steady = _steady(row) if part == row.window else ()
        found = _results(row, part, steady)
    values = {result.name: result.value for result in found}
    found += near_limits(row.session, row.step, values, part)
    return found + (series_mean(row.session, row.step) if part == row.window else [])


def _results(row: Row, part: Window, steady: Sequence[Result]) -> list[Result]:
    engine = row.step.engine
    if engine == "startup":
        # While it is off, and then starts, a mean over the whole means nothing.
        ready = str(row.options.get("ready", ""))
        start = startup_row(row.session, part, _switched_on(row), ready)
        return [*start.results, _duration(part)]
    found = step_results(row.session, part)
    if row.session.info.is_imported:
        told = list(_told(row))
        found += part_results(
            row.session, engine, row.window, part, told, outputs=row.outputs
        )
    elif engine in LOADS or engine in RESTING:
        load = _load(row)
        told = [
            Result(name, value.value, value.unit, *row.whole, 1, 1, value.origin)
            for name, value in load.values.items()
        ]
        of_load = part_results(
            row.session, engine, row.whole, part, told, outputs=row.outputs
        )
        found += of_load
        if engine in RESTING or load.values.keys() - MOVED:
            own = part_load(engine, load, part, of_load)
            io = io_findings(engine, row.options, own)
            found += io_results(engine, own, io, own.window or part)
        elif "steady" in row.plan:
            found += traced_results(row.session, engine, part)
        found += steady_results(row.session, row.whole, load)
    return [*found, *steady, _duration(part)]


def _told(row: Row) -> Sequence[Result]:
    if row.told is not None:
        return row.told
    return told_again(row.session).results.get(row.step.id, ())


def _switched_on(row: Row) -> int:
    """Get when a device was switched on: its noise is told from then on."""
    for result in row.session.results(row.step.id):
        if result.name == NOISE:
            return result.start_ns
    start, end = row.window
    switched = [
        line.t_ns
        for line in row.session.journal()
        if line.action == Action.SWITCHED_ON and start <= line.t_ns <= end
    ]
    return switched[-1] if switched else start


def _duration(window: Window) -> Result:
    seconds = (window[1] - window[0]) / SECOND
    return Result("duration_s", seconds, "s", *window, 1, 1, "window")


def _load(row: Row) -> LoadResult:
    """Get what the load told of all its window, of which a part may be measured."""
    try:
        result = LoadResult(LoadOutcome.DONE)
        if row.step.engine in LOADS:
            kept = Kept(row.outputs, row.options, row.whole, _ramp_s(row))
            result = LOADS[row.step.engine].kept_result(kept)
        moved = kept_movement(row.outputs, row.whole)
    except ValueError as error:
        raise _damaged(row, str(error)) from error
    load = replace(result, window=row.whole, values={**result.values, **moved})
    return with_rest(load) if row.step.engine in RESTING else load


def _ramp_s(row: Row) -> float:
    ramp = row.plan.get("ramp", 0)
    return parse_duration(ramp) if isinstance(ramp, str | int | float) else 0.0


def _damaged(row: Row, why: str) -> BadInput:
    return BadInput(
        f"the kept output of {row.step.label} cannot be read, {why}",
        where=str(row.session.path),
        way_out="Its other rows can be computed again.",
    )


def steady_rounds_of(row: Row) -> Mapping[str, Any]:
    """Read which rounds were judged, by which rule; nothing where none were."""
    try:
        found = parsed_json(row.outputs.get(STEADY_STATE, b"{}"))
    except ValueError:
        return {}
    return found if isinstance(found, Mapping) else {}


def _steady(row: Row) -> list[Result]:
    """Judge its rounds again, from means that are computed again."""
    try:
        told = steady_rounds_of(row)
        method = replace(METHODS[told["method"]], round_s=float(told["round_s"]))
        begin, means = int(told["begin_ns"]), dict(told["means"])
        length = round(method.round_s * SECOND)
        count = max(len(means[name]) for name in means)
    except MISSHAPEN:  # No rounds were judged.
        return []
    end = max(row.window[1], row.whole[1])
    if length <= 0 or begin + (count - 1) * length > end:
        raise _damaged(row, "its rounds are beyond its window")
    rounds = Rounds(row.session, begin)
    chosen = [quantity for quantity in rounds.quantities if quantity.name in means]
    starts = [begin + number * length for number in range(count)]
    again = [rounds.means((start, start + length)) for start in starts]
    by_name = {q.name: [one.get(q.name, math.nan) for one in again] for q in chosen}
    state = SteadyWatch(method, chosen, by_name).state()
    return results_of(state, row.window)
