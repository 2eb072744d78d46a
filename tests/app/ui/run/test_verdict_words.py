"""Why a run ended as it did: reasons first, and never more than fit."""

from app.record.store import StepRow
from app.ui.run.verdict_banner import last_ended, reasons_of


def step(
    number: int, verdict: str | None, reason: str = "", outcome: str = "DONE"
) -> StepRow:
    begun = None if outcome == "SKIPPED" else number
    end = number + 1
    times = (begun, None, None, end)
    plan = ("idle", "")
    return StepRow(
        number, number, f"S{number}", *plan, *times, outcome, verdict, reason
    )


def test_all_passed() -> None:
    assert reasons_of([step(1, "PASS"), step(2, "PASS")]) == ["2 steps passed"]


def test_passed_steps_that_were_not_clean_are_counted() -> None:
    steps = [step(number, "PASS") for number in range(1, 8)]
    (told,) = reasons_of(steps, unclean={2, 3, 5, 7})
    assert told.startswith("7 steps passed, 4 of them not clean")
    failed = [*steps, step(8, "FAIL", "bad")]
    assert reasons_of(failed, unclean={2}) == ["S8: bad", "1 step was not clean"]


def test_what_failed_is_told_with_what_was_not_run() -> None:
    steps = [step(1, "PASS"), step(2, "FAIL", "power_w is 5")]
    steps.append(step(3, None, "not run", "SKIPPED"))
    assert reasons_of(steps) == ["S2: power_w is 5", "1 step was not run"]
    assert reasons_of(steps, "the meter is lost")[0] == "the meter is lost"
    found = last_ended(steps)
    assert found is not None
    assert found.label == "S2"


def test_many_reasons_are_cut() -> None:
    steps = [step(number, "FAIL", "bad") for number in range(1, 9)]
    told = reasons_of(steps)
    assert told == ["S1: bad", "S2: bad", "and 6 more, in the report"]
