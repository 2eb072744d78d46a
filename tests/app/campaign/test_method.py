"""Steps that end when something is reached, on a recorder that a test feeds."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.campaign.phases.steering import Steering
from app.campaign.phases.step_log import StepEnd, StepLog
from app.campaign.run.progress import Progress
from app.campaign.run.runner import Runner
from app.campaign.run.schedule import Schedule
from app.plan.step import Step
from app.plan.verdict import Cause, Outcome, Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Result, Session, StepRow, Writer
from app.report.method import method_notes
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.operations.benches import campaign
from tests.app.record.recording import INFO
from workloads.base import LoadOutcome, LoadResult, Measured, Workload

pytestmark = pytest.mark.usefixtures("unhurried")

PERIOD_NS = SECOND // 10
POWER = Channel("mains", "P", "W", "", PERIOD_NS, 0, PERIOD_NS)
DRIVE = Channel("shelf", "temperature", "degC", "slot01", PERIOD_NS)


def beats(last_ns: int) -> range:
    """Give the beats from one to now, those too that a busy machine missed."""
    return range(last_ns + PERIOD_NS, time.monotonic_ns() + 1, PERIOD_NS)


class Counted:
    """A load that does its next rate for 0.6 s, or until it is stopped."""

    name = driver = "fio"
    channels = tuple(
        Channel("fio", quantity, unit, "", PERIOD_NS, 0, PERIOD_NS)
        for quantity, unit in (("read_iops", "1/s"), ("read_lat", "s"))
    )

    def __init__(self, rate: float, seconds: float) -> None:
        self._rate = rate
        self._seconds = seconds

    def run(
        self,
        emit: Callable[[Reading], None],
        say: Callable[[str, str], None],
        stop: threading.Event,
    ) -> LoadResult:
        del say
        begin = last = time.monotonic_ns()
        while not stop.is_set() and last - begin < self._seconds * SECOND:
            stop.wait(PERIOD_NS / SECOND)
            for now in beats(last):
                ramp = 10.0 if now - begin < 0.3 * SECOND else self._rate
                both = (Status.OK, Status.OK)
                emit(Reading(self.channels, last, now, (ramp, 0.001), both))
                last = now
        outcome = LoadOutcome.STOPPED if stop.is_set() else LoadOutcome.DONE
        values = {
            "iops": Measured(self._rate / 2, "1/s", "document"),
            "latency_mean_ms": Measured(2.0, "ms", "document"),
            "latency_p99_ms": Measured(3.0, "ms", "document"),
        }
        return LoadResult(outcome, "", (begin, last), values)


class Untold:
    """A load that tells nothing of itself, and no window, where it is ended early."""

    channels: tuple[Channel, ...]

    def __init__(self, engine: str, quantities: Mapping[str, float]) -> None:
        self.name = self.driver = engine
        self.channels = tuple(
            Channel(engine, name, "1/s", "", PERIOD_NS, 0, PERIOD_NS)
            for name in quantities
        )
        self._values = tuple(quantities.values())

    def run(
        self,
        emit: Callable[[Reading], None],
        say: Callable[[str, str], None],
        stop: threading.Event,
    ) -> LoadResult:
        del say
        last = time.monotonic_ns()
        while not stop.wait(PERIOD_NS / SECOND):
            for now in beats(last):
                ok = (Status.OK,) * len(self._values)
                emit(Reading(self.channels, last, now, self._values, ok))
                last = now
        return LoadResult(LoadOutcome.STOPPED, "stopped before its end")


class Stand:
    """A recorder that is fed with power and the temperature of a drive."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "s.bayscope"
        self.seen: list[str] = []
        self.untold: Untold | None = None
        self.rates = iter([1000.0] * 20)
        self.degrees: Callable[[float], float] = lambda _: 30.0
        self.watts: Callable[[float], float] = lambda _: 500.0

    def make_load(self, label: str, step: Step) -> Workload:
        assert label
        if self.untold is not None:
            return self.untold
        return Counted(next(self.rates), step.runtime_s)

    def run(self, text: str, channels: tuple[Channel, ...] = (POWER, DRIVE)) -> Verdict:
        recorder = Recorder(self.path, INFO, clock=SystemClock())
        recorder.start()
        with self._feeding(recorder, channels), Session.open(self.path) as session:
            runner = Runner(
                campaign(text),
                recorder,
                session,
                make_load=self.make_load,
                steering=Steering(),
                progress=self._see,
            )
            try:
                verdict = runner.run()
            finally:
                recorder.close()
        return verdict

    def _see(self, progress: Progress) -> None:
        if progress.why and progress.why not in self.seen:
            self.seen.append(progress.why)

    @contextmanager
    def _feeding(
        self, recorder: Recorder, channels: tuple[Channel, ...]
    ) -> Iterator[None]:
        sections = {"mains": "power", "shelf": "thermal"}

        def introduce(writer: Writer) -> None:
            for one in channels:
                writer.add_source(
                    one.source, sections[one.source], "test", None, measures="dut"
                )
            writer.add_channels(channels)
            writer.introduce_load("fio" if self.untold is None else self.untold.name)

        recorder.call(introduce)
        done, begin = threading.Event(), time.monotonic_ns()

        def feed() -> None:
            last = begin
            while not done.wait(PERIOD_NS / SECOND):
                for at in beats(last):
                    give(at)
                    last = at

        def give(now: int) -> None:
            seconds = (now - begin) / SECOND
            for channel in channels:
                value = (self.watts if channel is POWER else self.degrees)(seconds)
                recorder.append(Reading((channel,), now, now, (value,), (Status.OK,)))

        # As a bench that was read before its first step: what came before a first
        # reading is not known, and a round that begins there may have no mean.
        give(begin)
        feeder = threading.Thread(target=feed)
        feeder.start()
        try:
            yield
        finally:
            done.set()
            feeder.join()

    def steps(self) -> list[StepRow]:
        with Session.open(self.path) as session:
            return session.steps()

    def results(self, label: str) -> dict[str, Result]:
        with Session.open(self.path) as session:
            number = next(step.id for step in session.steps() if step.label == label)
            return {result.name: result for result in session.results(number)}

    def events(self) -> list[str]:
        with Session.open(self.path) as session:
            return [event.message for event in session.events()]


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(tmp_path)


