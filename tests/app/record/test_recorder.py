"""The recorder: sources in, one durable session out, whatever happens between."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, Writer
from instruments.errors import BadInput, BenchError, SourceError
from instruments.reading import ONCE_NS, SECOND, Channel, Reading, Status
from tests.app.record.bench import IDENTITY, LeapingClock, Scripted
from tests.app.record.recording import INFO, POWER, START, TENTH, readings


class Ticking(Scripted):
    """A scripted source on the machine's own clock."""

    def __init__(self, **options: list[str]) -> None:
        super().__init__(_RealClock(), **options)  # type: ignore[arg-type]


class Stepping(Ticking):
    """A source that reads one thing more after each step."""

    def begin_step(self, label: str, *, under_load: bool) -> None:
        """Note it; may fail."""
        self._note(f"{label} {under_load}")
        if label == "bad":
            raise SourceError("the range was not taken", where=self.name)

    def end_step(self) -> Sequence[Reading]:
        """Read the one thing."""
        self._note("end")
        extra = (Channel(self.name, "THD_U", "%", period_ns=ONCE_NS),)
        now = time.monotonic_ns()
        return [Reading(extra, now, now, (1.5,), (Status.OK,))]


class _RealClock:
    """The clock a scripted source takes its times from."""

    now = 0

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    recorder = Recorder(
        tmp_path / "s.bayscope", INFO, clock=SystemClock(), commit_s=0.05
    )
    recorder.start()
    yield recorder
    recorder.close()


def _await(condition: object, seconds: float = 10.0) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)


def test_a_source_is_recorded_live(recorder: Recorder) -> None:
    source = Ticking()
    assert recorder.watch(source) == IDENTITY
    with Session.open(recorder.path) as session:
        _await(lambda: recorder.health()["mains"].readings > 5)
        recorder.call(lambda writer: None)
        assert len(session.trace("mains.P")) >= 5
        [row] = session.sources()
        assert (row.name, row.section, row.simulated) == ("mains", "power", True)
        assert recorder.health()["mains"].state == "ok"
    recorder.close()
    assert recorder.health()["mains"].state == "stopped"
    assert recorder.failed is None
    with Session.open(recorder.path) as session:
        assert session.state == "complete"
        assert session.info.ended_ns is not None
        assert session.info.ended_ns > session.extent()[1]
        pairs = session.clock_pairs()
        assert len(pairs) == 2
        assert pairs[1].boot_id == SystemClock().boot_id()
        values = session.trace("mains.P").mean
        assert np.isfinite(values).sum() == recorder.health()["mains"].readings


def test_notify_tells_up_to_when_all_is_stored(tmp_path: Path) -> None:
    told: list[int] = []
    stored: list[int] = []
    path = tmp_path / "s.bayscope"
    ending = threading.Event()

    def moved(until_ns: int) -> None:
        told.append(until_ns)
        if ending.is_set():
            return
        with Session.open(path) as session:
            stored.append(len(session.trace("mains.P")) if session.channels() else 0)

    clock = SystemClock()
    recorder = Recorder(path, INFO, clock=clock, notify=moved, commit_s=0.05)
    recorder.start()
    for reading in readings(POWER, 20):
        recorder.append(reading)
    _await(lambda: stored and stored[-1] == 20)
    ending.set()
    recorder.close()
    assert told == sorted(told)


def test_call_is_durable_and_gives_the_result(recorder: Recorder) -> None:
    recorder.append(readings(POWER, 1)[0])
    step = recorder.call(lambda writer: writer.add_step(1, "Idle", "idle", ""))
    with Session.open(recorder.path) as session:
        assert [one.id for one in session.steps()] == [step]
        assert len(session.trace("mains.P")) == 1


def test_call_raises_what_the_action_raises(recorder: Recorder) -> None:
    def wrong(writer: Writer) -> None:
        raise BenchError("no such thing")

    with pytest.raises(BenchError, match="no such thing"):
        recorder.call(wrong)
    with pytest.raises(ValueError, match="no column"):
        recorder.call(lambda writer: writer.set_session(weight=1))
    assert recorder.failed is None
    assert recorder.call(lambda writer: 7) == 7


