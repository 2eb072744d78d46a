"""From a gate of a row, its quality or a part of that back to what it was made of."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, starmap

from app.analysis.again.verify import Again
from app.analysis.coverage import WORDS as COVERED
from app.analysis.rules.gates import judge_gates
from app.analysis.rules.quality import ABOUT, LIMITS, WHOLE, Part
from app.analysis.rules.row_figures import (
    Lack,
    RowRecord,
    calibrator_levels,
    mains_frequency,
    mains_voltage,
    room_extremes,
    row_record,
    tried_power,
)
from app.analysis.rules.run_figures import clock_parts, figure_of
from app.analysis.rules.throttling import Throttling, throttling_of
from app.analysis.samples import Samples
from app.plan.gates import Gate, Measure, rule_named
from app.record.store import Session, StepRow
from app.report.explanation import Explanation
from app.report.gates import KEY, LACKS, PART, QUALITY, with_gates
from app.report.table import number_of
from instruments.errors import BadInput
from instruments.reading import SECOND
from instruments.settings import did_you_mean

_P, _WH = ("P", "W"), ("Wh", "Wh")

_Formula = tuple[tuple[str, ...], Mapping[str, float]]
"""Names and what stands between them, and the figures of the names."""


def explain_judgement(session: Session, step: StepRow, name: str) -> Explanation:
    """Explain a gate of a row, its quality, or a part of that."""
    [row] = with_gates(session, [{"step": step.label}])
    record, parts = row_record(session, step), row.get("quality_parts")
    is_judged = isinstance(row.get(KEY), Mapping)
    if record is None or not is_judged or not isinstance(parts, Mapping):
        raise BadInput(
            f'"{step.label}" has no mean of a window, so nothing was judged of it',
            where=str(session.path),
            way_out="Its events and raw outputs say what was done.",
        )
    known = {str(p): v for p in Part if (v := number_of(parts, p)) is not None}
    gate = rule_named(name)
    value, unit = number_of(row, "quality"), ""
    judged: Measure | Part | None = None
    formula: tuple[str, ...] = ()
    figures: Mapping[str, float] = {}
    if gate is not None:
        value, says = _of_gate(record, gate)
        unit, judged, head = gate.unit, gate.measure, gate.title
        if gate.measure is not None and value is not None:
            formula, figures = _made(record, gate.measure)
    elif name == "quality":
        worst = row["quality_worst"]
        says = "the quality of the row" + (f", held back by {worst}" if worst else "")
        formula, figures = ("the least of", *known), known
        judged = Part(str(worst)) if worst else None
        head = QUALITY[0].head
    else:
        judged = _part(session, name)
        value, head = number_of(parts, judged), f"quality, {judged}"
        says, formula, figures = _of_part(judged, value)
        if judged is Part.THROTTLING:
            says = _throttled(throttling_of(record))
    return Explanation(
        path=session.path,
        step=step,
        name=name,
        value=value,
        unit=unit,
        window=record.window,
        uncertainty=(),
        stored=None,
        formula=formula,
        figures=figures,
        samples=_judged_by(record, step, judged),
        replies={},
        kept=(),
        agreement=None,
        says=says,
        head=head,
    )


def _of_part(
    part: Part, value: float | None
) -> tuple[str, tuple[str, ...], Mapping[str, float]]:
    """Say what a part of quality is, and get its formula with the figure in it."""
    says = ABOUT[part]
    if part not in LIMITS:
        return says, (), {}
    limit, unit = LIMITS[part]
    says += f": 100 at none, 50 at {limit:g} {unit}, 0 from {2 * limit:g} {unit} on"
    if value is None or not 0 < value < WHOLE:
        return says, (), {}
    name = str(part)
    formula = ("100 x (1 -", name, f"/ {2 * limit:g})")
    return says, formula, {name: 2 * limit * (1 - value / WHOLE)}


def _of_gate(record: RowRecord, gate: Gate) -> tuple[float | None, str]:
    """Get the figure a gate was judged by, and what came of it."""
    figure = figure_of(record, gate.measure) if gate.measure else None
    value, state, lack = None, "nothing recorded shows it", ""
    for one in judge_gates(lambda _: figure, [gate]) if figure is not None else ():
        value, state = one.value, str(one.state)
        lack = f", {LACKS[one.lack]}" if one.lack else ""
    return value, f"{gate.title}, {gate.bounds}: {state}{lack} ({gate.source})"


_FORMULAS: Mapping[Measure, tuple[str, ...]] = {
    Measure.UNCERTAINTY: (
        *("200 x (", "u_meter", "^2 +", "u_scatter", "^2)^0.5 /", "power_w"),
    ),
    Measure.METER: ("200 x", "u_meter", "/", "power_w"),
    Measure.ENERGY: (
        *("100 x (", "energy_by_mean_wh", "-", "energy_wh", ") /", "energy_wh"),
    ),
    Measure.VOLTAGE: ("100 x (", "U", "-", "nominal", ") /", "nominal"),
    Measure.FREQUENCY: ("100 x (", "f", "-", "nominal", ") /", "nominal"),
    Measure.ROOM: ("ambient_c",),
    Measure.ROOM_DRIFT: ("highest", "-", "lowest"),
    Measure.ROOM_RATE: ("60 x", "readings", "/", "window_s"),
    Measure.RATE: ("n_valid", "/", "n_expected", "/", "period_s"),
    Measure.READINGS: ("n_valid",),
    Measure.VALID: ("100 x", "n_valid", "/", "n_expected"),
    Measure.INTERVAL: ("100 x", "period_s", "/", "window_s"),
    Measure.RANGING: ("100 x (", "power_w", "-", "tried_w", ") /", "tried_w"),
    Measure.CLOCK: ("drift_ms", "/ 2 +", "spread_ms"),
    Measure.SOUND: ("after_db", "-", "before_db"),
    Measure.LATENCY: ("latency_mean_ms",),
    Measure.LATENCY_MAX: ("latency_max_ms",),
    Measure.SECONDS: ("window_s",),
}
"""What gates bound that is worked out of figures of the row: how."""

_PAIRS: Mapping[
    Measure, tuple[Callable[[RowRecord], tuple[float, float] | Lack], str, str]
] = {
    Measure.VOLTAGE: (mains_voltage, "U", "nominal"),
    Measure.FREQUENCY: (mains_frequency, "f", "nominal"),
    Measure.ROOM_DRIFT: (room_extremes, "highest", "lowest"),
    Measure.RANGING: (tried_power, "power_w", "tried_w"),
    Measure.CLOCK: (clock_parts, "drift_ms", "spread_ms"),
    Measure.SOUND: (calibrator_levels, "before_db", "after_db"),
}
"""What of that is no result of the row: where from, and what its figures are called."""


def _made(row: RowRecord, measure: Measure) -> _Formula:
    """Get how a gate's figure is made; nothing where it is a count of its own."""
    known = _of_row(row) | _pair(row, measure)
    formula = _FORMULAS.get(measure, ())
    figures = {name: known[name] for name in formula if name in known}
    is_whole = all(part in known or not part.isidentifier() for part in formula)
    return (formula, figures) if is_whole else ((), {})


