"""A run that is held: its step is void and runs again, or is left out."""

from collections.abc import Callable

import pytest

from app.campaign.phases.startup import startup_phase
from app.campaign.run.progress import Progress
from app.campaign.run.runner import MOST_HOLDS
from app.plan.verdict import Cause, Verdict
from instruments.errors import Aborted
from tests.app.campaign.stand import ASKED, COLD, THREE, Stand

pytestmark = pytest.mark.usefixtures("unhurried")


def test_a_skip_of_a_step_that_was_held_does_not_skip_it_anew(stand: Stand) -> None:
    seen: list[int] = []

    def react(progress: Progress) -> None:
        if progress.label == "A" and progress.step_id not in seen:
            seen.append(progress.step_id)
        if len(seen) == 1 and progress.step_fraction > 0.2:
            stand.steering.hold("hot", "hot")
        elif len(seen) == 2:
            stand.steering.skip(seen[0])
            stand.steering.release("hot")

    stand.react = react
    assert stand.run(THREE) is Verdict.PASS
    assert stand.rows()[:2] == [("A (void 1)", "VOID", None), ("A", "DONE", "PASS")]


@pytest.mark.parametrize("lasts", [False, True])
def test_a_hold_takes_no_question_back(stand: Stand, *, lasts: bool) -> None:
    """It strikes while the operator types, and holds whatever comes after."""
    numbers: set[int] = set()
    since: list[str] = []

    def react(progress: Progress) -> None:
        if progress.question is not None:
            numbers.add(progress.question.number)
            since.append(progress.held)
            if len(since) == 1:
                stand.steering.hold("hot", "slot07 is too hot")
            elif len(since) == 4:
                if not lasts:
                    stand.steering.release("hot")
                stand.steering.answer(progress.question.number, "15 drives inserted")
        elif progress.label == "Idle" and progress.held:
            assert progress.step_fraction == 0
            stand.steering.release("hot")

    stand.react = react
    assert stand.run(ASKED) is Verdict.PASS
    assert numbers == {1}
    assert stand.rows() == [("Insert", "DONE", "PASS"), ("Idle", "DONE", "PASS")]
    assert "answered: Insert: 15 drives inserted" in stand.journal()


@pytest.mark.parametrize("by", ["hand", "switch"])
def test_a_start_up_keeps_an_answer_and_waits_while_it_is_held(
    stand: Stand, by: str
) -> None:
    """No power is taken away meanwhile, and nobody answers anew."""
    answered: set[int] = set()
    held: list[str] = []
    switched: list[str] = []

    def react(progress: Progress) -> None:
        if (question := progress.question) is not None:
            if question.number not in answered:
                answered.add(question.number)
                stand.steering.hold("hot", "slot07 is too hot")
                stand.steering.answer(question.number, "yes")
        elif progress.held:
            held.append(progress.held)
            if len(held) % 4 == 0:
                assert switched == []
                stand.steering.release("hot")

    def pdu(name: str, action: str, place: str, confirm: Callable[[str], bool]) -> str:
        if not confirm(f"{name} is switched {action}."):
            raise Aborted("the action was not confirmed")
        assert stand.steering.held == ""
        switched.append(action)
        return f"{name} {place} is {action}"

    stand.react = react
    text = COLD.replace("5s", "1s") + ('switch = "pdu"\n' if by == "switch" else "")
    stand.run(text, phases={"startup": startup_phase(pdu)})
    assert [label for label, _, _ in stand.rows()] == ["Cold"]
    assert answered == ({1} if by == "switch" else {1, 2})
    assert switched == (["off", "on"] if by == "switch" else [])
    assert len(held) == 4 * len(answered)


