"""The rows of a run in their order, and those that come on the way."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.campaign.phases.step_log import StepLog
from app.campaign.run.redoing import UNCHANGED, Resumption
from app.plan.campaign import Campaign
from app.plan.passes import in_first_pass, of_attempt, of_pass
from app.plan.repeats import numbered
from app.plan.step import Step
from app.plan.verdict import BY_OPERATOR, Cause, Outcome, Verdict
from app.record.recorder import Recorder
from app.record.store import StepRow


def labels_of(label: str, step: Step) -> tuple[str, ...]:
    """Get the labels that a row, and those that followed it as repeats, may have."""
    if step.repeats is None:
        return (label,)
    numbers = range(1, step.repeats.most + 1)
    return tuple(numbered(step.label, number) for number in numbers)


def known_rows(
    rows: Sequence[tuple[str, Step]], steps: Sequence[StepRow]
) -> list[tuple[StepRow, Step]]:
    """Find the rows of a session that stand in its plan, each with its step.

    Those that are void and were planned again are not among them.
    """
    plan = {name: step for label, step in rows for name in labels_of(label, step)}
    named = ((step, plan.get(planned_label(step))) for step in steps)
    return [(step, own) for step, own in named if own is not None]


def planned_label(row: StepRow) -> str:
    """Get the label of a row as the first pass has it."""
    return in_first_pass(row.label, row.pass_number)


def verdict_of(step: StepRow) -> Verdict | None:
    """Get what an ended row says of the whole; a hole in the table is not a PASS."""
    if step.was_cut_off:
        return None
    if step.outcome == Outcome.SKIPPED:
        return Verdict.ABORTED if step.cause in BY_OPERATOR else Verdict.ERROR
    return Verdict(step.verdict) if step.verdict else None


def was_held(step: StepRow) -> bool:
    """Tell whether the program ended before a held row was planned again."""
    is_void = step.outcome == Outcome.VOID and step.verdict is None
    return is_void and not step.attempt


_VOID: Mapping[str, str | None] = {"outcome": Outcome.VOID, "verdict": None}
"""What is stored of a row that another one stands for."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the report table that is to be run.

    Attributes:
        step_id: Its number in the session.
        position: Its place in the report.
        label: What it is called.
        step: What is run.
        attempt: 1, and more where an earlier one is void.
        holds: How many of these were held.
        pass_number: The pass of a loop in which it is run.
    """

    step_id: int
    position: int
    label: str
    step: Step
    attempt: int = 1
    holds: int = 0
    pass_number: int = 1


class Schedule:
    """Hands out one row after the other; an ended row may come again.

    Attributes:
        count: How many rows there are, with those that came on the way, but for
            attempts that are void: a row that is run again stays the same row.
        number: The place of the row that was handed out last, from 1.
        passes: How many passes of a loop were begun or planned.
        earlier: Verdicts of the rows that a resumed run has behind it.
        is_ending: Whether a resumed run had nothing left but what tears down.
    """

    def __init__(self, log: StepLog, rows: Sequence[Row]) -> None:
        self._log = log
        self._rows = deque(rows)
        self.passes = 1
        self.count = len(self._rows)
        self.number = 0
        self.earlier: tuple[Verdict, ...] = ()
        self.is_ending = False
        self._before_s = 0.0
        self._total_s = sum(row.step.duration_s for row in rows)
        self._current: Row | None = None

    @classmethod
    def planned(cls, log: StepLog, rows: Sequence[tuple[str, Step]]) -> "Schedule":
        """Plan all rows of a run in its session."""
        ids = zip(log.plan(rows), rows, strict=True)
        found = [
            Row(step_id, position, label, step)
            for position, (step_id, (label, step)) in enumerate(ids, 1)
        ]
        whole = cls(log, found)
        whole._total_s = sum(step.least_s for _, step in rows)
        return whole

    @classmethod
    def resumed(
        cls,
        log: StepLog,
        rows: Sequence[tuple[str, Step]],
        steps: Sequence[StepRow],
        how: Resumption = UNCHANGED,
    ) -> "Schedule":
        """Go on after the last complete row of a session that was cut off.

        The row in which that happened is void and is run again.

        Args:
            log: Writes into the session.
            rows: Of the campaign: (label, step).
            steps: What the session says of them.
            how: What has changed meanwhile, so that rows have to be done again.
        """
        known = known_rows(rows, steps)
        planned = [one for one in known if one[0].outcome == Outcome.PLANNED]
        left = _in_order([_row(*one, steps) for one in planned], rows)
        whole = cls(log, left)
        whole.passes = max((step.pass_number for step, _ in known), default=1)
        broken = [one for one in known if one[0].was_cut_off or was_held(one[0])]
        due = [*(own for _, own in broken), *(row.step for row in left)]
        whole.is_ending = all(step.teardown for step in due)
        redone = how.again(known, due) if due else []
        void = {step.id for step, _ in (*broken, *redone)}
        whole.earlier = _verdicts(step for step in steps if step.id not in void)
        # The last one that is put in front is the first one to be run.
        for step, own in broken:
            whole._replace(_row(step, own, steps), **_VOID)
        for step, own in reversed(redone):
            why = {"cause": Cause.REDONE, "reason": how.why(step)}
            whole._replace(_row(step, own, steps), **_VOID, **why)
        whole._count([own for _, own in known], _coming_s(rows, steps))
        return whole

    def _count(self, known: Sequence[Step], coming_s: float) -> None:
        """Count rows and seconds; one that is run again keeps its place among all."""
        self.count = len(known)
        self.number = self.count - len(self._rows)
        left_s = sum(row.step.duration_s for row in self._rows)
        self._before_s = sum(own.duration_s for own in known) - left_s
        self._total_s = self._before_s + left_s + coming_s

    def __iter__(self) -> Iterator[Row]:
        while self._rows:
            if self._current is not None:
                self._before_s += self._current.step.duration_s
            self._current = self._rows.popleft()
            self.number += 1
            yield self._current

    @property
    def before_s(self) -> float:
        """Planned seconds of the rows before the present one."""
        return self._before_s

    @property
    def total_s(self) -> float:
        """Planned seconds of all rows."""
        return self._total_s

    @property
    def may_grow(self) -> bool:
        """Whether repeats or rounds may follow that are not yet among the rows."""
        rows = [*self._rows, *filter(None, (self._current,))]
        return any(
            row.step.repeats is not None
            or (row.step.rounds is not None and row.pass_number < row.step.rounds.most)
            for row in rows
        )

    def again(self, row: Row) -> None:
        """Run a held row once more, next: it keeps its place, renamed.

        What was done of it does not count: its attempt is void.
        """
        self._replace(replace(row, holds=row.holds + 1))
        self.number -= 1
        self._current = None

    def follow(self, row: Row, label: str) -> None:
        """Run the step of a row once more, next, as a row of its own."""
        own = [(label, row.step)]
        [step_id] = self._log.plan(own, row.position, row.pass_number)
        self._rows.appendleft(
            replace(row, step_id=step_id, label=label, attempt=1, holds=0)
        )
        self.count += 1
        self._total_s += row.step.duration_s

    @property
    def is_pass_over(self) -> bool:
        """Whether nothing is left but what tears down."""
        return all(row.step.teardown for row in self._rows)

    def waits(self, labels: Collection[str]) -> bool:
        """Tell whether a row with one of these labels is still to be run."""
        return any(row.label in labels for row in self._rows)

    def next_pass(self, rows: Sequence[tuple[str, Step]], after: Row) -> None:
        """Run all these rows of a loop once more, next, behind a row that has ended.

        Args:
            rows: Of one pass: (label as planned, step).
            after: Their place in the report is behind it, before what tears down.
        """
        self.passes += 1
        self.come_again(rows, after, self.passes)

    def come_again(
        self, rows: Sequence[tuple[str, Step]], after: Row, number: int
    ) -> None:
        """Run these rows once more, next, behind a row that has ended, as a pass."""
        own = [(of_pass(label, number), step) for label, step in rows]
        numbers = self._log.plan(own, after.position, number)
        found = [
            Row(one, after.position, label, step, pass_number=number)
            for one, (label, step) in zip(numbers, own, strict=True)
        ]
        self._rows.extendleft(reversed(found))
        self.count += len(rows)
        self._total_s += sum(
            step.duration_s for _, step in rows if number > step.least_rounds
        )

    def _replace(self, row: Row, **changed: str | None) -> None:
        void = of_attempt(row.label, row.attempt)
        other = (row.position, row.label, row.step, row.pass_number)
        step_id = self._log.again(
            row.step_id, other, label=void, attempt=row.attempt, **changed
        )
        attempt = row.attempt + 1
        self._rows.appendleft(replace(row, step_id=step_id, attempt=attempt))


def _rounds_to_come(label: str, step: Step, steps: Sequence[StepRow]) -> int:
    """Count the rounds of a row that are sure to come and not yet planned."""
    own = (row.pass_number for row in steps if planned_label(row) == label)
    return max(0, step.least_rounds - max(own, default=step.least_rounds))


def _coming_s(rows: Sequence[tuple[str, Step]], steps: Sequence[StepRow]) -> float:
    """Add up the seconds of rounds that are sure to come and not yet planned."""
    return sum(
        step.duration_s * _rounds_to_come(label, step, steps) for label, step in rows
    )


def _in_order(planned: Sequence[Row], rows: Sequence[tuple[str, Step]]) -> list[Row]:
    """Sort rows as they are run.

    Rows of later passes share a place in the report: they come as planned.
    """
    names = [name for label, step in rows for name in labels_of(label, step)]
    order = {label: number for number, label in enumerate(names)}
    return sorted(
        planned,
        key=lambda row: (
            row.position,
            row.pass_number,
            order[in_first_pass(row.label, row.pass_number)],
        ),
    )


def _row(step: StepRow, own: Step, steps: Sequence[StepRow]) -> Row:
    """Make the row of a step, numbered by the void ones that are called after it."""
    void = [one for one in steps if one.attempt]
    named = [one for one in void if one.label == of_attempt(step.label, one.attempt)]
    # One that was held when the program ended is not yet renamed.
    own_void = [step] if was_held(step) else []
    holds = sum(one.cause == Cause.INTERLOCK for one in (*named, *own_void))
    attempt = 1 + len(named)
    return Row(
        step.id, step.position, step.label, own, attempt, holds, step.pass_number
    )


NOTHING_DONE = "no row of this pass was completed, so the loop ends"


class Looping:
    """Plans one pass after the other, until the run is stopped.

    A pass of which no row came to its end is the last one: what failed at once would
    fail a thousand times in a night. So is one that had been stopped, or of which only
    what tears down was left, before the run was resumed.
    """

    def __init__(
        self,
        campaign: Campaign,
        recorder: Recorder,
        earlier: Sequence[StepRow] = (),
    ) -> None:
        self._rows = [row for row in campaign.runs if not row[1].teardown]
        self._recorder = recorder
        present = max((row.pass_number for row in earlier), default=1)
        known = [row for row in earlier if row.pass_number == present]
        self._is_loop = campaign.loop and all(r.cause != Cause.STOPPED for r in known)
        self._any_done = any(row.outcome == Outcome.DONE for row in known)

    def after(self, row: Row, outcome: Outcome, schedule: Schedule) -> None:
        """Take a row that has ended; plan the next pass where it was the last one."""
        self._any_done |= outcome is Outcome.DONE
        if not self._is_loop or schedule.is_ending:
            return
        if row.step.teardown or not schedule.is_pass_over:
            return
        if self._any_done:
            schedule.next_pass(self._rows, row)
            self._any_done = False
        else:
            self._recorder.event("warning", "campaign", NOTHING_DONE)


def _verdicts(steps: Iterable[StepRow]) -> tuple[Verdict, ...]:
    verdicts = map(verdict_of, steps)
    return tuple(verdict for verdict in verdicts if verdict is not None)
