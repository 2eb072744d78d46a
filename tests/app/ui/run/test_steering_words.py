"""The words for how a run stands: what waits for somebody goes first."""

from app.campaign.phases.steering import Question
from app.campaign.run.progress import Progress
from app.plan.interlocks import Interlock
from app.ui.run.standing import standing_of

HOT = Interlock("Drives too hot", ("*.temperature.*",), above=60, until=55, for_s=10)
LOST = Interlock("Meter lost", lost=("mains",), for_s=30)
TRIPPED = "Drives too hot: ses.temperature.slot07 is 61.5 degC, above 60"


def test_a_run_tells_its_step_and_what_that_waits_for() -> None:
    running = Progress("recording", step=2, steps=7, label="Read", why="not yet steady")
    shown = standing_of(running)
    assert shown.text == "Read, step 2 of 7: not yet steady"
    assert not shown.needs


def test_a_held_run_tells_when_it_comes_back() -> None:
    held = Progress("recording", step=2, steps=7, held=TRIPPED, held_until=HOT.cleared)
    shown = standing_of(held)
    assert shown.word == "Paused by an interlock"
    assert shown.text == f"{TRIPPED}. Resumes when it is at most 55 for 10s."
    assert shown.needs
    lost = Progress("recording", held="Meter lost: mains is lost")
    assert "when the condition clears" in standing_of(lost).text
    assert LOST.cleared == "it answers again for 30s"


def test_a_question_goes_before_a_pause_and_a_stop_before_both() -> None:
    asked = Progress("recording", paused=True, question=Question(1, "Insert drives."))
    assert standing_of(asked).text == "Insert drives."
    assert standing_of(asked, stopping=True).word == "Stopping"


def test_a_pause_waits_for_the_end_of_the_step() -> None:
    half = Progress("recording", label="Read", step=1, step_fraction=0.5, paused=True)
    assert standing_of(half).word == "Pausing"
    assert standing_of(Progress("recording", step=2, paused=True)).word == "Paused"


def test_before_the_first_step_it_says_what_is_done() -> None:
    assert standing_of(None).word == "Starting"
    assert standing_of(Progress("filling", step_fraction=0.25)).text == "25%"
