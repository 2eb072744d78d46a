"""Power is taken away with a yes only; else the step ends and the run goes on."""

from pathlib import Path

import pytest

from app.campaign.phases import startup
from app.campaign.phases.answer import is_yes
from app.campaign.phases.phase import StepRun
from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.operations.run.run import run_campaign
from app.plan.verdict import Outcome, Verdict
from app.record.store import Session
from tests.app.operations.benches import campaign
from tests.app.operations.test_run_startup import bench_with

PLAN = """
name = "Start"
[[step]]
label = "Cold start"
engine = "startup"
runtime = "2s"
[step.startup]
switch = "power"
[[step]]
label = "Rest"
engine = "idle"
runtime = "300ms"
"""


@pytest.mark.parametrize("answer", ["yes", "Y", "done", "ok, go", "switch off"])
def test_consent_is_said(answer: str) -> None:
    assert is_yes(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no",
        "no, do not!",
        "not yet",
        "yesterday",
        "offline?",
        "wait",
        "ok, but wait",
        "yes, not yet",
        "yes - no",
    ],
)
def test_all_else_is_none(answer: str) -> None:
    assert not is_yes(answer)


def test_without_a_yes_nothing_is_switched_and_the_run_goes_on(
    tmp_path: Path,
) -> None:
    steering = Steering()
    asked: list[str] = []

    def refuse(progress: Progress) -> None:
        question = progress.question
        if question is not None:
            asked.append(question.action)
            steering.answer(question.number, "no, do not!")

    result = run_campaign(
        campaign(PLAN),
        bench_with(tmp_path),
        tmp_path / "out",
        progress=refuse,
        steering=steering,
    )
    assert set(asked) == {"Switch off"}
    assert result.verdict is Verdict.ABORTED
    with Session.open(result.session) as session:
        start, rest = session.steps()
        journal = [f"{row.action}: {row.detail}" for row in session.journal()]
    assert start.outcome == Outcome.SKIPPED
    told = 'not switched off, the operator answered "no, do not!"'
    assert start.reason == told
    assert rest.outcome == Outcome.DONE
    assert "answered: Cold start: no, do not!" in journal
    assert not any("ordered" in line for line in journal)


def test_a_stop_while_the_order_is_written_leaves_the_power(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steering = Steering()
    order = startup._order

    def stop_then(run: StepRun, action: str) -> int:
        steering.cancel.set()
        return order(run, action)

    monkeypatch.setattr(startup, "_order", stop_then)

    def agree(progress: Progress) -> None:
        if progress.question is not None:
            steering.answer(progress.question.number, "yes")

    result = run_campaign(
        campaign(PLAN),
        bench_with(tmp_path),
        tmp_path / "out",
        progress=agree,
        steering=steering,
    )
    assert result.verdict is Verdict.ABORTED
    with Session.open(result.session) as session:
        actions = [row.action for row in session.journal()]
    assert startup._SWITCHING["off"] in actions
    assert startup._SWITCHED["off"] not in actions
