"""A run that goes on: what happened before it, and what the runner makes of it."""

from pathlib import Path

from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.campaign.run.redoing import Resumption
from app.campaign.run.runner import MOST_HOLDS, Runner
from app.plan.campaign import parse_campaign
from app.plan.verdict import Cause
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, Writer
from tests.app.campaign.stand import no_load
from tests.app.record.recording import INFO

PLAN = """
name = "Night"
[[step]]
label = "A"
engine = "idle"
runtime = "400ms"
"""


def test_a_row_that_was_cut_off_often_is_not_given_up_when_it_is_held(
    tmp_path: Path,
) -> None:
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()

    def plan(writer: Writer) -> None:
        for number in range(1, MOST_HOLDS + 1):
            step = writer.add_step(1, f"A (void {number})", "idle", "")
            writer.update_step(
                step, outcome="VOID", cause=Cause.CRASHED, attempt=number
            )
        writer.add_step(1, "A", "idle", "")

    recorder.call(plan)
    steering = Steering()
    held: list[bool] = []

    def react(progress: Progress) -> None:
        if progress.held:
            steering.release("hot")
        elif not held and progress.step_fraction > 0.2:
            held.append(True)
            steering.hold("hot", "61 degC")

    with Session.open(recorder.path) as session:
        Runner(
            parse_campaign(PLAN, "plan.toml"),
            recorder,
            session,
            make_load=no_load,
            steering=steering,
            progress=react,
            resume=Resumption(),
        ).run()
    recorder.close()
    with Session.open(recorder.path) as session:
        rows = [(row.label, row.outcome, row.reason) for row in session.steps()]
    assert rows[MOST_HOLDS] == ("A (void 4)", "VOID", "paused by an interlock: 61 degC")
    assert rows[MOST_HOLDS + 1][:2] == ("A", "DONE")
