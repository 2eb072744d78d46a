import threading
from pathlib import Path

from app.campaign.phases.steering import Steering
from app.campaign.phases.step_log import StepEnd, StepLog
from app.campaign.run.progress import Progress
from app.campaign.run.schedule import Schedule
from app.campaign.run.ticker import Ticker
from app.plan.step import Step
from app.plan.verdict import Outcome, Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from tests.app.record.recording import INFO

ROWS = (
    ("a", Step("a", "idle", runtime_s=10)),
    ("b", Step("b", "idle", runtime_s=30)),
)


def test_progress_counts_what_is_behind_and_ahead(tmp_path: Path) -> None:
    seen: list[Progress] = []
    twice = threading.Event()

    def note(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            twice.set()

    clock = SystemClock()
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=clock)
    recorder.start()
    steering = Steering()
    steering.pause()
    schedule = Schedule.planned(StepLog(recorder), ROWS)
    rows = iter(schedule)
    next(rows)
    row = next(rows)
    ticker = Ticker(recorder, note, steering)
    with ticker.row(schedule, row):
        ticker.begin_step()
        assert twice.wait(60)
        steering.end("Hot: still so")
        ticker.end_step("b", StepEnd(Outcome.ERROR, Verdict.ERROR, "given up: Hot"))
    recorder.close()
    assert seen[-1].given_up == "Hot: still so"
    assert seen[-1].ended == "b: ERROR: given up: Hot"
    for progress in seen:
        assert (progress.step, progress.steps, progress.label) == (2, 2, "b")
        assert 0.25 <= progress.fraction < 0.5
        assert 20 < progress.remaining_s <= 30
        assert progress.session == recorder.path
        assert progress.paused
    assert seen[-1].t_ns > seen[0].t_ns


def test_rows_that_are_left_out_at_the_end_were_not_done(tmp_path: Path) -> None:
    seen: list[Progress] = []
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    steering = Steering()
    schedule = Schedule.planned(StepLog(recorder), (*ROWS, *ROWS))
    ticker = Ticker(recorder, seen.append, steering)
    for number, row in enumerate(schedule):
        if number == 1:
            steering.abort()
        with ticker.row(schedule, row):
            pass
    recorder.close()
    assert {one.fraction for one in seen} == {0.0}
    assert seen[-1].step == 4