def test_a_bug_in_a_posted_action_is_loud_and_the_recording_goes_on(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    recorder.post(lambda writer: 1 / 0)
    assert recorder.call(lambda writer: 7) == 7
    assert [args.exc_type for args in seen] == [ZeroDivisionError]


def test_call_from_the_writers_own_thread_is_refused(recorder: Recorder) -> None:
    with pytest.raises(RuntimeError, match="itself"):
        recorder.call(lambda writer: recorder.call(lambda _: None))


def test_a_required_source_that_fails_is_an_error(recorder: Recorder) -> None:
    with pytest.raises(SourceError, match="refused"):
        recorder.watch(Ticking(opens=["connection refused"]))
    assert recorder.health() == {}
    assert recorder.watch(Ticking()) == IDENTITY


def test_one_that_is_not_required_may_come_later(recorder: Recorder) -> None:
    source = Ticking(opens=["connection refused"])
    assert recorder.watch(source, required=False) is None
    _await(lambda: recorder.health()["mains"].readings > 2)
    recorder.close()
    with Session.open(recorder.path) as session:
        [gap] = session.gaps("mains.P")
        assert gap.reason == "timeout"
        assert "refused" in gap.detail
        assert session.sources()[0].section == "power"
        assert [event.level for event in session.events()] == ["error", "info"]


def test_a_name_is_watched_once(recorder: Recorder) -> None:
    recorder.watch(Ticking())
    with pytest.raises(ValueError, match="already"):
        recorder.watch(Ticking())


def test_a_load_becomes_a_source_by_its_readings(recorder: Recorder) -> None:
    fio = (Channel("fio", "read_bw", "B/s", period_ns=SECOND // 2),)
    for reading in readings(fio, 3):
        recorder.append(reading)
    recorder.call(lambda writer: None)
    with Session.open(recorder.path) as session:
        assert [(source.name, source.section) for source in session.sources()] == [
            ("fio", "load")
        ]


def test_what_the_queue_has_no_room_for_is_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "s.bayscope"
    recorder = Recorder(path, INFO, clock=SystemClock(), queue_length=10)
    recorder.start()
    blocked, go_on = threading.Event(), threading.Event()

    def block(writer: Writer) -> None:
        blocked.set()
        go_on.wait(60)

    recorder.post(block)
    assert blocked.wait(60)
    rows = readings(POWER, 60)
    for row in rows:
        recorder.append(row)
    go_on.set()
    recorder.close()
    with Session.open(path) as session:
        [gap] = session.gaps("mains.P")
        assert (gap.start_ns, gap.end_ns) == (rows[10].start_ns, rows[-1].end_ns)
        assert gap.reason == "error"
        assert gap.detail == "the recorder was too busy for 50 readings"
        assert session.events()[0].level == "error"
        values = session.trace("mains.P").mean
        assert values[:10].tolist() == [float(number) for number in range(10)]
        assert np.isnan(values[10:]).all()


def test_a_file_that_cannot_be_made_is_said_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "s.bayscope"
    path.write_text("mine")
    recorder = Recorder(path, INFO, clock=SystemClock())
    with pytest.raises(BadInput, match="already"):
        recorder.start()
    recorder.close()
    assert path.read_text() == "mine"


def test_closing_is_final_and_may_be_repeated(recorder: Recorder) -> None:
    recorder.event("info", "me", "the last word")
    recorder.close()
    recorder.close()
    with pytest.raises(BenchError, match="closed"):
        recorder.call(lambda writer: None)
    recorder.append(readings(POWER, 1, START + TENTH)[0])
    recorder.gap(POWER, 1, 2, Status.ERROR, "")
    with Session.open(recorder.path) as session:
        assert [event.message for event in session.events()] == ["the last word"]
        assert session.channels() == []


def test_a_listener_that_breaks_does_not_end_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bugs: list[object] = []
    monkeypatch.setattr(threading, "excepthook", bugs.append)

    def broken(now: int) -> None:
        raise RuntimeError("the window has gone")

    recorder = Recorder(
        tmp_path / "s.bayscope", INFO, clock=SystemClock(), notify=broken, commit_s=0.05
    )
    recorder.start()
    recorder.watch(Ticking())
    _await(lambda: recorder.health()["mains"].readings > 5)
    assert recorder.call(lambda writer: 7) == 7
    recorder.close()
    assert recorder.failed is None
    assert bugs
    with Session.open(recorder.path) as session:
        assert session.state == "complete"


def test_a_bug_of_the_writer_fails_the_run_but_never_hangs_it(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    bugs: list[object] = []
    monkeypatch.setattr(threading, "excepthook", bugs.append)

    def broken(self: Writer, found: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Writer, "append", broken)
    recorder.watch(Ticking())
    _await(lambda: recorder.failed is not None)
    assert recorder.call(lambda writer: 7) == 7
    recorder.close()
    assert bugs
    assert "ZeroDivisionError" in str(recorder.failed)


def test_sources_hear_of_steps_and_add_what_they_read_after(recorder: Recorder) -> None:
    source, other = Stepping(name="mains"), Ticking(name="noise")  # type: ignore[arg-type]
    recorder.watch(source)
    recorder.watch(other)
    recorder.begin_step("Idle", under_load=False)
    recorder.end_step()
    recorder.begin_step("Write", under_load=True)
    recorder.end_step()
    told = [call for call in source.calls if call not in ("open", "read")]
    assert told == ["Idle False", "end", "Write True", "end"]
    assert len(source.threads) == 1
    assert set(other.calls) == {"open", "read"}
    recorder.call(lambda writer: None)
    with Session.open(recorder.path) as session:
        assert list(session.trace("mains.THD_U").mean) == [1.5, 1.5]


def test_a_source_that_cannot_make_ready_is_lost_and_comes_back(
    recorder: Recorder,
) -> None:
    source = Stepping(name="mains")  # type: ignore[arg-type]
    recorder.watch(source)
    recorder.begin_step("bad", under_load=True)
    _await(lambda: source.calls.count("open") == 2)
    recorder.call(lambda writer: None)
    with Session.open(recorder.path) as session:
        assert "the range was not taken" in session.events()[0].message


def test_a_gap_of_a_source_that_timed_out_ends_where_it_answers(tmp_path: Path) -> None:
    """Twenty seconds of the clock, a reading at a time, opened again and again."""
    clock = LeapingClock(START + 60 * SECOND)
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=clock)
    recorder.start()
    reads = ["", "", "", "no answer", "", "no answer"]
    source = Scripted(clock, reads=reads, opens=["", *["no answer"] * 5])
    recorder.watch(source)
    _await(lambda: recorder.health()["mains"].state == "stopped", 60)
    recorder.close()
    with Session.open(recorder.path) as session:
        gaps = [gap for gap in session.gaps("mains.P") if gap.reason == "timeout"]
        trace = session.trace("mains.P")
    times = trace.times[np.isfinite(trace.mean)]
    assert len(gaps) == 2
    assert (gaps[0].end_ns - gaps[0].start_ns) > 15 * SECOND
    for gap in gaps:
        assert np.abs(times - gap.end_ns).min() < SECOND / 1000
        assert not times[(times > gap.start_ns) & (times < gap.end_ns)].size
