"""What a run says of itself."""

from app.campaign.run.progress import Progress
from app.ui.campaign.chooser import shipped_campaigns
from app.ui.run.standing import beginning_of, share_of, state_of


def test_a_step_says_which_it_is_and_how_long_it_takes() -> None:
    progress = Progress(
        "recording", step=3, steps=7, step_fraction=0.27, remaining_s=81
    )
    assert state_of(progress) == "Recording, step 3 of 7, 1:21 to go"
    assert share_of(progress) == "27%"


def test_what_comes_before_the_first_step_has_a_share_at_most() -> None:
    filling = Progress("filling the scratch file", step_fraction=0.5)
    assert state_of(filling) == "Filling the scratch file, 50%"
    assert state_of(Progress("connecting")) == "Connecting"
    assert share_of(filling) == share_of(None) == ""


def test_a_question_without_an_end_has_no_share() -> None:
    assert share_of(Progress("recording", step=1, steps=2)) == ""


def test_what_a_step_waits_for_is_said_line_by_line() -> None:
    why = "not yet steady; power: range 23 % is above 20 % (rounds 1 to 5)"
    waiting = Progress("recording", step=1, steps=2, remaining_s=9, why=why)
    assert state_of(waiting).splitlines()[1:] == [
        "Not yet steady",
        "Power: range 23 % is above 20 % (rounds 1 to 5)",
    ]


def test_the_beginning_names_the_campaign() -> None:
    demo = shipped_campaigns()[0]
    half = Progress("filling", step_fraction=0.5)
    assert beginning_of(half, demo) == f"{demo.name}. 50% done."
    assert beginning_of(None, None) == "Charts will appear shortly."


def test_what_may_take_longer_takes_at_least_so_long() -> None:
    rounds = Progress("recording", step=1, steps=2, remaining_s=81, may_grow=True)
    assert state_of(rounds) == "Recording, step 1 of 2, at least 1:21 to go"