def test_a_refusal_while_it_is_held_is_not_asked_again(stand: Stand) -> None:
    answered: list[int] = []

    def react(progress: Progress) -> None:
        if (question := progress.question) is not None:
            answered.append(question.number)
            stand.steering.hold("hot", "slot07 is too hot")
            stand.steering.answer(question.number, "no")

    def pdu(name: str, action: str, place: str, confirm: Callable[[str], bool]) -> str:
        assert not confirm(f"{name} is switched {action} {place}.")
        raise Aborted("the action was not confirmed")

    stand.react = react
    text = f'{COLD}switch = "pdu"\n'
    stand.run(text, phases={"startup": startup_phase(pdu)})
    assert stand.rows() == [("Cold", "SKIPPED", None)]
    assert set(answered) == {1}


def test_a_held_step_is_void_and_runs_again(stand: Stand) -> None:
    held: list[float] = []

    def react(progress: Progress) -> None:
        if not held and progress.label == "A" and progress.step_fraction > 0.2:
            held.append(progress.step_fraction)
            stand.steering.hold("hot", "slot07 has 61 degC, above 60 degC")
        elif progress.held:
            assert progress.held == "slot07 has 61 degC, above 60 degC"
            stand.steering.release("hot")

    stand.react = react
    assert stand.run(THREE) is Verdict.PASS
    assert stand.rows() == [
        ("A (void 1)", "VOID", None),
        ("A", "DONE", "PASS"),
        ("B", "DONE", "PASS"),
        ("Away", "DONE", "PASS"),
    ]
    void, again, *_ = stand.steps()
    assert void.cause == Cause.INTERLOCK
    assert "slot07 has 61 degC, above 60 degC" in void.reason
    assert void.position == again.position
    assert void.end_ns is not None
    assert again.start_ns is not None
    assert again.start_ns >= void.end_ns


def test_skip_leaves_out_the_row_that_waits_for_a_hold(stand: Stand) -> None:
    def react(progress: Progress) -> None:
        if progress.step == 1 and progress.step_fraction > 0.2:
            stand.steering.hold("hot", "slot07 has 61 degC, above 60 degC")
        elif progress.label == "A" and progress.step_id > 3:
            stand.steering.skip(progress.step_id)
        elif progress.label == "B":
            stand.steering.release("hot")

    stand.react = react
    assert stand.run(THREE) is Verdict.ABORTED
    assert stand.rows() == [
        ("A (void 1)", "VOID", None),
        ("A", "SKIPPED", None),
        ("B", "DONE", "PASS"),
        ("Away", "DONE", "PASS"),
    ]
    assert stand.steps()[1].cause == Cause.SKIPPED


def test_a_hold_that_is_released_while_its_load_ends_still_held(stand: Stand) -> None:
    held: list[float] = []

    def react(progress: Progress) -> None:
        if not held and progress.label == "A" and progress.step_fraction > 0.2:
            held.append(progress.step_fraction)
            stand.steering.hold("power", "mains.P is 520 W, above 500")
            stand.steering.release("power")

    stand.react = react
    assert stand.run(THREE) is Verdict.PASS
    assert stand.rows()[:2] == [("A (void 1)", "VOID", None), ("A", "DONE", "PASS")]
    assert stand.steps()[0].cause == Cause.INTERLOCK


def test_a_step_is_not_held_for_ever(stand: Stand) -> None:
    def react(progress: Progress) -> None:
        if progress.held:
            stand.steering.release("hot")
        elif progress.label == "A" and progress.step_fraction > 0.2:
            stand.steering.hold("hot", "hot")

    stand.react = react
    assert stand.run(THREE) is Verdict.ERROR
    rows = stand.rows()
    assert rows[: MOST_HOLDS + 1] == [
        *((f"A (void {n})", "VOID", None) for n in range(1, MOST_HOLDS + 1)),
        ("A", "VOID", "ERROR"),
    ]
    assert stand.steps()[MOST_HOLDS].cause == Cause.INTERLOCK
    assert rows[MOST_HOLDS + 1 :] == [("B", "DONE", "PASS"), ("Away", "DONE", "PASS")]
