"""Expanded uncertainties of a report: of what was metered, and of what follows."""

import math
from collections.abc import Mapping, Sequence

from app.analysis.uncertainty import COVERAGE
from app.record.store import Result
from app.report.table import STEP, Cell, Column, Table, column_of, number_of
from instruments.metric import BY_NAME, Group, of_group

HEADING = f"Expanded uncertainty (k = {COVERAGE:g})"
KEY = "uncertainty"
"""The key of a row of the report under which they stand, by the names of results."""

_OF_POWER = tuple(metric.name for metric in of_group(Group.EFFICIENCY))
"""What follows from power, and has its relative uncertainty."""

_SHOWN = ("power_w", "power_peak_w", "energy_wh", "lambda", *_OF_POWER)


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

    The rates of IOPS/W and the like are counted, not metered; so are capacity, price
    and PUE taken as they are said.
    """
    found = {
        result.name: (result.u_meter, result.u_scatter)
        for result in results
        if result.u_meter is not None
        and result.value is not None
        # A mean of a single reading scatters, nobody knows how much.
        and (result.u_scatter is not None or not result.name.endswith("power_w"))
    }
    power = number_of(row, "power_w")
    if power and "power_w" in found:
        meter, scatter = found["power_w"]
        for name in _OF_POWER:
            if (value := number_of(row, name)) is not None:
                share = abs(value / power)
                found[name] = meter * share, scatter and scatter * share
    return found


def expanded_table(rows: Sequence[Mapping[str, object]]) -> Table | None:
    """Make the table; None where nothing is known of any row's meter."""
    told = {str(row["step"]): row.get(KEY) for row in rows}
    known = {k: v for k, v in told.items() if isinstance(v, Mapping) and v}
    if not known:
        return None
    names = [n for n in _SHOWN if any(n in values for values in known.values())]
    # One digit more than the value has: an uncertainty of nought says nothing.
    columns = [column_of(BY_NAME[name]) for name in names]
    finer = [Column(c.head, c.key, c.decimals + 1) for c in columns]
    cells: list[tuple[Cell, ...]] = [
        (step, *(values.get(name) for name in names)) for step, values in known.items()
    ]
    return Table((STEP, *finer), tuple(cells))
