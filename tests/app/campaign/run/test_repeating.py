"""Which rows of a series count in its mean."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.campaign.phases.step_log import StepEnd, StepLog
from app.campaign.run.repeating import Repeating
from app.campaign.run.schedule import Schedule
from app.plan.verdict import Cause, Outcome, Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Result, Session
from tests.app.operations.benches import campaign
from tests.app.record.recording import INFO

PLAN = """
name = "Power"
[[step]]
label = "Rest"
engine = "idle"
runtime = "1s"
[step.repeats]
of = "power_w"
within = "9%"
least = 3
most = 4
"""
MISSED = StepEnd(Outcome.DONE, Verdict.ERROR, "not steady", Cause.UNREACHED)
BROKEN = StepEnd(Outcome.DONE, Verdict.FAIL, "too much", Cause.LIMIT)
GOOD = StepEnd(Outcome.DONE, Verdict.PASS)


@contextmanager
def recording(path: Path) -> Iterator[Recorder]:
    recorder = Recorder(path, INFO, clock=SystemClock())
    recorder.start()
    try:
        yield recorder
    finally:
        recorder.close()


@pytest.mark.parametrize(
    ("ends", "rows", "mean"),
    [
        # 300 W were no steady ones: a fourth row comes in their place.
        ([(200.0, GOOD), (300.0, MISSED), (202.0, GOOD), (204.0, GOOD)], 4, 202.0),
        # A device that broke its limit was measured well.
        ([(200.0, GOOD), (212.0, BROKEN), (203.0, GOOD)], 3, 205.0),
    ],
)
def test_a_row_that_was_not_steady_does_not_count_in_the_mean(
    tmp_path: Path, ends: list[tuple[float, StepEnd]], rows: int, mean: float
) -> None:
    path = tmp_path / "s.bayscope"
    with recording(path) as recorder, Session.open(path) as session:
        log = StepLog(recorder)
        schedule = Schedule.planned(log, campaign(PLAN).runs)
        repeating = Repeating(recorder, session)
        for row, (watts, end) in zip(schedule, ends, strict=True):
            log.begin(row.step_id, row.label, 0)
            found = Result("power_w", watts, "W", 0, 1, 1, 1, "mains.P")
            log.results(row.step_id, (0, 1), [found])
            log.end(row.step_id, row.label, end)
            assert repeating.after(row, end, schedule) == ""
        last = session.steps()[-1]
        stored = {result.name: result for result in session.results(last.id)}
    assert last.label == f"Rest ({rows})"
    assert stored["repeats_mean"].value == pytest.approx(mean)
    assert stored["repeats_mean"].n_valid == 3
    assert stored["repeats_mean"].n_expected == rows
