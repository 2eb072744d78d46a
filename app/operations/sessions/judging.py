"""Judging sessions: rows that were computed otherwise, and checklists of methods."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from app.analysis.again.recompute import RowOtherwise
from app.analysis.coverage import coverage_of
from app.analysis.interrupted import open_session
from app.analysis.rules.checklists import JudgedRows, counts_of
from app.analysis.rules.gates import GateState, JudgedGate, judge_gates
from app.analysis.rules.row_figures import RowRecord
from app.analysis.rules.run_figures import figure_of
from app.campaign.run.judge import judge_values
from app.plan.gates import Checklist, Gate, checklists, gates
from app.plan.limits import Limit, Rule, parse_limit
from app.plan.verdict import Verdict
from app.record.store import Session
from app.report.checklists import (
    as_json,
    checklist_tables,
    judged_checklists,
    rules_table,
)
from app.report.table import Table
from app.report.text import aligned
from instruments.errors import BadInput
from instruments.files.foreign_text import stored_toml
from instruments.settings import did_you_mean


@dataclass(frozen=True, slots=True)
class JudgedAgain:
    """A row computed otherwise, as it would have been judged.

    Attributes:
        verdict: By limits and gates; None where the plan has none, or there is no row.
        reason: Why it is not PASS.
        gates: Those that the plan asks for.
    """

    verdict: Verdict | None = None
    reason: str = ""
    gates: Sequence[JudgedGate] = ()

    def plain(self) -> dict[str, Any]:
        """Get it as plain values."""
        return {
            "verdict": self.verdict,
            "reason": self.reason or None,
            "gates": {
                one.gate.name: {
                    "state": str(one.state),
                    "value": one.value,
                    "lack": one.lack,
                }
                for one in self.gates
            },
        }


def judge_again(session: Session, one: RowOtherwise) -> JudgedAgain:
    """Judge a row as the run would have, had it measured what is measured otherwise.

    Limits and gates alone: what was seen of the disk and of sources was seen of the row
    as it was recorded.
    """
    plan = stored_toml(session.info.campaign)
    limits = _limits(plan, one)
    wanted = _gates(plan)
    if one.window is None or one.row is None or not (limits or wanted):
        return JudgedAgain()
    values = {result.name: result.value for result in one.results}
    end = judge_values(values, limits, "", (), coverage_of(one.results))
    verdict, reasons = end.verdict or Verdict.PASS, [end.reason]
    judged = _judged(session, one, one.window, wanted)
    if failed := [gate.text for gate in judged if gate.state is GateState.FAIL]:
        verdict, reasons = Verdict.ERROR, [*failed, *reasons]
    return JudgedAgain(verdict, "; ".join(filter(None, reasons)), judged)


def _judged(
    session: Session, one: RowOtherwise, window: tuple[int, int], wanted: list[Gate]
) -> Sequence[JudgedGate]:
    """Judge the gates of a row, as a run does; it judges none of a start-up."""
    if one.row is None or not wanted or one.step.engine == "startup":
        return ()
    with session.with_offsets(one.row.offset_id, one.row.instead):
        results = {result.name: result for result in one.results}
        label = str(one.row.plan.get("label", one.step.label))
        row = RowRecord(session, one.step.id, label, window, results)
        return judge_gates(partial(figure_of, row), wanted)


def _limits(plan: Mapping[str, object], one: RowOtherwise) -> list[Limit]:
    named = plan.get("rule")
    by = next((rule for rule in Rule if rule == named), Rule.SIMPLE)
    texts = one.row.plan.get("limits") if one.row is not None else None
    found = []
    for text in texts if isinstance(texts, list) else ():
        with contextlib.suppress(ValueError, TypeError):
            found.append(parse_limit(text, by))
    return found


def _gates(plan: Mapping[str, object]) -> list[Gate]:
    names = plan.get("gates")
    return [one for one in gates() if isinstance(names, list) and one.name in names]


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
