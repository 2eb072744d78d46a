"""The table of efficiency: work per watt, watts per terabyte, money in a year."""

import re
from collections.abc import Collection, Sequence

from app.analysis.derived import Economics
from app.plan.step import Role
from app.plan.verdict import Outcome
from app.record.store import Session
from app.report.table import (
    STEP,
    Cell,
    Column,
    Kind,
    Row,
    Table,
    columns_with_numbers,
    number_of,
)
from instruments.files.foreign_text import stored_table
from instruments.metric import METRICS, Group, Metric, of_group

EFFICIENCY = "Efficiency and cost"
"""The heading of the table."""

DERIVED = "Derived figures"
MADE = "How they are made"
"""Headings of further tables."""

IDLE = "idle"

MEAN = "mean_w"
MEAN_OF_LOAD = "duty x power_w + (1 - duty) x idle_w"
"""The mean power of a year as formulas name it, and how a row under load has it."""

_OTHER_ROLES = (None, "", *(role for role in Role if role not in (Role.IDLE, Role.OFF)))
"""Roles that do not say which row is of the device at rest."""
_DRIVES = "drive_max_c"

_OF_DUT = (
    *("capacity_tb", "net_capacity_tb", "usable_capacity_tb"),
    *("drives", "enclosure_w", "price"),
)
_OF_MONEY = ("price", "price_per_kwh")
_OF_COST = ("price_per_kwh", "co2_g_per_kwh")


def economics_of(session: Session) -> Economics:
    """Get what the bench of a session says of capacity and price."""
    dut, cost = (stored_table(session.info.bench, name) for name in ("dut", "cost"))
    known = {
        key: number_of(table, key)
        for table, keys in ((dut, _OF_DUT), (cost, _OF_COST))
        for key in keys
    }
    pue, duty = (number_of(cost, key) for key in ("pue", "duty"))
    return Economics(
        **known,
        currency=str(cost.get("currency", "EUR")),
        pue=1.0 if pue is None else pue,
        duty=1.0 if duty is None else duty,
    )


def idle_row(rows: Sequence[Row]) -> Row:
    """Get the row of the device at rest; an empty one where there is none.

    It is the last one that is done and has the role in the plan. Where no row has a
    role but what is of the noise, it is the last idle row that is done, and one
    with temperatures of drives where any row has them: a device that is off, or whose
    drives are not there, does not idle.
    """
    idle = [row for row in rows if _is_idle(row)]
    if any(row.get("role") not in _OTHER_ROLES for row in rows):
        idle = [row for row in idle if row.get("role") == Role.IDLE]
    else:
        idle = [row for row in idle if not row.get("role")]
        if any(map(_has_drives, rows)):
            idle = [*filter(_has_drives, idle)]
    return idle[-1] if idle else {}


def _is_idle(row: Row) -> bool:
    is_done = row.get("outcome") == Outcome.DONE
    has_power = number_of(row, "power_w") is not None
    return IDLE in (row.get("engine"), row.get("role")) and is_done and has_power


def _has_drives(row: Row) -> bool:
    return number_of(row, _DRIVES) is not None


def efficiency_tables(
    rows: Sequence[Row], economics: Economics
) -> list[tuple[str, Table | None]]:
    """Make the tables of derived figures, and the one of their formulas."""
    kinds = {EFFICIENCY: Group.EFFICIENCY, DERIVED: Group.DERIVED}
    found = {
        title: _table(rows, economics, of_group(group))
        for title, group in kinds.items()
    }
    shown = {
        column.key
        for table in found.values()
        for column in (table.columns if table else ())
    }
    return [*found.items(), (MADE, _made(shown, rows, economics))]


def terms_of(rows: Sequence[Row], economics: Economics) -> dict[str, str]:
    """Say what figures of a year and prices are at, by the names of results.

    Args:
        rows: Of a report; the one at rest is named where it has a share of the year.
        economics: What the bench says.
    """
    duty = ""
    if economics.duty < 1.0:
        rest = idle_row(rows).get("step", "")
        duty = f", {economics.duty:.0%} under load, else {rest}"
    price, co2 = economics.price_per_kwh or 0.0, economics.co2_g_per_kwh or 0.0
    centre = f"PUE {economics.pue:g}{duty}"
    return {
        "kwh_per_year": f"PUE 1{duty}",
        "cost_per_year": f"{economics.currency}, {price:g} per kWh, {centre}",
        "co2_kg_per_year": f"{co2:g} g per kWh, {centre}",
        "price_per_tb": economics.currency,
        "price_per_iops": economics.currency,
    }


def with_terms(head: str, terms: str) -> str:
    """Put what a figure is at into the brackets behind its head."""
    if not terms:
        return head
    if head.endswith(")"):
        return f"{head.removesuffix(')')}, {terms})"
    return f"{head} ({terms})"


def _table(
    rows: Sequence[Row], economics: Economics, metrics: Sequence[Metric]
) -> Table | None:
    """Make a table of some figures; None where nothing says anything of a row.

    Cool-downs, void rows, rows without power and columns without a value are left out.
    """
    terms = terms_of(rows, economics)
    columns = [
        Column(with_terms(one.head, terms.get(one.name, "")), one.name, one.decimals)
        for one in metrics
    ]
    done = [row for row in rows if row.get("outcome") != Outcome.VOID]
    shown = [row for row in done if columns_with_numbers(columns, [row])]
    used = columns_with_numbers(columns, shown)
    # Of every session that has power: they say something beside others only.
    if all(column.key in _ALWAYS for column in used):
        return None
    cells: list[tuple[Cell, ...]] = [
        (str(row["step"]), *(number_of(row, column.key) for column in used))
        for row in shown
    ]
    return Table((STEP, *used), tuple(cells), Kind.EFFICIENCY)


_ALWAYS = ("kwh_per_year", "cost_per_year", "reactive_factor", "rise_k")
_NAMES = re.compile(r"[a-z_]\w*")


def _made(
    shown: Collection[str], rows: Sequence[Row], economics: Economics
) -> Table | None:
    """Make the table of formulas, with the facts of the bench that are in them."""
    facts = economics.facts(None)
    lines: list[tuple[Cell, ...]] = []
    for metric in METRICS:
        if metric.name in shown and metric.formula:
            names = _NAMES.findall(metric.formula)
            facts_used = [
                f"{name} = {facts[name]:g}"
                + f" {economics.currency}" * (name in _OF_MONEY)
                for name in names
                if name in facts
            ]
            _, _, made = metric.about.partition(" = ")
            lines.append((metric.head, made, ", ".join(facts_used)))
    if any(MEAN in str(made) for _, made, _ in lines):
        lines.append(_mean_made(rows, economics))
    heads = ("Figure", "Formula", "Of the bench")
    columns = tuple(
        Column(head, key)
        for head, key in zip(heads, ("source", "of", "reason"), strict=True)
    )
    return Table(columns, tuple(lines), Kind.FORMULAS) if lines else None


def _mean_made(rows: Sequence[Row], economics: Economics) -> tuple[Cell, ...]:
    """Say what the mean power of a year is that figures of it are made with."""
    if economics.duty >= 1.0:
        return MEAN, "power_w", ""
    rest = idle_row(rows)
    idle, label = number_of(rest, "power_w"), rest.get("step", "")
    known = "" if idle is None else f", idle_w = {idle:.1f} W ({label})"
    return MEAN, MEAN_OF_LOAD, f"duty = {economics.duty:g}{known}"
