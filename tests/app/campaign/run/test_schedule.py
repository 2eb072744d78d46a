"""What a resumed run has behind it: verdicts, holes, and the row that was cut off."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from app.campaign.phases.step_log import StepLog
from app.campaign.run.redoing import Resumption
from app.campaign.run.runner import Needs
from app.campaign.run.schedule import Row, Schedule
from app.plan.rounds import RoundsPlan
from app.plan.step import Step
from app.plan.verdict import Cause, Outcome, Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, StepRow, Writer
from tests.app.record.recording import INFO

T = TypeVar("T")

ROWS = tuple((name, Step(name, "idle", runtime_s=1)) for name in "ABCDE")


def ended(
    number: int, label: str, outcome: str, verdict: str | None = None, cause: str = ""
) -> StepRow:
    attempt = int(label.partition(" (void ")[2].removesuffix(")") or 0)
    planned, _, passing = label.removesuffix(f" (void {attempt})").partition(" (pass ")
    end = (1, None, None, 2, outcome, verdict, "in any words", cause, attempt)
    own = (planned, int(passing.removesuffix(")") or 1))
    return StepRow(number, number, label, "idle", "", *end, *own)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[StepLog]:
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    yield StepLog(recorder)
    recorder.close()


def test_rows_that_were_skipped_before_a_crash_are_no_pass(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    steps = [
        ended(1, "A", "SKIPPED", cause=Cause.SKIPPED),
        ended(2, "B", "SKIPPED", cause=Cause.NEEDS),
        ended(3, "C", "DONE", "PASS"),
        ended(4, "D", "ERROR", "ERROR", Cause.CRASHED),
        ended(5, "E", "planned"),
    ]
    schedule = Schedule.resumed(StepLog(recorder), ROWS, steps)
    assert schedule.earlier == (Verdict.ABORTED, Verdict.ERROR, Verdict.PASS)
    assert [row.label for row in schedule] == ["D", "E"]
    recorder.close()


def test_a_row_that_failed_before_a_crash_is_lacking_after_it() -> None:
    needs = Needs([ended(1, "A", "DONE", "FAIL"), ended(2, "B", "DONE", "PASS")])
    needing_a = Row(3, 3, "C", Step("C", "idle", runtime_s=1, needs=("A",)))
    needing_b = Row(4, 4, "D", Step("D", "idle", runtime_s=1, needs=("B",)))
    assert needs.lacking(needing_a) == "A"
    assert needs.lacking(needing_b) == ""


def test_a_row_that_was_cut_off_twice_has_two_names_for_it(log: StepLog) -> None:
    steps = [
        ended(1, "A", "DONE", "PASS"),
        ended(2, "B (void 1)", "VOID"),
        ended(3, "B", "ERROR", "ERROR", Cause.CRASHED),
    ]
    schedule = Schedule.resumed(log, ROWS, steps)
    assert (schedule.number, schedule.count) == (1, 2)
    [again] = schedule
    assert (again.label, again.attempt) == ("B", 3)
    assert schedule.number == schedule.count == 2


def test_a_row_that_is_void_three_times_and_held_has_four_names(log: StepLog) -> None:
    void = [ended(n, f"B (void {n})", "VOID") for n in (1, 2, 3)]
    cut_off = ended(4, "B", "ERROR", "ERROR", Cause.CRASHED)
    [again] = Schedule.resumed(log, ROWS, [*void, cut_off])
    assert again.attempt == 5
    # Ended before it had begun: the next hold goes on counting, too.
    [again] = Schedule.resumed(log, ROWS, [*void, ended(4, "B", "planned")])
    assert again.attempt == 4


def test_a_row_that_was_held_when_the_program_ended_is_run_again(
    log: StepLog,
) -> None:
    steps = [
        ended(1, "A", "VOID", cause=Cause.INTERLOCK),
        ended(2, "B", "planned"),
    ]
    schedule = Schedule.resumed(log, ROWS, steps)
    assert [row.label for row in schedule] == ["A", "B"]


def test_rows_of_a_later_pass_come_in_the_order_of_the_plan(log: StepLog) -> None:
    """They have one place in the report, and the held row is the newest of them."""
    numbers = {"A": 6, "B": 7, "C": 8}
    later = [
        replace(ended(numbers[name], f"{name} (pass 2)", "planned"), position=5)
        for name in "BC"
    ]
    held = replace(ended(9, "A (pass 2)", "planned"), position=5)
    void = replace(ended(6, "A (pass 2) (void 1)", "VOID"), position=5)
    schedule = Schedule.resumed(log, ROWS, [void, *later, held])
    assert [row.label for row in schedule] == [
        "A (pass 2)",
        "B (pass 2)",
        "C (pass 2)",
    ]
    assert schedule.passes == 2


def test_after_a_restart_settings_come_first_again(log: StepLog) -> None:
    command = Step("A", "command", 0.0)
    needing = Step("B", "idle", runtime_s=1, needs=("A",))
    steps = [
        ended(1, "A", "DONE", "PASS"),
        ended(2, "B", "ERROR", "ERROR", Cause.CRASHED),
    ]
    rows = (("A", command), ("B", needing))
    how = Resumption(restarted_ns=5)
    schedule = Schedule.resumed(log, rows, steps, how)
    assert [row.label for row in schedule] == ["A", "B"]


def test_a_row_that_is_done_again_says_nothing_of_the_whole(log: StepLog) -> None:
    """What was FAIL when it was done first may be PASS now."""
    prompt = Step("A", "prompt", 0.0)
    needing = Step("B", "idle", runtime_s=1, needs=("A",))
    steps = [
        ended(1, "A", "DONE", "FAIL"),
        ended(2, "B", "ERROR", "ERROR", Cause.CRASHED),
        ended(3, "C", "DONE", "PASS"),
    ]
    rows = (("A", prompt), ("B", needing), ROWS[2])
    how = Resumption(restarted_ns=5)
    assert Schedule.resumed(log, rows, steps, how).earlier == (Verdict.PASS,)


def test_after_a_restart_the_present_pass_of_a_loop_counts(log: StepLog) -> None:
    command = Step("A", "command", 0.0)
    needing = Step("B", "idle", runtime_s=1, needs=("A",))
    later = [
        replace(ended(3, "A (pass 2)", "DONE", "PASS"), position=2),
        replace(ended(4, "B (pass 2)", "ERROR", "ERROR", Cause.CRASHED), position=2),
    ]
    steps = [ended(1, "A", "DONE", "PASS"), ended(2, "B", "DONE", "PASS"), *later]
    rows = (("A", command), ("B", needing))
    schedule = Schedule.resumed(log, rows, steps, Resumption(restarted_ns=5))
    needs = Needs(steps)
    [again, needed] = schedule
    assert again.label == "A (pass 2)"
    needs.after(again, Outcome.ERROR, passed=False)
    assert needs.lacking(needed) == "A (pass 2)"


def test_a_row_that_was_cut_off_thrice_may_be_held_as_often_as_any(
    log: StepLog,
) -> None:
    void = [ended(n, f"B (void {n})", "VOID", cause=Cause.CRASHED) for n in (1, 2, 3)]
    held = ended(4, "B (void 4)", "VOID", cause=Cause.INTERLOCK)
    last = ended(5, "B", "ERROR", "ERROR", Cause.CRASHED)
    [again] = Schedule.resumed(log, ROWS, [*void, held, last])
    assert (again.attempt, again.holds) == (6, 1)
    # Held when the program ended: that hold counts as well.
    last = ended(5, "B", "VOID", cause=Cause.INTERLOCK)
    [again] = Schedule.resumed(log, ROWS, [*void, held, last])
    assert (again.attempt, again.holds) == (6, 2)
    schedule = Schedule.resumed(log, ROWS, [*void, ended(4, "B", "planned")])
    row = next(iter(schedule))
    schedule.again(row)
    [again] = schedule
    assert (row.holds, again.attempt, again.holds) == (0, 5, 1)


class Watched(Recorder):
    """A recorder that looks at what a kill after each order would leave."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, INFO, clock=SystemClock())
        self.seen: list[list[str]] = []

    def call(self, action: Callable[[Writer], T]) -> T:
        """Do it, and look."""
        found = super().call(action)
        with Session.open(self.path) as session:
            self.seen.append([step.label for step in session.steps()])
        return found

    def post(self, action: Callable[[Writer], object]) -> None:
        """Do it at once, and look."""
        self.call(action)