def _of_row(row: RowRecord) -> dict[str, float]:
    """Get the figures of a row that formulas name, as far as they are known."""
    values = {name: one.value for name, one in row.results.items()}
    if (power := row.results.get("power_w")) is not None:
        values |= {"n_valid": power.n_valid or 0, "n_expected": power.n_expected or 0}
        values |= {"u_meter": power.u_meter, "u_scatter": power.u_scatter}
    if row.power:
        values["period_s"] = max(part.channel.period_ns for part in row.power) / SECOND
    values["window_s"] = row.seconds
    values["readings"] = max((part.values.size for part in row.room), default=0)
    return {name: value for name, value in values.items() if value is not None}


def _pair(row: RowRecord, measure: Measure) -> dict[str, float]:
    """Get the two figures of a gate that are no results of the row."""
    if measure not in _PAIRS:
        return {}
    find, *names = _PAIRS[measure]
    found = find(row)
    return {} if isinstance(found, Lack) else dict(zip(names, found, strict=True))


def _part(session: Session, name: str) -> Part:
    try:
        return Part(name.removeprefix(PART))
    except ValueError:
        names = [f"{PART}{part}" for part in Part]
        raise BadInput(
            f'quality has no part "{name}"{did_you_mean(name, names)}',
            where=str(session.path),
            way_out=f"Parts: {', '.join(names)}.",
        ) from None


def _throttled(found: Throttling) -> str:
    """Say what heat slowed down, and how long."""
    units = {one.channel.name: one.channel.unit for one in found.samples}
    grown = [f"{n} by {v:g} {units[n]}".rstrip() for n, v in found.grown.items()]
    if grown:
        return f"throttled by heat while it was measured: {', '.join(grown)} more"
    if found.is_known:
        return "not throttled: no counter of a drive grew"
    return "not known: no drive reported its counters of throttling before and after"


_OF_METERS: Mapping[Measure | Part, Sequence[tuple[str, str]]] = {
    Measure.UNCERTAINTY: (_P,),
    Measure.METER: (_P,),
    Measure.RATE: (_P,),
    Measure.READINGS: (_P,),
    Measure.INTERVAL: (_P,),
    Measure.VALID: (_P,),
    Measure.RANGING: (_P,),
    Measure.TOGETHER: (_P,),
    Measure.ENERGY: (_P, _WH),
    Measure.INTEGRATED: (_WH,),
    Measure.VOLTAGE: (("U", "V"),),
    Measure.FREQUENCY: (("f", "Hz"),),
    Measure.RANGES: (("U_range", "V"), ("I_range", "A")),
    Part.DRIFT: (_P,),
    Part.SCATTER: (_P,),
    Part.OVER_RANGE: (_P,),
    Part.UNDER_RANGE: (("I", "A"), ("I_range", "A")),
}
"""What rules and parts of quality look at of the power meters: quantities, units."""

_OF_RESULTS: Mapping[Measure | Part, Collection[str]] = {
    Measure.LATENCY: ("latency_mean_ms",),
    Measure.LATENCY_MAX: ("latency_max_ms",),
    Measure.SOUND: ("noise_db",),
    Part.COVERAGE: COVERED,
}
"""What others look at: results of the row, which are made of samples."""


def _judged_by(
    row: RowRecord, step: StepRow, judged: Measure | Part | None
) -> Sequence[Samples]:
    """Get the samples that a rule or a part of quality was judged by; maybe none."""
    if judged in (Measure.ROOM, Measure.ROOM_DRIFT, Measure.ROOM_RATE):
        return row.room
    if judged is Part.THROTTLING:
        return throttling_of(row).samples
    if judged is None:
        return []
    if judged not in _OF_RESULTS:
        kinds = _OF_METERS.get(judged, ())
        return list(chain.from_iterable(starmap(row.samples, kinds)))
    made = Again(row.session).of(step) or {}
    channels = (made[name].channels for name in _OF_RESULTS[judged] if name in made)
    return row.of(dict.fromkeys(chain.from_iterable(channels)))
