"""What of a run that was cut off has to be done again, and what has not."""

import pytest

from app.campaign.run.redoing import Resumption
from app.plan.step import Step
from tests.app.campaign.run.test_schedule import ended

SET = Step("Set cache", "command", 0.0)
ASK = Step("Export it", "prompt", 0.0, needs=("Set cache",))
MAKE = Step("Make", "mkfs", 60.0)
FILL = Step("Fill", "fio", 60.0)
OTHER = Step("Other", "command", 0.0)
READ = Step("Read", "fio", 60.0, needs=("Export it", "Fill"))
STEPS = (SET, ASK, MAKE, FILL, OTHER)
LATER = 5
"""All rows ended before."""

RESTARTED = Resumption(restarted_ns=LATER)
KNOWN = [
    (ended(number, step.label, "DONE", "PASS"), step)
    for number, step in enumerate(STEPS, 1)
]


@pytest.mark.parametrize(
    ("how", "again"),
    [
        (Resumption(), []),
        (Resumption(undone_ns=LATER), ["Make"]),
        # A disk that was filled is full after a power cut, too.
        (Resumption(restarted_ns=LATER), ["Set cache", "Export it", "Make"]),
        # They were done again already, by a resumption that was cut off as well.
        (Resumption(restarted_ns=1, undone_ns=1), []),
    ],
)
def test_settings_are_made_again_after_a_restart(
    how: Resumption, again: list[str]
) -> None:
    assert [row.label for row, _ in how.again(KNOWN, [READ])] == again


def test_nobody_needs_what_only_other_rows_needed() -> None:
    found = RESTARTED.again(KNOWN, [OTHER])
    assert [row.label for row, _ in found] == ["Make"]


def test_what_failed_or_tears_down_is_not_done_again() -> None:
    away = Step("Away", "mkfs", 1.0, teardown=True)
    known = [
        (ended(1, "Set cache", "ERROR", "ERROR"), SET),
        (ended(2, "Away", "DONE", "PASS"), away),
    ]
    assert RESTARTED.again(known, [ASK]) == []


def test_a_prompt_that_was_answered_with_no_is_asked_again() -> None:
    known = [(ended(1, "Export it", "DONE", "FAIL"), ASK)]
    assert [row.label for row, _ in RESTARTED.again(known, [READ])] == ["Export it"]


def test_of_a_loop_what_the_present_pass_did_is_done_again() -> None:
    later = [
        (ended(number, f"{step.label} (pass 2)", "DONE", "PASS"), step)
        for number, step in enumerate(STEPS, 11)
    ]
    found = RESTARTED.again([*KNOWN, *later], [READ])
    assert [row.label for row, _ in found] == [
        "Set cache (pass 2)",
        "Export it (pass 2)",
        "Make (pass 2)",
    ]


def test_it_says_why_a_row_is_done_again() -> None:
    row = KNOWN[2][0]
    assert "restarted" in Resumption(restarted_ns=LATER, undone_ns=LATER).why(row)
    assert "undone" in Resumption(restarted_ns=1, undone_ns=LATER).why(row)
