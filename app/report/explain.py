"""From a cell of the report back to what it was made of."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from app.analysis.again.rows import Row, row_of
from app.analysis.again.verify import Again
from app.analysis.derived import FORMULAS as DERIVED
from app.analysis.derived import RENAMED, WHOLE, duty_of, inputs_of
from app.analysis.rules.quality import Part
from app.analysis.samples import samples_of
from app.analysis.tail import WORDS as TAILS
from app.analysis.tail import thin_percentiles
from app.plan.gates import gates
from app.record.store import Result, Session, StepRow, Window
from app.report.budget import budgets_of
from app.report.efficiency import MEAN, MEAN_OF_LOAD, economics_of, idle_row
from app.report.expanded import standard
from app.report.explanation import Explanation
from app.report.gates import PART, QUALITY, head_of_part
from app.report.judged import explain_judgement
from app.report.rows import DEVICE_RESULTS, SUMMED, devices, report_rows
from app.report.sums import Sum, sums_of
from app.report.table import number_of
from app.report.tables import is_judgement
from instruments.errors import BadInput
from instruments.metric import BOTH, BY_DIRECTION, BY_NAME, DERIVED_UNITS, in_order
from instruments.reading import Channel
from instruments.settings import did_you_mean

FORMULAS: Mapping[str, tuple[str, ...]] = {
    "iops": ("read_iops", "+", "write_iops"),
    "bandwidth_mb_s": ("read_mb_s", "+", "write_mb_s"),
    **{
        name: tuple(formula.replace("**", "^").replace("*", "x").split())
        for name, formula in DERIVED.items()
    },
}
"""Values that are worked out of others of their row: names, and what stands between."""

_BY_TIME = ("energy_wh", "x 3600 /", "duration_s")
"""What mean power is worked out of where its readings lack."""


def explain(session: Session, label: str, name: str) -> Explanation:
    """Explain a cell.

    Args:
        session: The session.
        label: The row, as the report has it.
        name: The result, as in report_table and `--json`, or the head of its column.

    Raises:
        BadInput: There is no such row or result.
    """
    rows = {str(row["step"]): row for row in report_rows(session)}
    step, row = _row(session, label, rows)
    name = result_named(name)
    if is_judgement(name):
        return explain_judgement(session, step, name)
    results = {result.name: result for result in session.results(step.id)}
    kept = _kept(session, step)
    _check(row, name, session, results)
    stored = results.get(name)
    verified = Again(session)
    again, parts = verified.of(step) or {}, _parts(session, name)
    made_of = {one: again[one].channels for one in parts or [name] if one in again}
    channels = list(dict.fromkeys(chain.from_iterable(made_of.values())))
    window, agreement = kept.window, None
    if stored is not None:
        window = stored.start_ns, stored.end_ns
        agreement = verified.agreement(step, stored)
    # Samples that do not give the figure would come to another one.
    same = {one for one in made_of if _is_same(results.get(one), again[one])}
    if _by_wh(name, made_of.get(name, ())):
        formula, figures = _over_time(name, results) if name in same else ((), {})
    else:
        formula, figures = _worked_out(name, parts, inputs_of(row))
    summed = made_of if parts or not figures else {}
    with session.with_offsets(kept.offset_id):
        samples = {one: samples_of(session, one, window) for one in channels}
        sums = [
            sums_of(session, one, [samples[c] for c in own], window)
            for one, own in summed.items()
            if one in same and not _by_wh(one, own)
        ]
    return Explanation(
        session.path,
        step,
        name,
        *_quantity(session, stored, row, name),
        window,
        standard(list(results.values()), row).get(name, ()),
        stored,
        formula,
        figures,
        [*samples.values()],
        _replies(session, channels, window),
        tuple(kept.outputs),
        agreement,
        _thin(row, name) or _of_device(name),
        lack=_lack(step, row, name, stored, parts),
        sums=[*_named(figures, row, idle_row([*rows.values()])), *chain(*sums)],
        budget=budgets_of(session, [stored] if stored else []).get(name),
    )


def _kept(session: Session, step: StepRow) -> Row:
    found = row_of(session, step)
    if found is None:
        raise BadInput(
            f'"{step.label}" has no measured window, so nothing was computed of it',
            where=str(session.path),
            way_out="Its events and raw outputs say what was done.",
        )
    return found


def _is_same(stored: Result | None, again: Result) -> bool:
    """Tell whether the samples of a result give what is stored of it.

    Its uncertainty may be by an earlier formula.
    """
    return stored is not None and stored.value == again.value


def _parts(session: Session, name: str) -> list[str]:
    """Name what a sum of all devices is made of, none of what is no such sum."""
    whole, _, own = name.rpartition(".")
    if whole != WHOLE or own not in SUMMED:
        return []
    return [own, *(f"{device}.{own}" for device in devices(session))]


def _added(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(("+", one) for one in parts))[1:]


def _of_device(name: str) -> str:
    """Say what a result of another device, or of all of them, is; "" for others."""
    device, _, own = name.rpartition(".")
    if not device or own not in DEVICE_RESULTS:
        return ""
    metric = BY_NAME[own]
    of = "sum of all devices" if device == WHOLE else f"of {device}"
    return f"{metric.about or metric.head}, {of}"


def _over_time(
    name: str, results: Mapping[str, Result]
) -> tuple[tuple[str, ...], dict[str, float]]:
    """Get the formula of a mean power of a device by its energy, with its values."""
    device = name.removesuffix("power_w")
    formula = tuple(part.replace("energy", f"{device}energy") for part in _BY_TIME)
    known = {n: r.value for n, r in results.items() if r.value is not None}
    return _with_figures(formula, known)


def _worked_out(
    name: str, parts: Sequence[str], inputs: Mapping[str, float]
) -> tuple[tuple[str, ...], dict[str, float]]:
    """Get the formula of a value by others of its row, with their values."""
    formula = _added(parts) or FORMULAS.get(name, ())
    return _with_figures(formula, inputs, whole=bool(parts))


def _with_figures(
    formula: tuple[str, ...], inputs: Mapping[str, float], *, whole: bool = False
) -> tuple[tuple[str, ...], dict[str, float]]:
    """Get a formula with the values of its names; nothing where none is known."""
    if {*formula[1::2]} == {
        "+"
    } and not whole:  # What a load does not do is no part of the sum.
        done = [name for name in formula if name in inputs]
        formula = _added(done)
    figures = {part: inputs[part] for part in formula if part in inputs}
    return (formula if figures else ()), figures


def _named(
    figures: Mapping[str, float], row: Mapping[str, object], rest: Mapping[str, object]
) -> Iterator[Sum]:
    """Say what names in a formula stand for that are results of no row.

    Args:
        figures: The values of the formula's names.
        row: The row that is explained.
        rest: The one of the device at rest.
    """
    for name, own in RENAMED.items():
        if name in figures:
            yield Sum(name, own, f"{figures[name]!r}", None)
    if MEAN not in figures:
        return
    power, duty = number_of(row, "power_w"), duty_of(row)
    if duty >= 1.0:
        yield Sum(MEAN, "power_w", f"{power!r}", None)
        return
    idle = number_of(rest, "power_w")
    of = f'{MEAN_OF_LOAD}, idle_w being the power_w of "{rest["step"]}"'
    made = f"{duty:g} x {power!r} + (1 - {duty:g}) x {idle!r}"
    yield Sum(MEAN, of, made, figures[MEAN])


def _lack(
    step: StepRow,
    row: Mapping[str, object],
    name: str,
    stored: Result | None,
    parts: Iterable[str],
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
    named_parts = [p for p in FORMULAS.get(name, ()) if p in BY_NAME]
    lacking = [p for p in (*parts, *named_parts) if p not in inputs]
    if lacking:
        return f"the row has no {', no '.join(lacking)}, which it is worked out of"
    return f"nothing of this row ({step.engine}) and of the bench's sources gives it"


def _by_wh(name: str, channels: Iterable[Channel]) -> bool:
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
    session: Session, stored: Result | None, row: Mapping[str, object], name: str
) -> tuple[float | None, str]:
    """Get value and unit: as stored, else as the row has them."""
    if stored is not None:
        return stored.value, stored.unit
    metric = BY_NAME.get(name.rpartition(".")[2])
    unit = metric.unit if metric is not None else ""
    unit = DERIVED_UNITS.get(name, unit)
    return number_of(row, name), unit.format(currency=economics_of(session).currency)


def _thin(row: Mapping[str, object], name: str) -> str:
    """Say what a percentile is that rests on few I/Os; "" where it is usable."""
    tail, metric = thin_percentiles(row).get(name), BY_NAME.get(name)
    if tail is None or metric is None:
        return ""
    return f"{metric.about}; {TAILS[tail]}"


def _row(
    session: Session, label: str, rows: Mapping[str, Mapping[str, object]]
) -> tuple[StepRow, Mapping[str, object]]:
    for step in session.steps():
        if step.label == label and label in rows:
            return step, rows[label]
    raise BadInput(
        f'there is no row "{label}"{did_you_mean(label, rows)}',
        where=str(session.path),
        way_out=f"Rows: {', '.join(rows)}.",
    )


def result_named(column: str) -> str:
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