def test_no_kill_lies_between_a_void_row_and_the_one_for_it(tmp_path: Path) -> None:
    """They are one order, so that no row is lost under its new name."""
    recorder = Watched(tmp_path / "s.bayscope")
    recorder.start()
    schedule = Schedule.planned(StepLog(recorder), ROWS[:1])
    schedule.again(next(iter(schedule)))
    recorder.close()
    assert recorder.seen == [["A"], ["A (void 1)", "A"]]


def test_no_kill_lies_between_the_rows_of_a_pass(tmp_path: Path) -> None:
    recorder = Watched(tmp_path / "s.bayscope")
    recorder.start()
    schedule = Schedule.planned(StepLog(recorder), ROWS[:2])
    *_, last = schedule
    schedule.next_pass(ROWS[:2], last)
    recorder.close()
    assert recorder.seen == [["A", "B"], ["A", "B", "A (pass 2)", "B (pass 2)"]]
    assert [row.label for row in schedule] == ["A (pass 2)", "B (pass 2)"]


def test_an_attempt_that_is_void_is_no_step_of_its_own(log: StepLog) -> None:
    schedule = Schedule.planned(log, ROWS[:2])
    rows = iter(schedule)
    next(rows)
    for attempt in (1, 2, 3):
        second = next(rows)
        assert (second.label, second.attempt) == ("B", attempt)
        assert (schedule.number, schedule.count) == (2, 2)
        a_s, b_s = (step.duration_s for _, step in ROWS[:2])
        assert (schedule.before_s, schedule.total_s) == (a_s, a_s + b_s)
        schedule.again(second)


