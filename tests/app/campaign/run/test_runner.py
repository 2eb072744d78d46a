"""The runner on real parts: a recorder, the simulated bench over sockets, real fio."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.analysis.again.verify import Agreement, verify
from app.bench.build import build_load, build_sources
from app.campaign.run import evaluation
from app.campaign.run.progress import Progress
from app.campaign.run.runner import StepHook, lost_told
from app.plan.step import Step
from app.plan.verdict import Cause, Outcome, Verdict
from app.record.clock import SystemClock
from app.record.poll import SourceHealth
from app.record.store import Session, StepRow
from instruments.errors import SourceError
from instruments.reading import Channel, Identity, Reading, Status
from instruments.simulated.process import SimulatorProcess
from tests.app.campaign.stand import Stand as SteeredStand
from tests.app.operations.benches import bench_at
from workloads.base import LoadResult, Measured, Workload
from workloads.target.scratch import Scratch, prepare

pytestmark = pytest.mark.usefixtures("unhurried")

STEPS = """
name = "Runner"
[[step]]
label = "Idle"
engine = "idle"
ramp = "200ms"
runtime = "1500ms"
[[step]]
label = "Read"
engine = "fio"
ramp = "1500ms"
runtime = "2s"
[step.fio]
rw = "randread"
bs = "4k"
rate_iops = 120
[[step]]
label = "Cool-down"
engine = "cooldown"
runtime = "300ms"
"""


@pytest.fixture(scope="module")
def simulator() -> Iterator[SimulatorProcess]:
    with SimulatorProcess(speedup=50) as running:
        yield running


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    path = tmp_path_factory.mktemp("scratch") / "scratch.dat"
    made = prepare(path, 16 * 2**20, threading.Event(), lambda _: None)
    yield made
    made.close()


class Stand(SteeredStand):
    """A recorder with the sources of the simulated bench, for one run."""

    plan = STEPS

    def __init__(
        self, folder: Path, simulator: SimulatorProcess, scratch: Scratch
    ) -> None:
        super().__init__(folder)
        self.seen: list[Progress] = []
        self.scratch = scratch
        for source in build_sources(bench_at(simulator, folder)):
            self.recorder.watch(source)

    def steps(self) -> list[StepRow]:
        with Session.open(self.path) as session:
            assert session.state == "complete"
            return session.steps()

    def has_power(self) -> bool:
        """Whether three readings of power are stored of the first step's window."""
        with Session.open(self.path) as session:
            start = session.steps()[0].window_start_ns
            [power] = [one for one in session.channels() if one.name == "mains.P"]
            trace = session.trace(power, None, None)
        if start is None:
            return False
        return bool(np.isfinite(trace.mean[trace.times > start]).sum() >= 3)

    def make_load(self, label: str, step: Step) -> Workload:
        return build_load(label, step, [self.scratch])

    def progress(self, progress: Progress) -> None:
        self.seen.append(progress)
        super().progress(progress)


class Disturbed:
    """A load beside which others wrote a GB to its disk."""

    def __init__(self, load: Workload) -> None:
        self._load = load
        self.name, self.driver = load.name, load.driver
        self.channels = load.channels

    def run(
        self,
        emit: Callable[[Reading], None],
        say: Callable[[str, str], None],
        stop: threading.Event,
    ) -> LoadResult:
        result = self._load.run(emit, say, stop)
        disk = {"device_read_bytes": 1e6, "device_write_bytes": 1e9}
        more = {name: Measured(value, "B", "") for name, value in disk.items()}
        return replace(result, values={**result.values, **more})


@pytest.fixture
def stand(
    tmp_path: Path, simulator: SimulatorProcess, scratch: Scratch
) -> Iterator[Stand]:
    made = Stand(tmp_path, simulator, scratch)
    yield made
    made.recorder.close()


class SlowMachine:
    """A load host that is too busy to tell anything of itself."""

    name, section, driver, period_s = "load2", "host", "ssh", 0.1
    channels = (Channel("load2", "cpu_busy", "%", period_ns=100_000_000),)

    def open(self) -> Identity:
        return Identity("", "PC", "", "", "")

    def read(self) -> Reading:
        raise SourceError("it is too busy", where=self.name)

    def close(self) -> None:
        pass


def test_a_row_counts_where_a_machine_tells_nothing_of_itself(stand: Stand) -> None:
    stand.recorder.watch(SlowMachine())
    idle, _, later = STEPS.split("[[step]]")[1:]
    assert stand.run(f'name = "Busy"\n[[step]]{idle}[[step]]{later}') is Verdict.PASS
    step = stand.steps()[0]
    assert "load2 delivered nothing in this step" in step.reason
    assert "no result is made of it" in step.reason
    assert "ignore" not in step.reason


