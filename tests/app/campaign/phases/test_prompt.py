"""Prompts that the bench has to agree with, over a recorded session."""

import threading
from pathlib import Path

import numpy as np
import pytest

from app.campaign.phases.answer import is_no
from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.campaign.run.runner import Runner
from app.plan.verdict import Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.campaign.stand import no_load
from tests.app.operations.benches import campaign
from tests.app.record.recording import INFO

SLOT = Channel("ses", "temperature", "degC", "slot07", period_ns=SECOND)

PULL = """
name = "Pull"
[[step]]
label = "Pull slot 7"
engine = "prompt"
{runtime}
[step.prompt]
text = "Pull the drive of slot 7."
check = "ses.temperature.slot07 absent"
"""


class Bay:
    """A slot that is read ten times a second, and a run that asks about it."""

    def __init__(self, folder: Path) -> None:
        self.steering = Steering()
        self.recorder = Recorder(folder / "s.bayscope", INFO, clock=SystemClock())
        self.recorder.start()
        self.recorder.call(lambda w: w.add_channels([SLOT]))
        self.pulled = threading.Event()
        self.gone_as = Status.ABSENT
        self.missing: list[str] = []
        self.said = ""
        self._done = threading.Event()
        self._reader = threading.Thread(target=self._read)

    def _read(self) -> None:
        while not self._done.wait(0.1):
            now = self.recorder.clock.monotonic_ns()
            gone = self.pulled.is_set()
            value, status = (np.nan, self.gone_as) if gone else (30.0, Status.OK)
            self.recorder.append(Reading((SLOT,), now, now, (value,), (status,)))

    def answer(self, progress: Progress) -> None:
        """Answer each question once; pull the drive at the second."""
        asked = progress.question
        if asked is not None and len(self.missing) < asked.number:
            self.missing.append(asked.missing)
            if asked.number == 2:
                self.pulled.set()
            self.steering.answer(asked.number, self.said)

    def run(self, runtime: str) -> Verdict:
        self._reader.start()
        try:
            with Session.open(self.recorder.path) as session:
                runner = Runner(
                    campaign(PULL.format(runtime=runtime)),
                    self.recorder,
                    session,
                    make_load=no_load,
                    steering=self.steering,
                    progress=self.answer,
                )
                return runner.run()
        finally:
            self._done.set()
            self._reader.join()
            self.recorder.close()


def test_it_is_asked_again_until_the_bench_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.campaign.phases.prompt.AGREE_S", 1.0)
    bay = Bay(tmp_path)
    assert bay.run("") is Verdict.PASS
    first, second = bay.missing
    assert first == ""
    assert second == "ses.temperature.slot07 is 30 °C, wanted: absent"
    with Session.open(bay.recorder.path) as session:
        [result] = session.results()
        assert (result.name, result.unit) == ("detected_s", "s")
        assert result.value is not None
        assert 0 <= result.value < 1.0
        assert result.note == "ses.temperature.slot07 absent"


@pytest.mark.parametrize(
    ("answer", "said_no"),
    [
        ("no", True),
        ("No, slot 3 is empty", True),
        (" N ", True),
        ("failed: the lamp is dark", True),
        ("not done", True),
        ("", False),
        ("done", False),
        ("no drive was missing", True),
        ("fail", True),
        ("failed to start", True),
        ("not yet", True),
        ("nope", True),
        ("No slot 3", True),
        ("nothing to be seen", False),
        ("notes are in the log", False),
        ("yes", False),
    ],
)
def test_no_is_told_from_what_begins_like_it(answer: str, *, said_no: bool) -> None:
    assert is_no(answer) is said_no


def test_an_operator_who_says_no_does_not_pass(tmp_path: Path) -> None:
    """Not even where the bench would agree."""
    bay = Bay(tmp_path)
    bay.pulled.set()
    bay.said = "no, it is stuck"
    assert bay.run("") is Verdict.FAIL
    with Session.open(bay.recorder.path) as session:
        [step] = session.steps()
    assert step.reason == 'the operator answered "no, it is stuck"'


def test_a_device_that_does_not_notice_in_time_fails(tmp_path: Path) -> None:
    bay = Bay(tmp_path)
    assert bay.run('runtime = "3s"') is Verdict.FAIL
    with Session.open(bay.recorder.path) as session:
        [step] = session.steps()
    assert step.reason == (
        "not so within 3 s: ses.temperature.slot07 is 30 °C, wanted: absent"
    )


def test_a_lost_source_does_not_say_that_a_drive_is_absent(tmp_path: Path) -> None:
    bay = Bay(tmp_path)
    bay.gone_as = Status.TIMEOUT
    bay.pulled.set()
    assert bay.run('runtime = "3s"') is Verdict.FAIL
    with Session.open(bay.recorder.path) as session:
        [step] = session.steps()
    assert "ses.temperature.slot07 cannot be read just now (timeout)" in step.reason


@pytest.mark.parametrize(
    ("runtime", "in_time", "verdict"),
    [
        ("", False, Verdict.PASS),
        ('runtime = "1s"', False, Verdict.ERROR),
        ('runtime = "30s"', True, Verdict.PASS),
    ],
)
def test_a_bench_that_is_held_is_not_judged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    runtime: str,
    verdict: Verdict,
    *,
    in_time: bool,
) -> None:
    """The operator has answered; whether the bench agreed in time is not known."""
    monkeypatch.setattr("app.campaign.phases.prompt.AGREE_S", 1.0)
    bay = Bay(tmp_path)
    held: list[Progress] = []

    def hold(progress: Progress) -> None:
        if progress.question is not None:
            bay.steering.hold("lost", "ses is lost")
            bay.steering.answer(progress.question.number, "pulled")
        elif progress.held:
            held.append(progress)
            if in_time:
                bay.pulled.set()
        if len(held) == 8:  # longer than the limit
            bay.pulled.set()
            bay.steering.release("lost")

    bay.answer = hold  # type: ignore[method-assign]
    assert bay.run(runtime) is verdict
    with Session.open(bay.recorder.path) as session:
        [step] = session.steps()
    assert step.outcome == ("ERROR" if verdict is Verdict.ERROR else "DONE")
    assert ("paused by an interlock: ses is lost" in step.reason) is (
        verdict is Verdict.ERROR
    )
