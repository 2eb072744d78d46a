"""Loops and rows that need others, on the simulated bench."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from app.campaign.phases.steering import Steering
from app.campaign.phases.step_log import StepLog
from app.campaign.run.progress import Progress
from app.campaign.run.redoing import Resumption
from app.campaign.run.schedule import NOTHING_DONE, Looping, Schedule
from app.operations.run.run import run_campaign
from app.plan.verdict import Cause, Outcome, Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, StepRow
from tests.app.campaign.run.test_schedule import ended
from tests.app.operations.benches import bench, campaign
from tests.app.record.recording import INFO

LOOP = """
name = "Loop"
loop = true
[[step]]
label = "One"
engine = "idle"
runtime = "1s"
[[step]]
label = "Two"
engine = "idle"
runtime = "1s"
[[step]]
label = "Clean up"
engine = "command"
teardown = true
[step.command]
run = "true"
"""
STOPPED_LOOP = """
name = "Loop"
loop = true
[[step]]
label = "Set"
engine = "command"
[step.command]
run = "true"
[[step]]
label = "Two"
engine = "idle"
runtime = "1s"
[[step]]
label = "Clean up"
engine = "command"
teardown = true
needs = ["Set"]
[step.command]
run = "true"
"""
FAILING = """
name = "States"
loop = true
[[step]]
label = "Go there"
engine = "command"
[step.command]
run = "false"
[[step]]
label = "There"
engine = "idle"
runtime = "1s"
needs = ["Go there"]
"""
CONFIGURED = """
name = "Pools"
[[configuration]]
name = "layout"
values = ["mirror", "raidz2"]
command = ["test", "{layout}", "=", "raidz2"]
[[configuration]]
name = "cache"
values = ["on", "off"]
command = ["true"]
[[step]]
label = "Idle"
engine = "idle"
runtime = "1s"
"""


def rows(path: Path) -> list[tuple[str, str]]:
    with Session.open(path) as session:
        return [(str(r["step"]), str(r["outcome"])) for r in session.report_table()]


def test_a_loop_goes_on_until_it_is_stopped_and_then_tears_down(tmp_path: Path) -> None:
    steering = Steering()

    def watch(now: Progress) -> None:
        if now.label == "Two (pass 2)":
            steering.abort()

    result = run_campaign(
        campaign(LOOP), bench(tmp_path), tmp_path, steering=steering, progress=watch
    )
    assert result.verdict is Verdict.ABORTED
    found = rows(result.session)
    assert found[:3] == [("One", "DONE"), ("Two", "DONE"), ("One (pass 2)", "DONE")]
    assert found[3] in (("Two (pass 2)", "ABORTED"), ("Two (pass 2)", "SKIPPED"))
    assert found[4:] == [("Clean up", "DONE")]


def test_rows_in_a_state_that_was_not_reached_are_left_out(tmp_path: Path) -> None:
    result = run_campaign(campaign(FAILING), bench(tmp_path), tmp_path)
    assert result.verdict is Verdict.ERROR
    assert rows(result.session) == [("Go there", "ERROR"), ("There", "SKIPPED")]
    with Session.open(result.session) as session:
        assert any(NOTHING_DONE in event.message for event in session.events())
        assert session.steps()[1].cause == Cause.NEEDS


def test_a_configuration_that_was_not_set_is_not_measured(tmp_path: Path) -> None:
    result = run_campaign(campaign(CONFIGURED), bench(tmp_path), tmp_path)
    found = dict(rows(result.session))
    idle = {label: end for label, end in found.items() if label.endswith("Idle")}
    assert list(idle.values()) == ["SKIPPED", "SKIPPED", "DONE", "DONE"]
    assert list(itertools.islice(idle, 2)) == [
        "mirror, cache on: Idle",
        "mirror, cache off: Idle",
    ]


@pytest.mark.parametrize(
    ("outcomes", "goes_on"), [(("DONE", "ERROR"), True), (("SKIPPED", "ERROR"), False)]
)
def test_a_resumed_loop_knows_what_its_pass_had_done(
    tmp_path: Path, outcomes: tuple[str, str], *, goes_on: bool
) -> None:
    """The last row fails after the resumption; an earlier one of its pass counts."""
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    plan = campaign(LOOP)
    steps = [
        ended(1, "One", "DONE", "PASS"),
        ended(2, "Two", "DONE", "PASS"),
        replace(ended(3, "One (pass 2)", outcomes[0]), position=2),
        replace(
            ended(4, "Two (pass 2)", outcomes[1], "ERROR", Cause.CRASHED),
            position=2,
        ),
        replace(ended(5, "Clean up", "planned"), position=3),
    ]
    schedule = Schedule.resumed(StepLog(recorder), plan.runs, steps)
    looping = Looping(plan, recorder, steps)
    row = next(iter(schedule))
    assert row.label == "Two (pass 2)"
    looping.after(row, Outcome.ERROR, schedule)
    left = [row.label for row in schedule]
    recorder.close()
    more = ["One (pass 3)", "Two (pass 3)"] if goes_on else []
    assert left == [*more, "Clean up"]


@pytest.mark.parametrize(
    "first",
    [
        ended(1, "Set", "ABORTED", "ABORTED", Cause.STOPPED),
        ended(1, "Set", "SKIPPED", cause=Cause.STOPPED),
    ],
)
def test_a_loop_that_was_stopped_does_not_go_on(tmp_path: Path, first: StepRow) -> None:
    """It was killed before all rows of its pass were left out."""
    steps = [first, ended(2, "Two", "planned"), ended(3, "Clean up", "planned")]
    assert rows_of_the_rest(tmp_path, steps) == ["Two", "Clean up"]


def test_a_loop_of_which_only_the_teardown_was_left_is_over(tmp_path: Path) -> None:
    steps = [
        ended(1, "Set", "DONE", "PASS"),
        ended(2, "Two", "SKIPPED", cause=Cause.ENDED),
        ended(3, "Clean up", "ERROR", "ERROR", Cause.CRASHED),
    ]
    assert rows_of_the_rest(tmp_path, steps) == ["Set", "Clean up"]


def rows_of_the_rest(tmp_path: Path, steps: list[StepRow]) -> list[str]:
    """Go on after a restart with all rows that are to come; get their labels."""
    plan = campaign(STOPPED_LOOP)
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    log, how = StepLog(recorder), Resumption(restarted_ns=5)
    schedule = Schedule.resumed(log, plan.runs, steps, how)
    looping = Looping(plan, recorder, steps)
    found = []
    for row in itertools.islice(schedule, 9):
        found.append(row.label)
        looping.after(row, Outcome.DONE, schedule)
    recorder.close()
    return found
