"""A session judged by a checklist: each rule met, not met or not judged, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.analysis.rules.judged_row import judged_row
from app.analysis.rules.row_figures import Lack
from app.plan.gates import Checklist, Gate, Rows
from app.plan.step import RESTING
from app.plan.verdict import Outcome
from app.record.store import Session


class RuleState(StrEnum):
    """What became of a rule."""

    MET = "met"
    NOT_MET = "not met"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class JudgedRule:
    """A rule and a session.

    Attributes:
        rule: The rule.
        state: Not met where one row breaks it; met where all rows keep it; not judged
            where none breaks it and of some it is not known.
        values: What it bounds, by the labels of the rows that it is judged of.
        lacks: Why other rows were not judged, by their labels.
    """

    rule: Gate
    state: RuleState
    values: Mapping[str, float]
    lacks: Mapping[str, Lack]

    @property
    def broken(self) -> dict[str, float]:
        """What it bounds, of the rows that break it."""
        return {k: v for k, v in self.values.items() if not self.rule.lets(v)}

    @property
    def worst(self) -> tuple[str, float] | None:
        """The row that is the farthest outside, else the nearest to a bound."""
        rule = self.rule

        def room(value: float) -> float:
            sides = [value - rule.low] if rule.low is not None else []
            sides += [rule.high - value] if rule.high is not None else []
            return min(sides, default=0.0)

        return min(self.values.items(), key=lambda one: room(one[1]), default=None)


class JudgedRows:
    """The rows of a session, to be judged by any checklist.

    Args:
        session: The session.
    """

    def __init__(self, session: Session) -> None:
        # VOID rows and cool-downs are quoted by nobody.
        self._rows = {
            step.label: (step.engine, row.figures)
            for step in session.steps()
            if step.outcome == Outcome.DONE and step.engine != "cooldown"
            if (row := judged_row(session, step)) is not None
        }

    def judge(self, checklist: Checklist) -> list[JudgedRule]:
        """Judge every rule of a checklist."""
        return [self._judged(rule) for rule in checklist.rules]

    def _judged(self, rule: Gate) -> JudgedRule:
        values: dict[str, float] = {}
        lacks: dict[str, Lack] = {}
        for label, (engine, figures) in self._rows.items():
            kind = Rows.IDLE if engine in RESTING else Rows.LOAD
            if rule.measure is None or rule.rows not in (Rows.ALL, kind):
                continue
            figure = figures[rule.measure]
            if figure is Lack.NOT_TRACKED:
                continue
            if isinstance(figure, Lack):
                lacks[label] = figure
            else:
                values[label] = figure
        state = RuleState.NOT_JUDGED
        if not all(map(rule.lets, values.values())):
            state = RuleState.NOT_MET
        elif values and not lacks:
            state = RuleState.MET
        return JudgedRule(rule, state, values, lacks)


def counts_of(judged: Sequence[JudgedRule]) -> dict[RuleState, int]:
    """Count the rules in each state."""
    return {state: sum(j.state is state for j in judged) for state in RuleState}