def step(engine: str, runtime: str, more: str = "") -> str:
    fio = '[step.fio]\nrw = "randread"\n' if engine == "fio" else ""
    return (
        f'name = "One"\n[[step]]\nlabel = "One"\nengine = "{engine}"\n'
        f'runtime = "{runtime}"\n{fio}{more}\n'
    )


def test_a_cool_down_ends_at_its_temperature(stand: Stand) -> None:
    stand.degrees = lambda seconds: 40.0 - seconds
    assert stand.run(step("cooldown", "30s", "[step.cooldown]\nuntil = 35")) == "PASS"
    [one] = stand.steps()
    assert "is at or below 35 °C" in one.reason
    assert any("°C is above 35 °C" in why for why in stand.seen)
    found = stand.results("One")
    assert found["cooldown_reached"].value == 1.0
    assert 0.5 < (found["duration_s"].value or 0) < 10


def test_a_cool_down_without_drives_says_so_at_the_start(stand: Stand) -> None:
    text = step("cooldown", "500ms", "[step.cooldown]\nuntil = 35")
    assert stand.run(text, (POWER,)) is Verdict.PASS
    first = next(message for message in stand.events() if "no source" in message)
    assert first.startswith("One: no source of this bench measures the")
    assert "no source of this bench" in stand.steps()[0].reason


def test_a_cool_down_on_a_channel_there_is_not_is_an_error(stand: Stand) -> None:
    more = '[step.cooldown]\nuntil = 35\nchannel = "box.temperature"'
    assert stand.run(step("cooldown", "5s", more)) is Verdict.ERROR
    assert stand.steps()[0].cause == Cause.BENCH


STEADY = '[step.steady]\nround = "1s"\nquantities = ["power"]\n'


def test_an_idle_step_ends_when_power_is_steady(stand: Stand) -> None:
    stand.watts = lambda seconds: 500.0 if seconds > 1.5 else 100.0
    assert stand.run(step("idle", "60s", STEADY)) is Verdict.PASS
    [one] = stand.steps()
    assert "steady after" in one.reason
    assert one.window_start_ns is not None
    assert one.window_end_ns is not None
    # The rounds in which it was steady are what is measured.
    assert one.window_end_ns - one.window_start_ns == 5 * SECOND
    found = stand.results("One")
    assert found["power_w"].value == pytest.approx(500.0)
    assert found["steady.power"].value == 1.0
    assert any("power: range" in why for why in stand.seen)


def test_the_round_that_ends_with_the_step_counts(stand: Stand) -> None:
    assert stand.run(step("idle", "5s", STEADY)) is Verdict.PASS
    reason = stand.steps()[0].reason
    assert "steady after 5 rounds of 1 s (sss-pts of power)" in reason


def test_what_does_not_get_steady_is_no_pass(stand: Stand) -> None:
    stand.watts = lambda seconds: 100.0 * (1 + seconds)
    assert stand.run(step("idle", "5500ms", STEADY)) is Verdict.ERROR
    [one] = stand.steps()
    assert one.cause == Cause.UNREACHED
    assert one.reason.startswith("steady state not reached in 5 rounds: power: range")
    assert stand.results("One")["power_w"].value


