"""Judge a session by the checklists of methods."""

from pathlib import Path

from app.analysis.interrupted import open_session
from app.analysis.rules.checklists import JudgedRows, counts_of
from app.plan.gates import Checklist, checklists
from app.report.checklists import (
    as_json,
    checklist_tables,
    judged_checklists,
    rules_table,
)
from app.report.table import Table
from app.report.text import aligned
from instruments.errors import BadInput
from instruments.settings import did_you_mean


def find_checklist(name: str) -> Checklist:
    """Find a checklist by its name; raises BadInput where there is none."""
    known = checklists()
    if name not in known:
        raise BadInput(
            f'there is no checklist "{name}"{did_you_mean(name, known)}',
            way_out=f"There are {', '.join(known)}.",
        )
    return known[name]


def checklist_text(path: Path, name: str) -> str:
    """Judge a session for the terminal.

    Args:
        path: The session.
        name: Of a checklist; "" for how many rules of each are met.
    """
    chosen = find_checklist(name) if name else None
    with open_session(path) as session:
        if chosen is None:
            tables = checklist_tables(judged_checklists(session))[:1]
            lines = [line for _, table in tables for line in aligned(table)]
            names = ", ".join(checklists())
            last = f"bayscope checklist SESSION NAME has every rule of one: {names}."
            nothing = ["No row was measured, so no rule was judged."]
            return "\n".join([*(lines or nothing), "", last])
        rules = JudgedRows(session).judge(chosen)
    table = rules_table(chosen, rules)
    # Sources are longer than a line of a terminal.
    short = Table(table.columns[:-1], tuple(line[:-1] for line in table.rows))
    sources = [f"- {line[0]}: {line[-1]}" for line in table.rows]
    head = [f"{chosen.title}: {chosen.about}", ""]
    return "\n".join([*head, *aligned(short), "", "Sources", *sources])


def checklist_json(path: Path, name: str) -> dict[str, object]:
    """Judge a session as plain values, by one checklist or by all."""
    wanted = [find_checklist(name)] if name else list(checklists().values())
    with open_session(path) as session:
        rows = JudgedRows(session)
        found = {one.name: rows.judge(one) for one in wanted}
    return {
        "file": str(path),
        "checklists": {
            one.name: {
                "title": one.title,
                "counts": {str(k): n for k, n in counts_of(found[one.name]).items()},
                "rules": [as_json(rule) for rule in found[one.name]],
            }
            for one in wanted
        },
    }
