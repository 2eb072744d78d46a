"""A sweep that is run in rounds, judged by its tracking variable as SSS-PTS does."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.analysis.steady.rules import SSS_PTS, Finding, WindowRule
from app.plan.passes import of_pass
from app.plan.rounds import LEAST, RoundsPlan
from app.plan.step import Step
from app.plan.verdict import Outcome
from app.record.store import Session
from instruments.metric import BY_NAME

_RULE = WindowRule(SSS_PTS, LEAST)


@dataclass(frozen=True, slots=True)
class Tracked:
    """The tracking variable of a matrix, round by round, and what is said of it.

    Attributes:
        label: Of the row that is tracked, in its first round.
        plan: What the plan asks for.
        values: It in each round that was run; NaN where it has none.
        finding: What the rule says of the last five.
    """

    label: str
    plan: RoundsPlan
    values: Sequence[float]
    finding: Finding

    @property
    def window(self) -> tuple[int, int]:
        """The first and the last of the rounds that are reported, from 1.

        They are reported, too, where they are not steady.
        """
        return max(1, len(self.values) - LEAST + 1), len(self.values)

    @property
    def in_window(self) -> Sequence[float]:
        """Its values in these rounds."""
        first, last = self.window
        return self.values[first - 1 : last]

    @property
    def is_over(self) -> bool:
        """Whether there is no further round to come."""
        return self.finding.steady or len(self.values) >= self.plan.most

    @property
    def mean(self) -> float | None:
        """Its mean in the window; None where a round of it has no value."""
        mean = float(np.mean(self.in_window)) if len(self.in_window) else math.nan
        return None if math.isnan(mean) else mean

    @property
    def line(self) -> tuple[float, float] | None:
        """The best-fit line at the first and the last round of the window."""
        values = np.array(self.in_window)
        if values.size < LEAST or np.isnan(values).any():
            return None
        numbers = np.arange(values.size)
        slope, start = np.polyfit(numbers, values, 1)
        return float(start), float(start + slope * numbers[-1])

    @property
    def sentence(self) -> str:
        """Say how it stands, in a sentence without its full stop."""
        count = len(self.values)
        head = f"{self.label}, {BY_NAME[self.plan.of].head}"
        if self.finding.steady:
            return f"{head}: steady after {count} rounds: {self.finding.why}"
        not_yet = "steady state not reached in" if self.is_over else "not yet steady in"
        return f"{head}: {not_yet} {count} rounds: {self.finding.why}"


@dataclass
class Matrix:
    """A sweep that is run in rounds, in one configuration of the device."""

    plan: RoundsPlan  # when there are enough
    # of the first round: (label, step)
    rows: list[tuple[str, Step]] = field(default_factory=list)

    @property
    def track(self) -> str:
        """The label of the row that is tracked, in its first round."""
        return next(row for row, step in self.rows if step.label == self.plan.track)

    def labels(self, number: int) -> list[str]:
        """Get the labels of its rows in a round, counted from 1."""
        return [of_pass(label, number) for label, _ in self.rows]

    def judge(self, session: Session) -> Tracked:
        """Judge it by what a session keeps of the row that is tracked."""
        label, steps = self.track, {step.label: step for step in session.steps()}
        values: list[float] = []
        while (step := steps.get(of_pass(label, len(values) + 1))) is not None:
            if step.outcome in (Outcome.PLANNED, Outcome.RUNNING):
                break
            results = session.results(step.id) if step.outcome == Outcome.DONE else ()
            found = next((r.value for r in results if r.name == self.plan.of), None)
            values.append(math.nan if found is None else found)
        unit = BY_NAME[self.plan.of].unit
        return Tracked(label, self.plan, values, _RULE.judge(values, unit))


def matrices(rows: Sequence[tuple[str, Step]]) -> list[Matrix]:
    """Find what is run in rounds among the rows of a campaign."""
    matrices: list[Matrix] = []
    before: RoundsPlan | None = None
    for label, step in rows:
        if step.rounds is not None:
            if step.rounds != before:
                matrices.append(Matrix(step.rounds))
            matrices[-1].rows.append((label, step))
        before = step.rounds
    return matrices