def test_a_load_is_ended_when_it_is_steady_and_measured_after(stand: Stand) -> None:
    more = '[step.steady]\nround = "1s"\nmeasure = "1s"\nquantities = ["iops"]\n'
    assert stand.run(step("fio", "60s", more)) is Verdict.PASS
    found = stand.results("One")
    # The document of the load would say half of it, over another window.
    assert found["iops"].value == pytest.approx(1000.0)
    assert "means of the load's traces" in found["iops"].note
    assert found["latency_mean_ms"].value == pytest.approx(1.0)
    assert "only for the whole load" in found["latency_p99_ms"].note
    assert found["duration_s"].value == pytest.approx(1.0, abs=0.2)


def test_a_load_that_is_ended_before_it_tells_anything_is_told_by_its_traces(
    stand: Stand,
) -> None:
    # VDBench tells no directions where there is one only.
    stand.untold = Untold("vdbench", {"iops": 500.0, "bw": 2e6})
    more = '[step.steady]\nround = "1s"\nquantities = ["iops"]\n'
    more += "[step.vdbench]\nrdpct = 100\n"
    assert stand.run(step("vdbench", "60s", more)) is Verdict.PASS
    assert "steady after 5 rounds of 1 s" in stand.steps()[0].reason
    found = stand.results("One")
    assert found["iops"].value == pytest.approx(500.0)
    assert found["bandwidth_mb_s"].value == pytest.approx(2.0)
    assert found["duration_s"].value == pytest.approx(5.0, abs=0.2)


def test_a_ramp_down_is_cut_off_everything(stand: Stand) -> None:
    text = step("fio", "1500ms").replace("runtime", 'rampdown = "500ms"\nruntime')
    assert stand.run(text) is Verdict.PASS
    found = stand.results("One")
    assert found["duration_s"].value == pytest.approx(1.0, abs=0.2)
    windows = {found[name].end_ns for name in ("power_w", "iops", "duration_s")}
    assert len(windows) == 1


def test_a_step_is_repeated_until_its_mean_is_known(stand: Stand) -> None:
    stand.rates = iter([2000.0, 2000.0, 2200.0, *[2050.0] * 20])
    more = '[step.repeats]\nof = "iops"\nwithin = "9%"\nleast = 3\nmost = 6\n'
    assert stand.run(step("fio", "300ms", more)) is Verdict.PASS
    labels = [one.label for one in stand.steps()]
    assert labels == ["One (1)", "One (2)", "One (3)", "One (4)"]
    mean = stand.results("One (4)")["repeats_mean"]
    assert mean.value == pytest.approx((1000 + 1000 + 1100 + 1025) / 4)
    assert mean.n_valid == 4
    with Session.open(stand.path) as session:
        [line] = method_notes(session)
    assert line.startswith("One: IOPS 1031 ± 75 1/s, ")
    assert "1/s, mean of 4 runs (" in line
    assert "which is within 9 %" in line


def test_repeats_end_at_the_most(stand: Stand) -> None:
    stand.rates = iter([1000.0, 3000.0, 2000.0])
    more = '[step.repeats]\nof = "iops"\nwithin = "1%"\nleast = 2\nmost = 3\n'
    assert stand.run(step("fio", "300ms", more)) is Verdict.ERROR
    assert [one.verdict for one in stand.steps()] == ["PASS", "PASS", "ERROR"]
    last = stand.steps()[-1]
    assert (last.outcome, last.cause) == ("DONE", Cause.UNREACHED)
    reason = last.reason
    assert reason.startswith("mean not known well: iops 1000 ± 124 % (95 %")
    with Session.open(stand.path) as session:
        [line] = method_notes(session)
    assert line.startswith("One: IOPS 1000 ± 1242 1/s, mean of 3 runs (")
    assert "not within 1 % in 3 runs" in line


def test_a_resumed_run_goes_on_with_a_repeat_that_had_followed(stand: Stand) -> None:
    more = '[step.repeats]\nof = "iops"\nleast = 3\nmost = 6\n'
    rows = campaign(step("fio", "300ms", more)).runs
    recorder = Recorder(stand.path, INFO, clock=SystemClock())
    recorder.start()
    log = StepLog(recorder)
    planned = list(Schedule.planned(log, rows))
    for row in planned:
        log.end(row.step_id, row.label, StepEnd(Outcome.DONE, Verdict.PASS))
    log.plan([("One (4)", planned[-1].step)], planned[-1].position)
    recorder.call(lambda writer: writer.commit())
    # As a crash leaves it behind.
    again = Schedule.resumed(log, rows, stand.steps())
    recorder.close()
    assert [row.label for row in again] == ["One (4)"]
