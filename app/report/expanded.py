"""Expanded uncertainties of a report: of what was metered, and of what follows."""

import math
from collections.abc import Mapping, Sequence

from app.analysis.derived import FACTS, FORMULAS, WHOLE, derived_of
from app.analysis.uncertainty import COVERAGE
from app.record.store import Result
from app.report.table import STEP, Cell, Column, Kind, Table, column_of, number_of
from instruments.metric import BY_NAME

HEADING = f"Expanded uncertainty (k = {COVERAGE:g})"
KEY = "uncertainty"
"""The key of a row of the report under which they stand, by the names of results."""

_SHOWN = ("power_w", "power_peak_w", "energy_wh", "lambda", *FORMULAS)
_IDLE, _IDLE_METER, _IDLE_SCATTER = "idle_w", "idle_u_meter", "idle_u_scatter"
"""Facts of a row: power at rest, which a year has a share of, and its uncertainties."""


def expanded(results: Sequence[Result], row: Mapping[str, object]) -> dict[str, float]:
    """Get twice the standard uncertainties of a row, in the unit of each value.

    Args:
        results: Of the row's step.
        row: Of the report, with what follows from its results.
    """
    return {
        name: COVERAGE * math.hypot(meter, scatter or 0.0)
        for name, (meter, scatter) in standard(results, row).items()
    }


def standard(
    results: Sequence[Result], row: Mapping[str, object]
) -> dict[str, tuple[float, float | None]]:
    """Get the standard uncertainties of a row: by its meters, and by scatter.

    What follows from others has theirs, each shifted by its uncertainty and back. The
    rates of IOPS/W and the like are counted, not metered; so are capacity, price and
    PUE taken as they are said. Power at rest is of the same meter as power under load:
    their errors are one, and add up in the mean of a year (GUM 5.2.2).
    """
    measured = {
        result.name: (result.u_meter, result.u_scatter)
        for result in results
        if result.u_meter is not None and _is_known(result)
    }
    parts = {
        name: pair
        for name, pair in measured.items()
        if name == "lambda" or name.endswith("power_w")
    }
    facts = _facts(row)
    idle_meter = facts.get(_IDLE_METER)
    by_meter = [
        _changes(row, {part: meter, _IDLE: idle_meter or 0.0})
        if part == "power_w"
        else _changes(row, {part: meter})
        for part, (meter, _) in parts.items()
    ]
    by_scatter = [_changes(row, {part: u}) for part, (_, u) in parts.items() if u]
    by_scatter.append(by_rest(row))
    lacking = _changes(row, {_IDLE: 1.0}) if idle_meter is None else {}
    following = {
        name: (meter, _together(by_scatter, name) or None)
        for name in derived_of(row)
        if (meter := _together(by_meter, name)) and not lacking.get(name)
    }
    return measured | following


def rest_of(results: Sequence[Result]) -> dict[str, float]:
    """Get how well power at rest is known, as facts; none where that is not known."""
    for one in results:
        if one.name == "power_w" and one.u_meter is not None and _is_known(one):
            return {_IDLE_METER: one.u_meter, _IDLE_SCATTER: one.u_scatter or 0.0}
    return {}


def by_rest(row: Mapping[str, object]) -> Mapping[str, float]:
    """Get how far figures of a row move by what power at rest scatters.

    All runs of a step share that: their scatter does not show it.
    """
    return _changes(row, {_IDLE: _facts(row).get(_IDLE_SCATTER, 0.0)})


def _facts(row: Mapping[str, object]) -> Mapping[str, float]:
    facts = row.get(FACTS)
    return facts if isinstance(facts, Mapping) else {}


def _together(changes: Sequence[Mapping[str, float]], name: str) -> float:
    """Add up what independent measured values change of a figure."""
    return math.hypot(*(change.get(name, 0.0) for change in changes))


def _is_known(result: Result) -> bool:
    # A mean of a single reading scatters, nobody knows how much.
    is_single = result.u_scatter is None and result.name.endswith("power_w")
    return result.value is not None and not is_single


def _changes(
    row: Mapping[str, object], shifts: Mapping[str, float]
) -> Mapping[str, float]:
    """Get how far figures move with values and facts, half of there and back."""

    def moved(sign: int) -> dict[str, float]:
        values, facts = dict(row), dict(_facts(row))
        for part, shift in shifts.items():
            whole = f"{WHOLE}.power_w"
            for name in (part, whole) if part.endswith("power_w") else (part,):
                if (value := number_of(row, name)) is not None:
                    values[name] = value + sign * shift
            if part in facts:
                facts[part] += sign * shift
        return derived_of({**values, FACTS: facts})

    up, down = moved(1), moved(-1)
    return {name: (up[name] - down[name]) / 2 for name in up.keys() & down.keys()}


def expanded_table(rows: Sequence[Mapping[str, object]]) -> Table | None:
    """Make the table; None where nothing is known of any row's meter."""
    uncertainties = {str(row["step"]): row.get(KEY) for row in rows}
    known = {k: v for k, v in uncertainties.items() if isinstance(v, Mapping) and v}
    if not known:
        return None
    names = [n for n in _SHOWN if any(n in values for values in known.values())]
    # One digit more than the value has: an uncertainty of nought says nothing.
    columns = [column_of(BY_NAME[name]) for name in names]
    finer = [Column(c.head, c.key, c.decimals + 1) for c in columns]
    cells: list[tuple[Cell, ...]] = [
        (step, *(values.get(name) for name in names)) for step, values in known.items()
    ]
    return Table((STEP, *finer), tuple(cells), Kind.UNCERTAINTIES)
