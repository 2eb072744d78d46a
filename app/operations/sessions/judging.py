"""Judging rows that were computed otherwise, by the limits and gates of their plan."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.analysis.again.recompute import RowOtherwise
from app.analysis.coverage import coverage_of
from app.analysis.rules.gates import GateState, JudgedGate, judge_gates
from app.analysis.rules.row_figures import RowRecord
from app.analysis.rules.run_figures import figure_of
from app.campaign.run.judge import judge_values
from app.plan.gates import Gate, gates
from app.plan.limits import Limit, Rule, parse_limit
from app.plan.verdict import Verdict
from app.record.store import Session
from instruments.files.foreign_text import stored_toml


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
