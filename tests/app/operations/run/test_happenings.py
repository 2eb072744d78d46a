"""What a run keeps of its operator: notes before the start, pauses, questions."""

import hashlib
from pathlib import Path

from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.operations.run.run import run_campaign
from app.record.store import Session
from tests.app.operations.benches import bench, campaign

ASKED = """
name = "Asked"
[[step]]
label = "Insert"
engine = "prompt"
[step.prompt]
text = "Insert the drives."
picture = "slots.png"
"""


def test_notes_pauses_and_questions_are_kept(tmp_path: Path) -> None:
    steering = Steering()

    def answer(progress: Progress) -> None:
        if progress.question is not None and not progress.paused:
            steering.pause()
        elif progress.question is not None:
            steering.answer(progress.question.number, "done")
            steering.go_on()

    (tmp_path / "slots.png").write_bytes(b"a picture")
    result = run_campaign(
        campaign(ASKED),
        bench(tmp_path),
        tmp_path / "out",
        progress=answer,
        steering=steering,
        notes=["WARN Room: 31 °C at the inlet"],
        operator="Ada",
        beside=tmp_path,
    )
    with Session.open(result.session) as session:
        journal = [(row.action, row.detail) for row in session.journal()]
        assert session.artefact("pictures/slots.png") == b"a picture"
        events = [row.message for row in session.events() if row.source == "operator"]
    assert ("told before the start", "WARN Room: 31 °C at the inlet") in journal
    [picture] = [detail for action, detail in journal if action == "picture"]
    digest = hashlib.sha256(b"a picture").hexdigest()
    assert picture == f"slots.png: 9 B, SHA-256 {digest}"
    assert ("paused", "by Ada; the next step waits") in journal
    [went_on] = [detail for action, detail in journal if action == "went on"]
    assert went_on.startswith("by Ada, after ")
    assert ("answered", "Insert: done") in journal
    assert "asked: Insert the drives." in events
    assert "paused by the operator; the next step waits" in events
