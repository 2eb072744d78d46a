"""From a cell of the report back to what it was made of."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, starmap
from pathlib import Path

from app.analysis.again.rows import row_of
from app.analysis.again.verify import Again, Agreement
from app.analysis.coverage import WORDS as COVERED
from app.analysis.derived import FORMULAS as DERIVED
from app.analysis.derived import inputs_of
from app.analysis.rules.gates import judge_gates
from app.analysis.rules.quality import ABOUT, LIMITS, WHOLE, Part
from app.analysis.rules.row_figures import RowRecord, row_record
from app.analysis.rules.run_figures import figure_of
from app.analysis.rules.throttling import Throttling, throttling_of
from app.analysis.samples import Samples, samples_of
from app.analysis.tail import WORDS as TAILS
from app.analysis.tail import thin_percentiles
from app.plan.gates import Gate, Measure, gates, rule_named
from app.record.store import Result, Session, StepRow, Window
from app.report.expanded import standard
from app.report.gates import KEY, LACKS, PART, QUALITY, head_of_part, with_gates
from app.report.rows import report_rows
from app.report.table import number_of
from app.report.tables import is_judgement
from instruments.errors import BadInput
from instruments.metric import BOTH, BY_DIRECTION, BY_NAME, head_of, in_order
from instruments.reading import Channel
from instruments.settings import did_you_mean

FORMULAS: Mapping[str, tuple[str, ...]] = {
    "iops": ("read_iops", "+", "write_iops"),
    "bandwidth_mb_s": ("read_mb_s", "+", "write_mb_s"),
    "energy_by_mean_wh": ("power_w", "x", "duration_s", "/ 3600"),
    **{
        name: tuple(formula.replace("**", "^").replace("*", "x").split())
        for name, formula in DERIVED.items()
    },
}
"""Values that are worked out of others of their row: names, and what stands between."""

_P, _WH = ("P", "W"), ("Wh", "Wh")
_BY_TIME = ("energy_wh", "x 3600 /", "duration_s")
"""What mean power is worked out of where its readings lack."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a cell was made of.

    Attributes:
        path: The session.
        step: The row.
        name: The result, as in report_table.
        value: The cell; None where it is blank.
        unit: Of the value.
        window: What it is quoted over.
        uncertainty: Standard uncertainties by the meter and by scatter, None of the
            second where nothing is known; empty where the first is not known.
        stored: The stored result; None where it is worked out from others.
        formula: What it is worked out of, see FORMULAS.
        figures: The values of the formula's names.
        samples: The samples that count, of each channel.
        replies: Raw replies in the window, of each source that keeps them.
        kept: Names of the raw outputs of the step.
        agreement: Whether computing it again gives the same; None where it is worked
            out from others, which have their own.
        says: What it is, of a gate, of quality or of a percentile of few I/Os.
        head: What it is called, of a gate and of quality.
        lack: Why it is blank; "" where it is not, or where a note of `stored` says it.
    """

    path: Path
    step: StepRow
    name: str
    value: float | None
    unit: str
    window: Window
    uncertainty: Sequence[float | None]
    stored: Result | None
    formula: tuple[str, ...]
    figures: Mapping[str, float]
    samples: Sequence[Samples]
    replies: Mapping[str, Sequence[bytes]]
    kept: Sequence[str]
    agreement: Agreement | None
    says: str = ""
    head: str = ""
    lack: str = ""

    @property
    def about(self) -> str:
        """What the metric is, "" where it is of no column of its own."""
        if self.says:
            return self.says
        metric = BY_NAME.get(self.name)
        return metric.about or metric.head if metric is not None else ""

    @property
    def title(self) -> str:
        """The head of its column, the name of what has none in words."""
        return self.head or head_of(self.name)


def explain(session: Session, label: str, name: str) -> Explanation:
    """Explain a cell.

    Args:
        session: The session.
        label: The row, as the report has it.
        name: The result, as in report_table and `--json`, or the head of its column.

    Raises:
        BadInput: There is no such row or result.
    """
    step, row = _row(session, label)
    name = named(name)
    if is_judgement(name):
        return _judgement(session, step, name)
    results = {result.name: result for result in session.results(step.id)}
    kept = row_of(session, step)
    if kept is None:
        raise BadInput(
            f'"{label}" has no measured window, so nothing was computed of it',
            where=str(session.path),
            way_out="Its events and raw outputs say what was done.",
        )
    _check(row, name, session, results)
    stored = results.get(name)
    rows = Again(session)
    again = (rows.of(step) or {}).get(name)
    window = (stored.start_ns, stored.end_ns) if stored is not None else kept.window
    channels = again.channels if again is not None else ()
    agreement = rows.agreement(step, stored) if stored is not None else None
    formula, inputs = FORMULAS.get(name, ()), inputs_of(row)
    if agreement is Agreement.SAME and _is_by_energy(name, channels):
        device = name.removesuffix("power_w")
        formula = tuple(part.replace("energy", f"{device}energy") for part in _BY_TIME)
        inputs = {r.name: r.value for r in results.values() if r.value is not None}
    if {*formula[1::2]} == {"+"}:  # What a load does not do is no part of the sum.
        done = [n for n in formula if n in inputs]
        formula = tuple(chain.from_iterable(("+", n) for n in done))[1:]
    figures = {part: inputs[part] for part in formula if part in inputs}
    with session.with_offsets(kept.offset_id):
        samples = [samples_of(session, channel, window) for channel in channels]
    return Explanation(
        session.path,
        step,
        name,
        *_quantity(stored, row, name),
        window,
        standard(list(results.values()), row).get(name, ()),
        stored,
        formula if figures else (),
        figures,
        samples,
        _replies(session, channels, window),
        tuple(kept.outputs),
        agreement,
        _thin(row, name),
        lack=_lack(step, row, name, stored),
    )


def _lack(
    step: StepRow, row: Mapping[str, object], name: str, stored: Result | None
) -> str:
    """Say why a cell is blank; "" where it is not."""
    inputs = inputs_of(row)
    if stored is not None:
        if stored.value is not None or stored.note:
            return ""
        counts = f"{stored.n_valid or 0} of {stored.n_expected or 0} samples"
        return f"only {counts} of {stored.origin or step.engine} count"
    if number_of(row, name) is not None:
        return ""
    parts = [p for p in FORMULAS.get(name, ()) if p in BY_NAME and p not in inputs]
    if parts:
        return f"the row has no {', no '.join(parts)}, which it is worked out of"
    return f"nothing of this row ({step.engine}) and of the bench's sources gives it"


def _is_by_energy(name: str, channels: Iterable[Channel]) -> bool:
    """Tell a mean power that is energy over time, for want of its own readings."""
    return name.endswith("power_w") and any(c.unit == "Wh" for c in channels)


def _replies(
    session: Session, channels: Iterable[Channel], window: Window
) -> dict[str, list[bytes]]:
    return {
        source: [reply for _, reply in session.raw(source, window)]
        for source in dict.fromkeys(channel.source for channel in channels)
    }


def _quantity(
    stored: Result | None, row: Mapping[str, object], name: str
) -> tuple[float | None, str]:
    """Get value and unit: as stored, else as the row has them."""
    if stored is not None:
        return stored.value, stored.unit
    metric = BY_NAME.get(name)
    return number_of(row, name), metric.unit if metric is not None else ""


def _thin(row: Mapping[str, object], name: str) -> str:
    """Say what a percentile is that rests on few I/Os; "" where it is usable."""
    tail, metric = thin_percentiles(row).get(name), BY_NAME.get(name)
    if tail is None or metric is None:
        return ""
    return f"{metric.about}; {TAILS[tail]}"


def _judgement(session: Session, step: StepRow, name: str) -> Explanation:
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


def _row(session: Session, label: str) -> tuple[StepRow, Mapping[str, object]]:
    rows = {str(row["step"]): row for row in report_rows(session)}
    for step in session.steps():
        if step.label == label and label in rows:
            return step, rows[label]
    raise BadInput(
        f'there is no row "{label}"{did_you_mean(label, rows)}',
        where=str(session.path),
        way_out=f"Rows: {', '.join(rows)}.",
    )


def named(column: str) -> str:
    """Get the name of a result, a gate or a part of quality by the head of its column.

    What is said behind a head, such as at which price, may be left out.
    """
    heads = {metric.short: metric.name for metric in BY_DIRECTION[BOTH]}
    heads |= {metric.head: metric.name for metric in BY_NAME.values()}
    heads |= {gate.title: gate.name for gate in gates()}
    heads |= {head_of_part(part): f"{PART}{part}" for part in Part}
    heads |= {one.head: one.key for one in QUALITY}
    return heads.get(column) or heads.get(column.partition(" (")[0], column)


def _check(
    row: Mapping[str, object], name: str, session: Session, results: Collection[str]
) -> None:
    """Make sure that a row has a result; raises BadInput where it does not."""
    if number_of(row, name) is None and name not in results:
        if name.rpartition(".")[2] in BY_NAME:
            return  # a column of the report, and blank
        further = [key for key in FORMULAS if number_of(row, key) is not None]
        known = sorted({*results, *further}, key=in_order)
        raise BadInput(
            f'"{row["step"]}" has no result "{name}"{did_you_mean(name, known)}',
            where=str(session.path),
            way_out=f"It has: {', '.join(known)}.",
        )
