"""What of a run that was cut off has to be done again, and what has not."""

import pytest

from app.campaign.redoing import Resumption
from app.plan.step import Step
from tests.app.campaign.test_schedule import ended

SET = Step("Set cache", "command", 0.0)
ASK = Step("Export it", "prompt", 0.0, needs=("Set cache",))
MAKE = Step("Make", "mkfs", 60.0)
FILL = Step("Fill", "fio", 60.0)
OTHER = Step("Other", "command", 0.0)
READ = Step("Read", "fio", 60.0, needs=("Export it", "Fill"))
STEPS = (SET, ASK, MAKE, FILL, OTHER)
KNOWN = [
    (ended(number, step.label, "DONE", "PASS"), step)
    for number, step in enumerate(STEPS, 1)
]


@pytest.mark.parametrize(
    ("how", "again"),
    [
        (Resumption(), []),
        (Resumption(is_taken_back=True), ["Make"]),
        # A disk that was filled is full after a power cut, too.
        (Resumption(is_restarted=True), ["Set cache", "Export it", "Make"]),
    ],
)
def test_settings_are_made_again_after_a_restart(
    how: Resumption, again: list[str]
) -> None:
    assert [row.label for row, _ in how.again(KNOWN, [READ])] == again


def test_nobody_needs_what_only_other_rows_needed() -> None:
    found = Resumption(is_restarted=True).again(KNOWN, [OTHER])
    assert [row.label for row, _ in found] == ["Make"]


def test_what_failed_or_tears_down_is_not_done_again() -> None:
    away = Step("Away", "mkfs", 1.0, teardown=True)
    known = [
        (ended(1, "Set cache", "ERROR", "ERROR"), SET),
        (ended(2, "Away", "DONE", "PASS"), away),
    ]
    assert Resumption(is_restarted=True).again(known, [ASK]) == []