class SlowEnclosure:
    """An enclosure with a read that takes on for seconds after a step has ended."""

    name, section, driver, period_s = "shelf2", "thermal", "ses", 0.1
    channels = (
        Channel("shelf2", "temperature", "degC", "slot01", period_ns=100_000_000),
    )

    def __init__(self) -> None:
        self.has_begun = threading.Event()

    def open(self) -> Identity:
        return Identity("", "Shelf", "", "", "")

    def read(self) -> Reading:
        clock = SystemClock()
        start = clock.monotonic_ns()
        if self.has_begun.is_set():
            self.has_begun.clear()
            clock.wait(threading.Event(), 5.0)
        end = clock.monotonic_ns() + 1
        return Reading(self.channels, start, end, (40.0,), (Status.OK,))

    def close(self) -> None:
        pass


def test_a_reading_that_was_under_way_at_the_end_belongs_to_the_row(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "SETTLE_S", 0.2)
    shelf = SlowEnclosure()
    stand.recorder.watch(shelf)

    def hang(progress: Progress) -> None:
        if 0 < progress.step_fraction < 0.3:
            shelf.has_begun.set()

    stand.react = hang
    idle = STEPS.split("[[step]]")[1]
    stand.run(f'name = "x"\n[[step]]{idle.replace("1500ms", "4s")}')
    check_verified(stand.path)


def check_verified(path: Path) -> None:
    """What a row was made of is all that is stored of its window."""
    with Session.open(path) as session:
        found = verify(session)
    odd = [one for one in found if one.agreement is not Agreement.SAME]
    assert [(one.name, one.agreement, one.values) for one in odd] == []
    assert found


def test_a_gate_that_the_plan_asks_for_is_an_error_of_the_bench(stand: Stand) -> None:
    idle, _, later = STEPS.split("[[step]]")[1:]
    # 1.5 s of ten readings a second pass, 0.3 s do not.
    text = (
        f'name = "Gate"\ngates = ["readings", "clock"]\n[[step]]{idle}[[step]]{later}'
    )
    assert stand.run(text) is Verdict.ERROR
    first, second = stand.steps()
    assert (first.verdict, first.cause) == (Verdict.PASS, Cause.NONE)
    assert (second.outcome, second.verdict) == (Outcome.DONE, Verdict.ERROR)
    assert second.cause == Cause.GATE
    assert second.reason.startswith("gate readings: ")


def test_every_step_is_measured_over_its_one_window(stand: Stand) -> None:
    expected: dict[str, int | None] = {}

    def look(progress: Progress) -> None:
        """Note what a program killed just now would leave of the running step."""
        if progress.step_fraction > 0.8:
            with Session.open(stand.path) as session:
                running = session.steps()[progress.step - 1]
            expected[running.label] = running.window_start_ns

    stand.react = look
    assert stand.run() is Verdict.PASS
    idle, read, cooldown = stand.steps()
    for step in (idle, read):
        assert expected[step.label] == pytest.approx(step.window_start_ns, abs=0.3e9)
    for step, ramp, length in ((idle, 0.2, 1.5), (read, 1.5, 2.0), (cooldown, 0, 0.3)):
        # Others may use the disk, which its reason says then.
        assert (step.outcome, step.verdict, step.cause) == ("DONE", "PASS", "")
        assert step.start_ns is not None
        assert step.window_start_ns is not None
        assert step.window_end_ns is not None
        assert step.end_ns is not None
        assert step.window_start_ns - step.start_ns >= ramp * 1e9
        window = step.window_end_ns - step.window_start_ns
        assert window == pytest.approx(length * 1e9, rel=0.1)
        assert step.end_ns >= step.window_end_ns
    with Session.open(stand.path) as session:
        for step in (idle, read, cooldown):
            for result in session.results(step.id):
                assert result.start_ns == step.window_start_ns
                assert result.end_ns == step.window_end_ns
        assert session.info.verdict == "PASS"
        told = [
            e.message.partition(":")[0]
            for e in session.events()
            if e.source == "campaign"
        ]
        assert told == [
            text
            for label in ("Idle", "Read", "Cool-down")
            for text in (f"{label} started", f"{label} DONE, PASS")
        ]
        names = {artefact.name for artefact in session.artefacts()}
        assert {"job.fio", "fio-output.json.zz"} <= names
    assert {progress.label for progress in stand.seen} == {"Idle", "Read", "Cool-down"}


@pytest.mark.parametrize(
    ("label", "fraction", "outcomes"),
    [
        ("Idle", 0.0, ["ABORTED", "SKIPPED", "SKIPPED"]),
        ("Read", 0.05, ["DONE", "ABORTED", "SKIPPED"]),  # in its ramp
        ("Read", 0.1, ["DONE", "ABORTED", "SKIPPED"]),
    ],
)
def test_a_stop_in_any_phase_keeps_what_was_measured(
    stand: Stand, label: str, fraction: float, outcomes: list[str]
) -> None:
    def stop(progress: Progress) -> None:
        if progress.label != label or progress.step_fraction < fraction:
            return
        if label != "Idle" or stand.has_power():
            stand.steering.cancel.set()

    stand.react = stop
    # Times that a busy machine does not sleep through; they are not waited for.
    text = STEPS.replace('"2s"', '"20s"')
    if label == "Idle":
        text = text.replace('runtime = "1500ms"', 'runtime = "20s"')
    if fraction == 0.05:
        text = text.replace('ramp = "1500ms"', 'ramp = "12s"')
    assert stand.run(text) is Verdict.ABORTED
    steps = stand.steps()
    assert [step.outcome for step in steps] == outcomes
    stopped = steps[outcomes.index("ABORTED")]
    assert stopped.reason == "stopped by the operator before its end"
    assert stopped.end_ns is not None
    # A window is there with both its ends, or, where nothing was measured, not at all.
    assert (stopped.window_start_ns is None) == (stopped.window_end_ns is None)
    if (label, fraction) == ("Read", 0.05):
        assert stopped.window_start_ns is None
    if label == "Idle":
        with Session.open(stand.path) as session:
            row = session.report_table()[0]
            assert row["power_w"] is not None
            assert row["verdict"] == "ABORTED"
    check_verified(stand.path)
    for step in steps:
        if step.outcome == "SKIPPED":
            assert step.reason == "not run, stopped by the operator"
            assert (step.start_ns, step.verdict) == (None, None)


