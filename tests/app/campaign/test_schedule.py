"""What a resumed run has behind it: verdicts, holes, and the row that was cut off."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.campaign.needs import Needs
from app.campaign.redoing import Resumption
from app.campaign.schedule import Row, Schedule
from app.campaign.step_book import StepBook
from app.plan.step import Step
from app.plan.verdict import Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import CRASHED, StepRow
from tests.app.record.recording import INFO

ROWS = tuple((name, Step(name, "idle", runtime_s=1)) for name in "ABCDE")


def ended(
    number: int, label: str, outcome: str, verdict: str | None = None, reason: str = ""
) -> StepRow:
    times = (1, None, None, 2)
    return StepRow(number, number, label, "idle", "", *times, outcome, verdict, reason)


@pytest.fixture
def book(tmp_path: Path) -> Iterator[StepBook]:
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    yield StepBook(recorder, recorder.clock)
    recorder.close()


def test_rows_that_were_skipped_before_a_crash_are_no_pass(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    steps = [
        ended(1, "A", "SKIPPED", reason="skipped by the operator"),
        ended(2, "B", "SKIPPED", reason="not run, it needs A, which was not done"),
        ended(3, "C", "DONE", "PASS"),
        ended(4, "D", "ERROR", "ERROR", f"{CRASHED}, its values cover 3.0 s"),
        ended(5, "E", "planned"),
    ]
    schedule = Schedule.resumed(StepBook(recorder, recorder.clock), ROWS, steps)
    assert schedule.earlier == (Verdict.ABORTED, Verdict.ERROR, Verdict.PASS)
    assert [row.label for row in schedule] == ["D", "E"]
    recorder.close()


def test_a_row_that_failed_before_a_crash_is_lacking_after_it() -> None:
    needs = Needs([ended(1, "A", "DONE", "FAIL"), ended(2, "B", "DONE", "PASS")])
    needing_a = Row(3, 3, "C", Step("C", "idle", runtime_s=1, needs=("A",)))
    needing_b = Row(4, 4, "D", Step("D", "idle", runtime_s=1, needs=("B",)))
    assert needs.lacking(needing_a) == "A"
    assert needs.lacking(needing_b) == ""


def test_a_row_that_was_cut_off_twice_has_two_names_for_it(book: StepBook) -> None:
    steps = [
        ended(1, "A", "DONE", "PASS"),
        ended(2, "B (void 1)", "VOID"),
        ended(3, "B", "ERROR", "ERROR", CRASHED),
    ]
    schedule = Schedule.resumed(book, ROWS, steps)
    [again] = schedule
    assert (again.label, again.attempt) == ("B", 3)


def test_a_row_that_is_void_three_times_and_held_has_four_names(book: StepBook) -> None:
    void = [ended(n, f"B (void {n})", "VOID") for n in (1, 2, 3)]
    cut_off = ended(4, "B", "ERROR", "ERROR", CRASHED)
    [again] = Schedule.resumed(book, ROWS, [*void, cut_off])
    assert again.attempt == 5
    # Ended before it had begun: the next hold goes on counting, too.
    [again] = Schedule.resumed(book, ROWS, [*void, ended(4, "B", "planned")])
    assert again.attempt == 4


def test_a_row_that_was_held_when_the_program_ended_is_run_again(
    book: StepBook,
) -> None:
    steps = [
        ended(1, "A", "VOID", reason="held: 61 degC"),
        ended(2, "B", "planned"),
    ]
    schedule = Schedule.resumed(book, ROWS, steps)
    assert [row.label for row in schedule] == ["A", "B"]


def test_rows_of_a_later_pass_come_in_the_order_of_the_plan(book: StepBook) -> None:
    """They have one place in the report, and the held row is the newest of them."""
    numbers = {"A": 6, "B": 7, "C": 8}
    later = [
        replace(ended(numbers[name], f"{name} (pass 2)", "planned"), position=5)
        for name in "BC"
    ]
    held = replace(ended(9, "A (pass 2)", "planned"), position=5)
    void = replace(ended(6, "A (pass 2) (void 1)", "VOID"), position=5)
    schedule = Schedule.resumed(book, ROWS, [void, *later, held])
    assert [row.label for row in schedule] == [
        "A (pass 2)",
        "B (pass 2)",
        "C (pass 2)",
    ]
    assert schedule.passes == 2


def test_after_a_restart_settings_come_first_again(book: StepBook) -> None:
    command = Step("A", "command", 0.0)
    needing = Step("B", "idle", runtime_s=1, needs=("A",))
    steps = [
        ended(1, "A", "DONE", "PASS"),
        ended(2, "B", "ERROR", "ERROR", CRASHED),
    ]
    rows = (("A", command), ("B", needing))
    how = Resumption(is_restarted=True)
    schedule = Schedule.resumed(book, rows, steps, how)
    assert [row.label for row in schedule] == ["A", "B"]
