"""What a run keeps of its operator: notes before the start, pauses, questions."""

from pathlib import Path

from app.campaign.progress import Progress
from app.campaign.steering import Steering
from app.operations.run import run_campaign
from app.record.store import Session
from tests.app.operations.benches import bench, campaign

ASKED = """
name = "Asked"
[[step]]
label = "Insert"
engine = "prompt"
[step.prompt]
text = "Insert the drives."
"""


def test_notes_pauses_and_questions_are_kept(tmp_path: Path) -> None:
    steering = Steering()

    def answer(progress: Progress) -> None:
        if progress.question is not None and not progress.paused:
            steering.pause()
        elif progress.question is not None:
            steering.answer(progress.question.number, "done")
            steering.go_on()

    result = run_campaign(
        campaign(ASKED),
        bench(tmp_path),
        tmp_path / "out",
        progress=answer,
        steering=steering,
        notes=["WARN Room: 31 °C at the inlet"],
    )
    with Session.open(result.session) as session:
        journal = [(row.action, row.detail) for row in session.journal()]
        events = [row.message for row in session.events() if row.source == "operator"]
    assert ("told before the start", "WARN Room: 31 °C at the inlet") in journal
    assert "asked: Insert the drives." in events
    assert "paused by the operator, from the next step on" in events
