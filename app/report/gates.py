"""The gates and the quality of the rows of a report."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from app.analysis.rules.gates import GateState, JudgedGate, judge_gates
from app.analysis.rules.judged_row import judged_row
from app.analysis.rules.quality import Part
from app.analysis.rules.row_figures import Lack
from app.plan.gates import gates
from app.record.store import Session, StepRow
from app.report.numbers import PLAIN, NumberStyle
from app.report.table import STEP, Cell, Column, Kind, Label, Table, number_of

HEADING = "Gates"
KEY = "gates"
"""The key of a row of the report under which its gates stand, by their names."""

QUALITY = (Column("Quality (0 to 100)", "quality"),)
QUALITY_HEADING = "Quality of rows"
NOT_KNOWN, ALL_ROWS = "not known", "All rows"
PART = "quality."
"""Before the name of a part of it, as the key of its column."""

_MOST_NAMED = 24
"""This many rows that do not meet a gate are named."""

LACKS: Mapping[Lack, str] = {
    Lack.NO_POWER: "no mean power",
    Lack.NOT_POSITIVE: "power or energy is not above 0",
    Lack.NO_ACCURACY: "the accuracy of the meter is not known",
    Lack.FEW_READINGS: "too few readings",
    Lack.GAPS: "readings of power are missing",
    Lack.NO_INTEGRATOR: "no energy of an integrator",
    Lack.COARSE: "the integrator cannot resolve so little energy",
    Lack.NO_NOMINAL: "mains_voltage is not in [dut] of the bench",
    Lack.NO_VOLTAGE: "no voltage was recorded",
    Lack.NO_FREQUENCY: "no frequency was recorded",
    Lack.NO_ROOM: "no room temperature was recorded",
    Lack.NO_RANGING: "no ranging pass of this step with power",
    Lack.NO_HOSTS: "no load hosts",
    Lack.NO_CLOCK: "clock of a load host not known before and after",
    Lack.NO_SOUND: "no sound level",
    Lack.NO_RECHECK: "no row of the sound meter's calibrator before and after it",
    Lack.NO_START: "when the step began is not recorded",
    Lack.NO_LATENCY: "no latency",
    Lack.NO_RANGE: "no range of a meter was recorded",
    Lack.NO_ROUNDS: "no rounds were run",
    Lack.NOT_TRACKED: "another row is tracked from round to round",
    Lack.NO_CALIBRATION: "calibrated is not at the meter in the bench",
    Lack.NO_TONE: "no calibrator sounded in a row of calibration",
}

_Judged = Mapping[str, Mapping[str, object]]
"""The gates of a row by their names."""


def with_gates(
    session: Session, rows: Iterable[Mapping[str, object]]
) -> list[dict[str, object]]:
    """Add gates, quality and the spread of power to rows of a report.

    Added to each row with a measured window are "gates", "quality", "quality_parts",
    "quality_worst", "throttled", "power_sd_w", "power_slope_w_per_s", "power_min_w" and
    "power_max_w".
    """
    steps = {step.label: step for step in session.steps()}
    return [{**row, **_judged(session, steps[str(row["step"])])} for row in rows]


def _judged(session: Session, step: StepRow) -> dict[str, object]:
    """Get what `with_gates` adds to a row."""
    judged = judged_row(session, step)
    row: dict[str, object] = {}
    if judged is not None:
        gates_of = judge_gates(judged.figures.__getitem__)
        row[KEY] = {one.gate.name: _plain(one) for one in gates_of}
        quality = judged.quality
        row["quality"] = quality.figure
        row["quality_worst"] = quality.worst
        row["quality_parts"] = {str(k): v for k, v in quality.parts.items()}
        row["throttled"] = quality.throttled
        if (spread := quality.spread) is not None:
            row["power_sd_w"] = spread.sd_w
            row["power_slope_w_per_s"] = spread.slope_w_per_s
            row["power_min_w"], row["power_max_w"] = spread.min_w, spread.max_w
    return row


def _plain(one: JudgedGate) -> dict[str, object]:
    gate = one.gate
    return {
        "state": str(one.state),
        "value": one.value,
        "low": gate.low,
        "high": gate.high,
        "unit": gate.unit,
        "missing": one.lack and str(one.lack),
    }


def gates_table(rows: Sequence[Mapping[str, object]]) -> Table | None:
    """Make the table of rows with gates; None where none was judged of any row.

    Gates that were judged of some row are columns; why others were not stands last, and
    what is so of all rows in a line below them.
    """
    judged = {str(row["step"]): by_gate for row, by_gate in _with(rows, KEY)}
    shown = [gate for gate in gates() if _has_values(judged.values(), gate.name)]
    if not shown:
        return None
    columns = (
        STEP,
        *(Column(f"{gate.title} ({gate.bounds})", gate.name) for gate in shown),
        Column("Not judged", "reason"),
    )
    lacks, of_all = _lacks_of_rows(judged)
    cells: list[tuple[Cell, ...]] = [
        (step, *(_state(by_gate[gate.name]) for gate in shown), lacks[step])
        for step, by_gate in judged.items()
    ]
    if of_all:
        cells.append((ALL_ROWS, *(None for _ in shown), of_all))
    return Table(columns, tuple(cells), Kind.GATES)


def _with(
    rows: Iterable[Mapping[str, object]], key: str
) -> list[tuple[Mapping[str, object], Mapping[Any, Any]]]:
    """Get the rows that were judged, each with what stands there under a key."""
    found = ((row, row.get(key)) for row in rows)
    return [(row, parts) for row, parts in found if isinstance(parts, Mapping)]


def _has_values(judged: Iterable[_Judged], name: str) -> bool:
    """Tell whether a gate was judged of some row."""
    return any(by_gate[name]["value"] is not None for by_gate in judged)


def quality_table(rows: Sequence[Mapping[str, object]]) -> Table | None:
    """Make the table of the quality of rows with its parts; None where there is none.

    Parts that are known of some row are columns, and throttling always.
    """
    known = _with(rows, "quality_parts")
    if not known:
        return None
    some = {part for _, parts in known for part in Part if parts[part] is not None}
    shown = [part for part in Part if part in some | {Part.THROTTLING}]
    columns = (
        STEP,
        *QUALITY,
        Column("Held back by", "of"),
        *(Column(head_of_part(part), f"{PART}{part}") for part in shown),
    )
    cells: list[tuple[Cell, ...]] = []
    for row, parts in known:
        figures = (_figure(parts, part) for part in shown)
        worst = str(row["quality_worst"] or "")
        cells.append((str(row["step"]), number_of(row, "quality"), worst, *figures))
    return Table(columns, tuple(cells), Kind.QUALITY)


def head_of_part(part: Part) -> str:
    """Get the head of the column of a part of quality."""
    return f"{part[:1].upper()}{part[1:]}"


def _figure(parts: Mapping[str, object], part: Part) -> Cell:
    if part is Part.THROTTLING and parts[part] is None:
        return NOT_KNOWN
    return number_of(parts, part)


def unmet_gates(
    rows: Sequence[Mapping[str, object]], style: NumberStyle = PLAIN
) -> list[Label]:
    """Say of each gate that was not met in which rows, and by which figure."""
    found, judged = [], _with(rows, KEY)
    for gate in gates():
        unmet = [
            f"{row['step']} " + style.write(f"{one['value']:.3g}")
            for row, by_gate in judged
            if (one := by_gate[gate.name])["state"] == GateState.FAIL
        ]
        if unmet:
            many = f" ({len(unmet)} rows)" * (len(unmet) > _MOST_NAMED)
            named = [*unmet[:_MOST_NAMED], *["..."] * bool(many)]
            head = f"{gate.title} is not {gate.bounds}{many}: "
            found.append(Label(head, ", ".join(named)))
    return found


def _state(judged: Mapping[str, object]) -> str | None:
    value = number_of(judged, "value")
    return None if value is None else f"{judged['state']} {value:.3g}"


def _lacks(by_gate: _Judged) -> dict[str, str]:
    """Get what is missing for each gate that was not judged."""
    return {
        name: LACKS[Lack(str(one["missing"]))]
        for name, one in by_gate.items()
        if one["state"] == GateState.NOT_JUDGED
    }


def _lacks_of_rows(judged: Mapping[str, _Judged]) -> tuple[dict[str, str], str]:
    """Say of each row what was not judged of it alone, and what of all of several."""
    lacks = {step: _lacks(by_gate).items() for step, by_gate in judged.items()}
    alike = set.intersection(*map(set, lacks.values())) if len(lacks) > 1 else set()
    own = {step: _named_by_lack(set(of) - alike, of) for step, of in lacks.items()}
    return own, _named_by_lack(alike, next(iter(lacks.values())))


def _named_by_lack(
    chosen: Container[tuple[str, str]], lacks: Iterable[tuple[str, str]]
) -> str:
    """Name what was not judged, by what is missing for it; in the order of `lacks`."""
    named: dict[str, list[str]] = {}
    for name, why in lacks:
        if (name, why) in chosen:
            named.setdefault(why, []).append(name)
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in named.items())
