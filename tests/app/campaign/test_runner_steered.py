"""A run that is steered: skipped, paused, asked, and torn down."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from app.campaign.phases.operator import NO_OPERATOR, SimulatedOperator
from app.campaign.phases.phase import StepRun
from app.campaign.phases.startup import startup_phase
from app.campaign.phases.steering import Steering
from app.campaign.phases.table import PHASES
from app.campaign.run.progress import Progress
from app.campaign.run.runner import StepHook
from app.operations.run.left_behind import left_behind
from app.plan.verdict import Cause, Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, Writer
from instruments.errors import BenchError
from tests.app.campaign.stand import ASKED, COLD, THREE, Stand
from tests.app.record.recording import INFO
from workloads.base import LoadOutcome, LoadResult

T = TypeVar("T")


pytestmark = pytest.mark.usefixtures("unhurried")


def test_a_skipped_step_is_no_pass(stand: Stand) -> None:
    def react(progress: Progress) -> None:
        if progress.label == "A" and progress.step_fraction > 0.2:
            stand.steering.skip(progress.step_id)

    stand.react = react
    assert stand.run(THREE) is Verdict.ABORTED
    assert stand.rows() == [
        ("A", "SKIPPED", None),
        ("B", "DONE", "PASS"),
        ("Away", "DONE", "PASS"),
    ]
    assert stand.steps()[0].cause == Cause.SKIPPED
    with Session.open(stand.path) as session:
        told = [event.message for event in session.events()]
    assert "A SKIPPED: skipped by the operator" in told


def test_a_skip_of_a_step_that_has_ended_skips_no_other(stand: Stand) -> None:
    seen: dict[str, int] = {}

    def react(progress: Progress) -> None:
        seen[progress.label] = progress.step_id
        if progress.label == "B":
            stand.steering.skip(seen["A"])

    stand.react = react
    assert stand.run(THREE.replace("1s", "300ms")) is Verdict.PASS
    assert [row[1] for row in stand.rows()] == ["DONE", "DONE", "DONE"]


def test_what_tears_down_runs_after_an_end_that_cannot_be_stored(
    stand: Stand,
) -> None:
    def fail(run: StepRun) -> LoadResult:
        return LoadResult(LoadOutcome.DEVICE_FAILED, "L\udcfcfter")

    with pytest.raises(UnicodeEncodeError):
        stand.run(THREE, phases={**PHASES, "idle": fail})
    assert stand.rows() == [
        ("A", "ERROR", "ERROR"),
        ("B", "SKIPPED", None),
        ("Away", "DONE", "PASS"),
    ]
    first, second, _ = stand.steps()
    assert "UnicodeEncodeError" in first.reason
    assert "UnicodeEncodeError" in second.reason


def test_halves_of_characters_are_no_part_of_an_answer(stand: Stand) -> None:
    def react(progress: Progress) -> None:
        if progress.question is not None:
            stand.steering.answer(progress.question.number, "no, L\udcfcfter")

    stand.react = react
    assert stand.run(ASKED) is Verdict.FAIL
    assert stand.steps()[0].reason == 'the operator answered "no, L?fter"'


def never(name: str, action: str, place: str, confirm: Callable[[str], bool]) -> str:
    raise AssertionError(f"{name} does not {action} {place} {confirm}")


@pytest.mark.parametrize("ending", ["no", "abort", "skip"])
def test_a_device_that_is_left_off_is_told(stand: Stand, ending: str) -> None:
    """It was switched off, and then the operator wants it no more."""

    def react(progress: Progress) -> None:
        if (asked := progress.question) is None:
            return
        if "off" in asked.text:
            stand.steering.answer(asked.number, "")
        elif ending == "no":
            stand.steering.answer(asked.number, "no, it smells")
        elif ending == "abort":
            stand.steering.abort()
        else:
            stand.steering.skip(progress.step_id)

    stand.react = react
    verdict = stand.run(COLD, phases={"startup": startup_phase(never)})
    assert verdict is (Verdict.ERROR if ending == "no" else Verdict.ABORTED)
    reason = stand.steps()[0].reason
    assert reason.endswith("the device was off, and may still be")
    assert ("no, it smells" in reason) is (ending == "no")
    with Session.open(stand.path) as session:
        told = [event.message for event in session.events()]
        assert "Cold was ended while the device was off, and may still be off" in told
        assert left_behind(session) == [
            "the device may have been switched off for its start, and may still be off"
        ]


class LateStop(Steering):
    """The operator says yes, and has second thoughts right after."""

    def __init__(self, ending: str) -> None:
        super().__init__()
        self._ending = ending
        self.step_id = 0

    def await_free(self) -> None:
        if self._ending == "skip":
            self.skip(self.step_id)
        elif self._ending == "abort":
            self.abort()
        else:
            self.end("too hot")
        super().await_free()


@pytest.mark.parametrize("ending", ["abort", "skip", "end"])
@pytest.mark.parametrize("by", ["switch", "hand", "simulation"])
def test_a_stop_after_the_yes_comes_before_the_switch(
    stand: Stand, by: str, ending: str
) -> None:
    stand.steering = steering = LateStop(ending)
    switched: list[str] = []

    def react(progress: Progress) -> None:
        steering.step_id = progress.step_id
        if (question := progress.question) is not None:
            steering.answer(question.number, "yes")

    def pdu(name: str, action: str, place: str, confirm: Callable[[str], bool]) -> str:
        if confirm(f"{name} is switched {action} {place}."):
            switched.append(action)
        return f"{name} is {action}"

    def simulated(lines: Sequence[str]) -> None:
        switched.extend(lines)

    stand.react = react
    operator = SimulatedOperator(simulated) if by == "simulation" else NO_OPERATOR
    text = COLD + ('switch = "pdu"\n' if by == "switch" else "")
    phases = {"startup": startup_phase(pdu)}
    verdict = stand.run(text, phases=phases, operator=operator)
    assert verdict is (Verdict.ERROR if ending == "end" else Verdict.ABORTED)
    assert switched == []
    # By hand it was off before the yes.
    told_off = stand.steps()[0].reason.endswith("the device was off, and may still be")
    assert told_off is (by == "hand")


def test_a_run_that_was_ended_in_its_teardown_is_no_pass(stand: Stand) -> None:
    def react(progress: Progress) -> None:
        if progress.label == "Away":
            stand.steering.end("too hot")

    stand.react = react
    text = THREE.replace('run = "echo taken away"', 'run = "sleep 0.6"')
    assert stand.run(text) is Verdict.ERROR
    assert [row[2] for row in stand.rows()] == ["PASS", "PASS", "PASS"]


class Clumsy(StepHook):
    """Looks around that break, as no look should."""

    def before(self, step_id: int, label: str) -> None:
        raise ValueError(f"filedescriptor out of range before {step_id}, {label}")

    def after(self, step_id: int, label: str) -> list[str]:
        raise ValueError(f"filedescriptor out of range after {step_id}, {label}")


def test_a_look_that_breaks_ends_no_run(stand: Stand) -> None:
    assert stand.run(THREE, hook=Clumsy()) is Verdict.PASS
    assert [row[1] for row in stand.rows()] == ["DONE", "DONE", "DONE"]
    with Session.open(stand.path) as session:
        told = [event.message for event in session.events() if event.level == "error"]
    assert len(told) == 6
    assert "filedescriptor out of range before 1, A" in told[0]


def test_a_pause_lies_between_steps(stand: Stand) -> None:
    paused: list[str] = []

    def react(progress: Progress) -> None:
        if progress.label == "A" and progress.step_fraction > 0.2:
            stand.steering.pause()
        elif progress.label == "B" and progress.paused:
            paused.append(progress.label)
            if len(paused) == 3:
                stand.steering.go_on()

    stand.react = react
    assert stand.run(THREE) is Verdict.PASS
    first, second, _ = stand.steps()
    assert first.outcome == "DONE"
    assert len(paused) >= 3
    assert second.start_ns is not None
    assert first.end_ns is not None
    assert second.start_ns - first.end_ns > 0.4e9


def test_what_tears_down_runs_after_an_abort(stand: Stand) -> None:
    def react(progress: Progress) -> None:
        if progress.label == "A" and progress.step_fraction > 0.2:
            stand.steering.abort()

    stand.react = react
    assert stand.run(THREE) is Verdict.ABORTED
    assert stand.rows() == [
        ("A", "ABORTED", "ABORTED"),
        ("B", "SKIPPED", None),
        ("Away", "DONE", "PASS"),
    ]
    with Session.open(stand.path) as session:
        [kept] = session.artefacts()
        assert session.artefact(kept.name) == b"taken away"


def test_the_operator_is_asked_and_answers(stand: Stand) -> None:
    questions: list[str] = []

    def react(progress: Progress) -> None:
        asked = progress.question
        if asked is not None:
            questions.append(asked.text)
            stand.steering.answer(asked.number - 1, "too late")
            stand.steering.answer(asked.number, "15 drives inserted")

    stand.react = react
    assert stand.run(ASKED) is Verdict.PASS
    assert questions[0] == "Insert the drives of slots 1 to 15."
    journal = stand.journal()
    assert "asked: Insert: Insert the drives of slots 1 to 15." in journal
    assert "answered: Insert: 15 drives inserted" in journal


def test_an_abort_ends_a_question(stand: Stand) -> None:
    def react(progress: Progress) -> None:
        if progress.question is not None:
            stand.steering.abort()

    stand.react = react
    assert stand.run(ASKED) is Verdict.ABORTED
    assert stand.rows() == [
        ("Insert", "ABORTED", "ABORTED"),
        ("Idle", "SKIPPED", None),
    ]


@pytest.mark.parametrize(
    ("command", "told", "cause"),
    [
        ("false", "false failed (exit code 1): it printed no message", Cause.LOAD),
        ("no-such-program x", "no-such-program", Cause.BENCH),
    ],
)
def test_a_command_that_fails_is_an_error_of_the_bench(
    stand: Stand, command: str, told: str, cause: Cause
) -> None:
    text = THREE.replace("echo taken away", command)
    assert stand.run(text) is Verdict.ERROR
    last = stand.steps()[-1]
    assert (last.outcome, last.cause) == ("ERROR", cause)
    assert told in last.reason


def test_a_command_ends_when_the_run_does(stand: Stand) -> None:
    def react(progress: Progress) -> None:
        if progress.label == "A" and progress.step_fraction > 0:
            stand.steering.abort()

    stand.react = react
    text = THREE.replace(
        'engine = "idle"\nruntime = "1s"',
        'engine = "command"\nruntime = "60s"\n[step.command]\nrun = "sleep 60"',
        1,
    )
    assert stand.run(text) is Verdict.ABORTED
    first = stand.steps()[0]
    assert first.outcome == "ABORTED"
    assert first.start_ns is not None
    assert first.end_ns is not None
    assert first.end_ns - first.start_ns < 20e9


def test_a_command_that_takes_too_long_is_ended(stand: Stand) -> None:
    text = THREE.replace(
        'run = "echo taken away"', "run = \"sh -c 'echo begun; exec sleep 60'\""
    ).replace("teardown = true", 'teardown = true\nruntime = "300ms"')
    assert stand.run(text) is Verdict.ERROR
    assert stand.steps()[-1].cause == Cause.OVERTIME
    with Session.open(stand.path) as session:
        assert session.artefact("command.txt") == b"begun"


def test_what_tears_down_runs_where_nothing_can_be_stored(
    stand: Stand, tmp_path: Path
) -> None:
    def react(progress: Progress) -> None:
        if progress.label == "A" and progress.step_fraction > 0.2:
            stand.recorder._writer.failed = BenchError("the disk is full")

    stand.react = react
    text = THREE.replace("echo taken away", f"touch {tmp_path}/away")
    assert stand.run(text) is Verdict.ERROR
    assert (tmp_path / "away").exists()


class CountingRecorder(Recorder):
    """Counts what has to be durable before the run goes on."""

    calls = 0

    def call(self, action: Callable[[Writer], T]) -> T:
        self.calls += 1
        return super().call(action)


@pytest.mark.parametrize("needs", ["", 'needs = ["A"]'])
def test_rows_that_are_left_out_are_not_stored_one_by_one(
    tmp_path: Path, needs: str
) -> None:
    """Each time the whole session is signed: 10,000 rows took minutes."""
    stand = Stand(tmp_path)
    stand.recorder.close()
    stand.path = tmp_path / "counted.bayscope"
    stand.recorder = counting = CountingRecorder(stand.path, INFO, clock=SystemClock())
    stand.recorder.start()
    one = '[[step]]\nlabel = "{}"\nengine = "idle"\nruntime = "9s"\n{}\n'
    rows = [one.format("A", ""), *(one.format(f"B{n}", needs) for n in range(100))]

    def react(progress: Progress) -> None:
        if progress.label == "A" and needs:
            stand.steering.skip(progress.step_id)
        elif progress.label == "A":
            stand.steering.abort()

    stand.react = react
    assert stand.run(f'name = "Long"\n{"".join(rows)}') is not Verdict.PASS
    assert counting.calls < 20
    assert [row.outcome for row in stand.steps()[1:]] == ["SKIPPED"] * 100


def test_an_open_ended_step_says_that_its_runtime_ends_it_too(stand: Stand) -> None:
    told: set[str] = set()
    stand.react = lambda progress: told.add(progress.why)
    text = THREE.replace('"1s"', '"1s"\n[step.idle]\nuntil_stopped = true')
    assert stand.run(text) is Verdict.PASS
    assert "recorded until you stop it, for 1s at most" in told