def test_a_load_that_cannot_be_made_is_an_error_of_its_step_alone(
    stand: Stand,
) -> None:
    def refuse(label: str, step: Step) -> Workload:
        raise ZeroDivisionError(label)

    assert stand.run(make_load=refuse) is Verdict.ERROR
    steps = stand.steps()
    assert [step.verdict for step in steps] == ["PASS", "ERROR", "PASS"]
    assert "internal error" in steps[1].reason
    assert steps[1].window_start_ns is None
    with Session.open(stand.path) as session:
        [mistake] = [one for one in session.journal() if one.action == "mistake"]
        assert "ZeroDivisionError" in mistake.detail


def test_a_fio_that_fails_has_no_window_and_spoils_no_other_step(
    stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "tools" / "fio"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'fio: out of luck' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}:/usr/bin:/bin")
    assert stand.run() is Verdict.ERROR
    steps = stand.steps()
    assert [step.outcome for step in steps] == ["DONE", "ERROR", "DONE"]
    assert "out of luck" in steps[1].reason
    assert (steps[1].window_start_ns, steps[1].window_end_ns) == (None, None)


def test_an_operator_who_does_not_wait_is_an_abort_too(stand: Stand) -> None:
    """The second Ctrl-C: Python raises it in the thread that runs the campaign."""

    class Impatient:
        name = driver = "fio"
        channels = ()

        def run(self, *_: object) -> LoadResult:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stand.run(make_load=lambda *_: Impatient())
    outcomes = [step.outcome for step in stand.steps()]
    assert outcomes == ["DONE", "ABORTED", "SKIPPED"]
    with Session.open(stand.path) as session:
        assert session.info.verdict == "ABORTED"


class Watchful(StepHook):
    """Looks around steps and has something to note of one of them."""

    def __init__(self) -> None:
        self.looks: list[str] = []

    def before(self, step_id: int, label: str) -> None:
        self.looks.append(f"before {step_id} {label}")

    def after(self, step_id: int, label: str) -> list[str]:
        self.looks.append(f"after {step_id} {label}")
        return ["phy-0:3: 4 invalid dwords"] if label == "Idle" else []


def test_what_is_seen_around_a_step_is_noted_and_no_verdict(stand: Stand) -> None:
    hook = Watchful()
    text = "".join(STEPS.partition('[[step]]\nlabel = "Read"')[:1])
    text += STEPS[STEPS.rindex("[[step]]") :]
    assert stand.run(text, hook=hook) is Verdict.PASS
    assert hook.looks == [
        "before 1 Idle",
        "after 1 Idle",
        "before 2 Cool-down",
        "after 2 Cool-down",
    ]
    assert [step.reason for step in stand.steps()] == ["phy-0:3: 4 invalid dwords", ""]


@pytest.mark.parametrize("limit", ["", 'limits = ["foreign_percent <= 2"]'])
def test_a_row_that_others_disturbed_fails_only_by_a_limit(
    stand: Stand, limit: str
) -> None:
    text = f"""
name = "Disturbed"
[[step]]
label = "Read"
engine = "fio"
runtime = "1s"
{limit}
[step.fio]
rw = "randread"
bs = "4k"
rate_iops = 120
"""

    def make_load(label: str, step: Step) -> Workload:
        return Disturbed(build_load(label, step, [stand.scratch]))

    verdict = stand.run(text, make_load=make_load)
    [step] = stand.steps()
    assert "not clean" in step.reason
    assert (step.outcome, verdict) == ("DONE", Verdict.FAIL if limit else Verdict.PASS)


def test_sources_that_are_lost_alike_are_told_together() -> None:
    """Not each with the same sentence: the bar has room for a line."""
    silent, gone = "no answer within 1 s", "connection refused"
    health = {
        "mains": SourceHealth("lost", cause=gone, last_error=f"mains: {gone}. Look."),
        "shelf": SourceHealth("lost", cause=silent),
        "noise": SourceHealth("lost", cause=gone),
        "room": SourceHealth("ok"),
        "away": SourceHealth("lost", cause=gone),
    }
    told = lost_told(health, ["away"])
    assert told == f"mains, noise are lost: {gone}; shelf is lost: {silent}"
