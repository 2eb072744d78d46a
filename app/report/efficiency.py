"""The table of efficiency: work per watt, watts per terabyte, money in a year."""

from collections.abc import Sequence

from app.analysis.economics import Economics, per_watt
from app.calc.energy import kwh_per_year
from app.plan.step import Role
from app.plan.verdict import Outcome
from app.record.store import Session
from app.report.table import STEP, Cell, Column, Row, Table, number_of
from instruments.files.foreign_text import stored_table
from instruments.metric import Group, of_group

EFFICIENCY = "Efficiency and cost"
"""The heading of the table."""

IOPS_PER_W, MB_S_PER_W = "iops_per_w", "mb_s_per_w"
W_PER_TB, WHOLE_W_PER_TB = "w_per_tb", "whole_w_per_tb"
KWH_PER_YEAR, COST_PER_YEAR = "kwh_per_year", "cost_per_year"

IDLE = "idle"

_UNTOLD = (None, "", *(role for role in Role if role not in (Role.IDLE, Role.OFF)))
_DRIVES = "drive_max_c"

_RATES = {"iops": IOPS_PER_W, "bandwidth_mb_s": MB_S_PER_W}


def economics_of(session: Session) -> Economics:
    """Get what the bench of a session says of capacity and price."""
    dut, cost = (stored_table(session.info.bench, name) for name in ("dut", "cost"))
    shares = [number_of(cost, key) for key in ("pue", "duty")]
    return Economics(
        number_of(dut, "capacity_tb"),
        number_of(cost, "price_per_kwh"),
        str(cost.get("currency", "EUR")),
        *(1.0 if share is None else share for share in shares),
    )


def idle_row(rows: Sequence[Row]) -> Row:
    """Get the row of the device at rest; an empty one where there is none.

    It is the last one that is done and has the role in the plan. Where no row has a
    role but what is of the noise, it is the last idle row that is done, and one
    with temperatures of drives where any row has them: a device that is off, or whose
    drives are not there, does not idle.
    """
    idle = [row for row in rows if row.get("engine") == IDLE]
    done = [
        row
        for row in idle
        if row.get("outcome") == Outcome.DONE and number_of(row, "power_w") is not None
    ]
    if any(row.get("role") not in _UNTOLD for row in rows):
        done = [row for row in done if row.get("role") == Role.IDLE]
    else:
        done = [row for row in done if not row.get("role")]
        if any(number_of(row, _DRIVES) is not None for row in rows):
            done = [row for row in done if number_of(row, _DRIVES) is not None]
    return done[-1] if done else {}


def efficiency_of(
    row: Row,
    economics: Economics,
    whole: str,
    idle_w: float | None = None,
) -> dict[str, float]:
    """Compute what follows from the power of a row; nothing where it has none.

    Nothing follows from that of a cool-down either: it has no level of its own.
    """
    power = number_of(row, "power_w")
    if power is None or row.get("engine") == "cooldown":
        return {}
    found = {own: per_watt(number_of(row, key), power) for key, own in _RATES.items()}
    found[W_PER_TB] = economics.watts_per_tb(power)
    is_load = row.get("engine") != IDLE
    mean = economics.mean_of_year(power, idle_w) if is_load else power
    if mean is not None:
        found[KWH_PER_YEAR] = kwh_per_year(mean)
        found[COST_PER_YEAR] = economics.cost_per_year(mean)
    all_power = number_of(row, f"{whole}.power_w")
    if all_power is not None:
        found[WHOLE_W_PER_TB] = economics.watts_per_tb(all_power)
    return {key: value for key, value in found.items() if value is not None}


def efficiency_table(rows: Sequence[Row], economics: Economics) -> Table | None:
    """Make the table; None where there is neither work per watt nor a capacity.

    Cool-downs, void rows, rows without power and columns without a value are left out.
    """
    duty = ""
    if economics.duty < 1.0:
        rest = idle_row(rows).get("step", "")
        duty = f", {economics.duty:.0%} under load, else {rest}"
    price = economics.price_per_kwh or 0.0
    about = {
        KWH_PER_YEAR: f" (PUE 1{duty})",
        COST_PER_YEAR: f" ({economics.currency}, {price:g} per kWh, "
        f"PUE {economics.pue:g}{duty})",
    }
    columns = [
        Column(one.head + about.get(one.name, ""), one.name, one.decimals)
        for one in of_group(Group.EFFICIENCY)
    ]
    wanted = (IOPS_PER_W, MB_S_PER_W, W_PER_TB)
    known = (*wanted, KWH_PER_YEAR)
    shown = [
        row
        for row in rows
        if any(number_of(row, key) is not None for key in known)
        and row.get("outcome") != Outcome.VOID
    ]
    if not any(number_of(row, key) is not None for row in shown for key in wanted):
        return None
    used = [
        c for c in columns if any(number_of(row, c.key) is not None for row in shown)
    ]
    cells: list[tuple[Cell, ...]] = [
        (str(row["step"]), *(number_of(row, column.key) for column in used))
        for row in shown
    ]
    return Table((STEP, *used), tuple(cells))