def test_what_was_done_before_a_resumption_is_behind(log: StepLog) -> None:
    steps = [ended(1, "A", "DONE", "PASS"), ended(2, "B", "planned")]
    schedule = Schedule.resumed(log, ROWS, steps)
    a_s, b_s = (step.duration_s for _, step in ROWS[:2])
    assert (schedule.before_s, schedule.total_s) == (a_s, a_s + b_s)
    next(iter(schedule))
    assert schedule.before_s == a_s


@pytest.mark.parametrize(("passes", "done", "total"), [(2, 2, 25), (6, 6, 31)])
def test_rounds_that_are_sure_to_come_are_counted_also_after_a_crash(
    log: StepLog, passes: int, done: int, total: int
) -> None:
    rounds = RoundsPlan("A", most=8)
    step = Step("A", "idle", runtime_s=5, rounds=rounds)
    rows = [("A", step), ("B", Step("B", "idle", runtime_s=1))]
    planned = Schedule.planned(log, rows)
    assert planned.total_s == 26
    assert planned.may_grow
    assert not Schedule.planned(log, ROWS).may_grow
    steps = [
        ended(n, "A" if n == 1 else f"A (pass {n})", "DONE", "PASS")
        for n in range(1, passes)
    ]
    steps += [ended(passes, f"A (pass {passes})", "planned"), ended(9, "B", "planned")]
    schedule = Schedule.resumed(log, rows, steps)
    assert schedule.before_s == 5 * (done - 1)
    assert schedule.total_s == total + (passes == 2)
