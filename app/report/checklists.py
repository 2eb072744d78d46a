"""The checklists of a session as tables: one that sums up, and one for each."""

from collections.abc import Sequence

from app.analysis.rules.checklists import (
    JudgedRows,
    JudgedRule,
    RuleState,
    counts_of,
)
from app.plan.gates import Checklist, Gate, checklists, gates
from app.record.store import Session
from app.report.gates import LACKS
from app.report.table import Cell, Column, Kind, Table
from instruments.sizes import counted

SUMMARY = "Checklists"
"""The heading of the table that sums up."""

_NONE = RuleState.NOT_JUDGED
_SUMMARY = (
    Column("Method", "source"),
    Column("Met", "met"),
    Column("Not met", "not_met"),
    Column("Not judged", "not_judged"),
    Column("What is not met", "reason"),
)
_RULES = (
    Column("Rule", "rule"),
    Column("State", "state"),
    Column("In this session", "reason"),
    Column("Source", "source"),
)


def judged_checklists(session: Session) -> list[tuple[Checklist, list[JudgedRule]]]:
    """Judge a session by every checklist but the gates, which are of single rows."""
    rows = JudgedRows(session)
    found = [one for one in checklists().values() if one.rules != gates()]
    return [(one, rows.judge(one)) for one in found]


def checklist_tables(
    judged: Sequence[tuple[Checklist, Sequence[JudgedRule]]],
) -> list[tuple[str, Table]]:
    """Make the tables of some checklists: that which sums up, then one for each.

    Of a list of which nothing was judged there is none, and none at all of a session
    without a measured row.
    """
    used = [one for one in judged if counts_of(one[1])[_NONE] < len(one[1])]
    if not used:
        return []
    lines: list[tuple[Cell, ...]] = []
    for one, rules in judged:
        counts = counts_of(rules)
        broken = [j.rule.title for j in rules if j.state is RuleState.NOT_MET]
        lines.append(
            (one.title, *(float(n) for n in counts.values()), "; ".join(broken))
        )
    each = [(one.title, rules_table(one, rules)) for one, rules in used]
    return [(SUMMARY, Table(_SUMMARY, tuple(lines), Kind.CHECKLISTS)), *each]


def rules_table(of: Checklist, rules: Sequence[JudgedRule]) -> Table:
    """Make the table of one checklist, a line for each rule.

    A line leads to the row that is the farthest off, or to one that was not judged.
    """
    leads = {
        line: (label, f"{of.name}.{one.rule.name}")
        for line, one in enumerate(rules)
        if (label := one.worst[0] if one.worst else next(iter(one.lacks), ""))
    }
    cells = tuple(
        (
            one.rule.title
            if one.rule.measure is None
            else f"{one.rule.title} ({one.rule.bounds})",
            str(one.state),
            deviation_of(one),
            f"{one.rule.source}{'' if one.rule.verified else '; not verified'}",
        )
        for one in rules
    )
    return Table(_RULES, cells, leads=leads)


def deviation_of(one: JudgedRule) -> str:
    """Say of a rule what the session has, and how far it is off."""
    if one.rule.measure is None:
        return "nothing recorded shows it: somebody has to look"
    parts = []
    if one.worst is not None:
        step, value = one.worst
        total = counted(len(one.values), "row")
        if one.broken:
            parts.append(
                f"{len(one.broken)} of {total} not; the farthest is {step} with "
                f"{_shown(one.rule, value)}"
            )
        else:
            parts.append(
                f"{total}; the nearest is {step} with {_shown(one.rule, value)}"
            )
    reasons = dict.fromkeys(LACKS[lack] for lack in one.lacks.values())
    if reasons:
        rows = counted(len(one.lacks), "row")
        parts.append(f"{rows} not judged: {', '.join(reasons)}")
    return "; ".join(parts) or "no row that it is judged of"


def _shown(rule: Gate, value: float) -> str:
    return rule.with_unit(f"{value:.4g}")


def as_json(one: JudgedRule) -> dict[str, object]:
    """Get a judged rule as plain values."""
    rule = one.rule
    return {
        "name": rule.name,
        "title": rule.title,
        "measure": rule.measure and str(rule.measure),
        "low": rule.low,
        "high": rule.high,
        "unit": rule.unit,
        "rows": str(rule.rows),
        "state": str(one.state),
        "values": dict(one.values),
        "broken": list(one.broken),
        "missing": {label: str(lack) for label, lack in one.lacks.items()},
        "deviation": deviation_of(one),
        "source": rule.source,
        "verified": rule.verified,
    }
