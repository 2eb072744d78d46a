"""The results of a step, computed again from what the session keeps of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.analysis.block_checks import check_blocks
from app.analysis.io_checks import check_io, foreign_percent
from app.analysis.load_part import part_results, traced_results
from app.analysis.results import step_results
from app.analysis.steady.rounds import Rounds
from app.analysis.steady.state import METHODS, SteadyWatch
from app.plan.limits import FOREIGN
from app.record.store import Result, Session, StepRow, Window
from instruments.errors import BadInput
from instruments.files.foreign_text import MISSHAPEN, parsed_json, stored_toml
from instruments.reading import SECOND
from workloads.base import LoadOutcome, LoadResult, Measured
from workloads.disk_trace import kept_movement
from workloads.engines import LOADS
from workloads.fio.block_sizes import queued_bytes

STEADY_STATE = "steady-state.json"
"""The artefact with the means of all rounds, and the rule that judged them."""


@dataclass(frozen=True, slots=True)
class Row:
    """What the session keeps of a step beside its samples.

    Attributes:
        session: The session.
        step: The row.
        window: Its measured window.
        plan: Its plan, as TOML has it.
        outputs: Its artefacts by name.
    """

    session: Session
    step: StepRow
    window: Window
    plan: Mapping[str, object]
    outputs: Mapping[str, bytes]

    @property
    def options(self) -> Mapping[str, str]:
        """The options of its engine."""
        table = self.plan.get(self.step.engine)
        own = table if isinstance(table, Mapping) else {}
        return {str(name): str(value) for name, value in own.items()}


def row_of(session: Session, step: StepRow) -> Row | None:
    """Get what is kept of a step; None where it has no measured window."""
    if step.window_start_ns is None or step.window_end_ns is None:
        return None
    names = [kept.name for kept in session.artefacts() if kept.step_id == step.id]
    outputs = {name: session.artefact(name, step.id) for name in names}
    window = step.window_start_ns, step.window_end_ns
    return Row(session, step, window, stored_toml(step.plan), outputs)


def results_again(row: Row, window: Window | None = None) -> list[Result]:
    """Compute a row again, the way the run did when the row had ended.

    What only the run could see, such as counts of system calls that were not kept, is
    not among the results.

    Args:
        row: The row.
        window: Another window than the one that was measured: a load's own figures
            then are those of its traces.

    Raises:
        BadInput: An output that was kept is damaged.
    """
    engine = row.step.engine
    is_part = window is not None or _is_part(row)
    window = window or row.window
    if engine == "startup":
        return [_duration(window)]
    found = step_results(row.session, window)
    load = _load(row, window)
    if load is not None:
        told = [
            Result(name, value.value, value.unit, *window, 1, 1, value.origin)
            for name, value in load.values.items()
        ]
        if not told and "steady" in row.plan:
            found += traced_results(row.session, engine, window)
        whole = (0, 0) if is_part else window
        found += part_results(row.session, engine, whole, window, told)
        found += [] if is_part else _checks(row, load)
    return [*found, *_steady(row), _duration(window)]


def _is_part(row: Row) -> bool:
    """Tell whether less was measured than what the load's own documents cover."""
    reached = _rounds_of(row).get("reached")
    return bool(row.plan.get("rampdown")) or reached is not None


def _duration(window: Window) -> Result:
    seconds = (window[1] - window[0]) / SECOND
    return Result("duration_s", seconds, "s", *window, 1, 1, "window")


def _load(row: Row, window: Window) -> LoadResult | None:
    engine = LOADS.get(row.step.engine)
    if engine is None:
        return None
    try:
        values: Mapping[str, Measured] = {
            **engine.kept_values(row.outputs, row.options),
            **kept_movement(row.outputs, window),
        }
    except ValueError as error:
        raise BadInput(
            f"the kept output of {row.step.label} cannot be read, {error}",
            where=str(row.session.path),
            way_out="Its other rows can be computed again.",
        ) from error
    jobs = max(1, int(row.options.get("numjobs", "1")))
    return LoadResult(LoadOutcome.DONE, window=window, values=values, jobs=jobs)


def _checks(row: Row, load: LoadResult) -> list[Result]:
    """Compare what the load moved with what its disk moved, as the run did."""
    assert load.window is not None
    if row.step.engine == "fio":
        findings = check_io(load, queued_bytes(row.options, load.jobs))
        findings += check_blocks(row.options, load)
    else:
        findings = check_io(load)
    found = [
        Result(f.result, f.value, "B", *load.window, 1, 1, "io_checks", f.text)
        for f in findings
    ]
    if (percent := foreign_percent(load, findings)) is not None:
        found.append(Result(FOREIGN, percent, "%", *load.window, 1, 1, "io_checks"))
    return found


def _rounds_of(row: Row) -> Mapping[str, Any]:
    """Read which rounds were judged, by which rule; nothing where none were."""
    try:
        found = parsed_json(row.outputs.get(STEADY_STATE, b"{}"))
    except ValueError:
        return {}
    return found if isinstance(found, Mapping) else {}


def _steady(row: Row) -> list[Result]:
    """Judge its rounds again, from means that are computed again."""
    try:
        told = _rounds_of(row)
        method = replace(METHODS[told["method"]], round_s=float(told["round_s"]))
        begin, names = int(told["begin_ns"]), list(told["means"])
        count = max(len(told["means"][name]) for name in names)
    except MISSHAPEN:  # No rounds were judged.
        return []
    rounds = Rounds(row.session, begin)
    chosen = [one for one in rounds.quantities if one.name in names]
    watch = SteadyWatch(method, chosen)
    length = round(method.round_s * SECOND)
    for number in range(count):
        start = begin + number * length
        watch.add(rounds.means((start, start + length)))
    state = watch.state()
    values = {"steady_rounds": float(state.rounds)}
    for name, finding in state.findings.items():
        values[f"steady.{name}"] = float(finding.steady)
    return [
        Result(name, value, "", *row.window, 1, 1, "steady")
        for name, value in values.items()
    ]
