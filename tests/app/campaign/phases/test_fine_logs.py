"""fio's fine logs in the record: real fio, a real session file."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.campaign.phases.fine_logs import NOT_LOGGED, REFUSED, SOURCE, join_logs
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, Trace
from instruments.reading import SECOND, Reading
from tests import needs
from tests.app.record.recording import INFO
from tests.fio_said import counted_iops, counted_s
from tests.workloads.guard.loops import loop, mounted, tool
from workloads.base import LoadOutcome
from workloads.fio.fine import FineLog, with_logs
from workloads.fio.load import Fio
from workloads.fio.read.logs import Log, LogName, read_log
from workloads.fio.result import FioResult
from workloads.fio_job import FineLogs, FioJob
from workloads.guard.file_guard import FileGuard
from workloads.target.targets import prepare_all

SIZE = 16 * 2**20
KINDS = ("bw", "iops", "lat")
AVERAGED = FineLogs(100, KINDS)
HELD_NS = 8 * SECOND // 10


class Stand:
    """A recorder, and two scratch files."""

    def __init__(self, folder: Path, place: Path | None = None) -> None:
        self.paths = [(place or folder) / name for name in ("a.dat", "b.dat")]
        self.ready = prepare_all(self.paths, SIZE, threading.Event(), lambda _: None)
        self.path = folder / "s.bayscope"
        self.recorder = Recorder(self.path, INFO, clock=SystemClock())
        self.recorder.start()

    def run(
        self,
        runtime: float,
        ramp: float = 0,
        emitted: Callable[[], None] = lambda: None,
        logs: FineLogs | None = None,
        **options: str,
    ) -> FioResult:
        own = {"rw": "randread", "bs": "4k", "rate_iops": "120", **options}
        direct = all(one.direct for one in self.ready)
        job = FioJob("x", tuple(self.paths), SIZE, runtime, ramp, direct, own)
        job = replace(job, logs=logs) if logs else with_logs(job)
        load = Fio(job, guard=FileGuard(self.paths))

        def emit(reading: Reading) -> None:
            self.recorder.append(reading)
            emitted()

        return load.run(emit, lambda *_: None, threading.Event())

    def traces(self) -> dict[str, Trace]:
        self.recorder.close()
        with Session.open(self.path) as session:
            return {
                channel.name: session.trace(channel, None, None)
                for channel in session.channels()
                if channel.source == SOURCE
            }

    def events(self) -> list[str]:
        with Session.open(self.path) as session:
            return [event.message for event in session.events()]


def averaged(each: FineLog) -> FineLog:
    """Average a log that has each I/O, as fio does where nothing keeps it from looking.

    Where a busy machine does, its own averages are refused as a whole, and rightly.
    """
    cell = AVERAGED.period_ms
    own = each.log
    cells = own.times_ms // cell
    rows = np.arange(cells[0], cells[-1])
    done = np.array([np.count_nonzero(cells == row) for row in rows])
    values = done * 1e3 / cell * {"iops": 1, "bw": 4}.get(each.name.kind, 0)
    if each.name.kind == "lat":
        rows = rows[done > 0]
        values = np.array([own.values[cells == row].mean() for row in rows])
    none = np.zeros_like(rows)
    log = Log(own.name, (rows + 1) * cell, values, none, none)
    return FineLog(each.name, log, each.device, cell)


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    made = Stand(tmp_path)
    yield made
    made.recorder.close()
    for one in made.ready:
        one.close()


@pytest.mark.parametrize("logs", [None, AVERAGED], ids=["each", "averaged"])
def test_logs_of_all_jobs_join_as_sums_on_the_same_clock(
    stand: Stand, logs: FineLogs | None
) -> None:
    result = stand.run(2.5, ramp=0.6, logs=logs, rw="randrw", numjobs="2")
    assert result.outcome is LoadOutcome.DONE, result.reason
    assert result.window is not None
    assert len(result.logs) == 4 * 3
    join_logs(stand.recorder, result)
    traces = stand.traces()
    names = {f"fio_log.{way}_{kind}" for way in ("read", "write") for kind in KINDS}
    devices = {
        f"fio_log.{way}_{kind}.dev0{number}"
        for way in ("read", "write")
        for kind in ("bw", "iops")
        for number in (1, 2)
    }
    assert set(traces) == names | devices
    for way in ("read", "write"):
        whole = logged(traces[f"fio_log.{way}_iops"])
        own = [traces[f"fio_log.{way}_iops.dev0{number}"] for number in (1, 2)]
        assert [one.channel.period_ns for one in own] == [SECOND // 4] * 2
        each = [logged(one) for one in own]
        assert sum(each) == pytest.approx(whole, rel=0.01)
        assert min(each) > 0.3 * whole
    start, end = result.window
    for name in names:
        trace = traces[name]
        assert trace.channel.period_ns == pytest.approx(0.1 * SECOND, rel=0.2)
        assert len(trace.times) >= 18, name
        assert start - 0.2 * SECOND < trace.times[0] < start + 0.3 * SECOND
        assert end - SECOND < trace.times[-1] < end + SECOND
    # Of two jobs on two files, and not of one.
    kept = {artefact.name: artefact.content for artefact in result.artefacts}[
        "fio-output.json.zz"
    ]
    done = counted_iops(kept) * counted_s(kept)
    for name, size in (("iops", 1), ("bw", 4096)):
        own = [traces[one] for one in devices if f"_{name}." in one]
        # fio loses what each job did after its own last row of each direction, which
        # one writes earlier than another where the machine is busy.
        found = [logged(one) for one in own]
        ends = [edges(one)[[0, -1]] for one in own]
        lost = [
            ios * (end - last) / (last - first)
            for ios, (first, last) in zip(found, ends, strict=True)
        ]
        assert sum(found) + sum(lost) == pytest.approx(done * size, rel=0.05)
    latency = np.nanmean(traces["fio_log.read_lat"].mean)
    assert 0 < latency < 0.1


@pytest.mark.parametrize(
    "options",
    [
        {"rate_iops": "2"},
        {"rate_iops": "3", "numjobs": "2"},
        {"thinktime": "1100ms", "thinktime_blocks": "40"},
        {"thinktime": "900ms", "thinktime_blocks": "3", "rw": "randrw"},
    ],
)
def test_a_load_that_pauses_by_its_options_loses_no_io_and_invents_none(
    stand: Stand, options: dict[str, str]
) -> None:
    own = {"rate_iops": "0", **options}
    result = stand.run(3, 0, lambda: None, None, **own)
    join_logs(stand.recorder, result)
    assert result.window is not None
    seconds = (result.window[1] - result.window[0]) / SECOND
    traces = stand.traces()
    for way in ("read", "write") if "rw" in options else ("read",):
        iops, bw = (traces[f"fio_log.{way}_{kind}"] for kind in ("iops", "bw"))
        done = result.values[f"{way}_iops"].value * seconds
        assert logged(iops) == pytest.approx(done, rel=0.01)
        assert logged(bw) == pytest.approx(4096 * done, rel=0.01)
        # Where the latencies know of no I/O, there was none.
        latency = traces[f"fio_log.{way}_lat"]
        ended = np.interp(iops.times, latency.times, np.isfinite(latency.mean)) > 0
        assert (iops.mean[~ended & np.isfinite(iops.mean)] == 0).all()
        assert (iops.mean == 0).sum() > 5


def test_logs_of_other_counts_than_the_documents_are_left_out(stand: Stand) -> None:
    # fio waits for I/Os with its documents: rows then stand for times unknown.
    result = stand.run(4, logs=AVERAGED, rate_iops="2")
    assert result.window is not None
    rate = result.values["read_iops"]
    wrong = replace(rate, value=4 * rate.value)
    join_logs(stand.recorder, replace(result, values={"read_iops": wrong}))
    assert not stand.traces()
    assert any("other counts of I/Os" in text for text in stand.events())


def test_where_averages_differ_from_the_documents_there_is_a_gap(stand: Stand) -> None:
    result = stand.run(4)
    logs = tuple(averaged(one) for one in result.logs if one.name.kind in KINDS)
    result = replace(result, logs=logs)
    # The longest: where documents come late, others are too short to be compared alone.
    begin, end, done = max(result.counted[1:-1], key=lambda one: one[1] - one[0])
    counted = tuple(
        (a, b, {"read": 0} if a == begin else ios) for a, b, ios in result.counted
    )
    # Without them the whole load has as many less, however long that document took.
    assert result.window is not None
    seconds = (result.window[1] - result.window[0]) / SECOND
    rate = result.values["read_iops"]
    fewer = {"read_iops": replace(rate, value=rate.value - done["read"] / seconds)}
    values = {**result.values, **fewer}
    join_logs(stand.recorder, replace(result, counted=counted, values=values))
    traces = stand.traces()
    assert traces, stand.events()
    for name in ("fio_log.read_iops", "fio_log.read_bw", "fio_log.read_iops.dev01"):
        trace = traces[name]
        inside = (trace.times >= begin) & (trace.times < end)
        assert not np.isfinite(trace.mean[inside]).any(), name
        assert np.isfinite(trace.mean[~inside]).sum() >= 8, name
    with Session.open(stand.path) as session:
        gaps = session.gaps("fio_log.read_iops", None)
    assert [gap.start_ns for gap in gaps if gap.detail == REFUSED] == [begin]


@needs.block_devices
def test_a_device_that_stalls_is_told_of_as_the_documents_count(
    tmp_path: Path,
) -> None:
    """A frozen file system keeps writes waiting, as a device that hangs does."""
    place, told = tmp_path / "place", threading.Event()
    file = tmp_path / "disk.img"
    with loop(file) as disk:
        tool("mkfs.ext4", "-q", disk)
        with mounted(disk, place):
            stand = Stand(tmp_path, place)

            def stall() -> None:
                assert told.wait(60)
                tool("fsfreeze", "-f", str(place))
                threading.Event().wait(2.5)
                tool("fsfreeze", "-u", str(place))

            thread = threading.Thread(target=stall)
            thread.start()
            result = stand.run(6, emitted=told.set, logs=AVERAGED, rw="randwrite")
            thread.join()
            for one in stand.ready:
                one.close()
    begin, end, _ = max(result.counted, key=lambda one: one[1] - one[0])
    assert end - begin > 2 * SECOND
    join_logs(stand.recorder, result)
    found = stand.traces().get("fio_log.write_iops")
    if found is None:  # Too far apart as a whole: nothing is told.
        return
    with Session.open(stand.path) as session:
        gaps = session.gaps("fio_log.write_iops", None)
    for start, until, ios in result.counted:
        known = np.isfinite(found.mean)
        inside = known & (found.times > start + 2e8) & (found.times < until - 2e8)
        if any(gap.start_ns <= start and until <= gap.end_ns for gap in gaps):
            assert not inside.any()
        elif until - start > SECOND:
            logged_here = found.mean[inside].sum() * 0.1
            assert logged_here <= 2 * ios["write"] + 10


def edges(trace: Trace) -> np.ndarray:
    """Get the edges of the cells of a trace, of which it tells the middles."""
    middles = trace.times[np.isfinite(trace.mean)]
    found = [int(middles[0]) - trace.channel.period_ns // 2]
    for middle in middles:
        found.append(2 * int(middle) - found[-1])
    return np.array(found)


def logged(trace: Trace) -> float:
    """Integrate a rate over its own cells, whose length is that of fio's windows."""
    known = trace.mean[np.isfinite(trace.mean)]
    return float((known * np.diff(edges(trace))).sum()) / SECOND


@pytest.mark.parametrize("logs", [None, AVERAGED], ids=["each", "averaged"])
def test_a_load_that_stood_still_has_zeros_and_a_gap_after_its_end(
    stand: Stand, logs: FineLogs | None
) -> None:
    told = threading.Event()
    held: list[int] = []

    def hold() -> None:
        assert told.wait(60)
        process = own_fio()
        os.kill(process, signal.SIGSTOP)
        held.append(time.monotonic_ns())
        # Longer than a few lines of its logs would have taken.
        while time.monotonic_ns() < held[0] + HELD_NS:
            threading.Event().wait(0.05)
        held.append(time.monotonic_ns())
        os.kill(process, signal.SIGCONT)

    thread = threading.Thread(target=hold)
    thread.start()
    result = stand.run(3, emitted=told.set, logs=logs)
    thread.join()
    join_logs(stand.recorder, result)
    iops = stand.traces()["fio_log.read_iops"]
    # A line stands for the 100 ms before it; the two at the ends are of both.
    inside = (iops.times > held[0] + SECOND // 5) & (iops.times < held[1] - SECOND // 5)
    assert not np.nan_to_num(iops.mean[inside]).any()
    if logs is None:
        assert (iops.mean[inside] == 0).sum() >= 3
    with Session.open(stand.path) as session:
        gaps = session.gaps("fio_log.read_iops", None)
    assert [gap.detail for gap in gaps][-1] == "no load ran"
    assert result.window is not None
    assert gaps[-1].start_ns >= result.window[1]
    # Cells of a stretch that is refused are gaps themselves, too.
    assert {gap.detail for gap in gaps[:-1]} <= {NOT_LOGGED, REFUSED, ""}
    gaps = [gap for gap in gaps if gap.detail not in (REFUSED, "")]
    assert gaps[0].start_ns >= iops.times[~np.isnan(iops.mean)][-1]


def own_fio() -> int:
    """Get the process id of the fio that this process started."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            parent = int((folder / "stat").read_text().rsplit(")")[1].split()[1])
        except (OSError, IndexError):
            continue
        if command.startswith(b"fio\0") and parent == os.getpid():
            return int(folder.name)
    raise AssertionError("no fio runs")


def made(times: list[int]) -> FineLog:
    rows = "".join(f"{at}, 100, 0, 0, 0\n" for at in times).encode()
    return FineLog(LogName("fine", "iops", 1, ""), read_log(rows, "log"), "", 100)


def test_a_log_that_counts_from_its_start_is_placed_there(stand: Stand) -> None:
    begin = time.monotonic_ns() - 10 * SECOND
    window = (begin, begin + SECOND)
    result = FioResult(LoadOutcome.DONE, window=window)
    join_logs(stand.recorder, replace(result, logs=(made([100, 200, 300, 600]),)))
    join_logs(stand.recorder, replace(result, logs=(made([10**12, 10**12 + 100]),)))
    join_logs(stand.recorder, result)
    iops = stand.traces()["fio_log.read_iops"]
    known = ~np.isnan(iops.mean)
    assert iops.mean[known].tolist() == [100, 100, 100, 0, 0, 100]
    middles = begin // 10**6 + np.array([50, 150, 250, 350, 450, 550])
    assert (iops.times[known] // 10**6).tolist() == middles.tolist()
    told = stand.events()
    assert any("which its documents place" in text for text in told)
    assert any("other times than its documents" in text for text in told)


def test_long_loads_have_fewer_logs_and_the_null_engine_none() -> None:
    def logs(runtime: float, **options: str) -> tuple[int, int] | None:
        own = {"rw": "randread", **options}
        found = with_logs(FioJob("x", (Path("x"),), SIZE, runtime, 0, True, own)).logs
        return None if found is None else (found.period_ms, len(found.kinds))

    assert logs(3600) == (100, 3)
    assert logs(86400) == (250, 3)
    assert logs(86400, numjobs="4") == (250, 2)
    assert logs(86400, numjobs="64") is None
    assert logs(60, ioengine="null") is None


@pytest.mark.parametrize(
    ("options", "period_ms"),
    [
        ({"rate_iops": "2"}, 0),
        ({"rate_iops": "2,"}, 100),  # Writes are not limited.
        ({"rate_iops": ",2", "rw": "randread"}, 100),
        ({"rate_iops": "2,", "rw": "randwrite"}, 100),
        ({"rate_iops": "2,,5", "rw": "randwrite"}, 100),
        ({"rate_iops": "2,90000", "rw": "write"}, 100),
        ({"rate_iops": "90000,2", "rw": "write"}, 0),
        ({"rate_iops": ",2", "rw": "randwrite"}, 0),
        ({"rate_iops": "2,0"}, 100),
        ({"rate_iops": "0"}, 100),
        ({"rate": "40k,", "rw": "write"}, 100),
        ({"rate": "400m,40k", "rw": "write"}, 0),
        ({"rate": "40k"}, 0),
        ({"rate": "400m"}, 100),
        ({"thinktime": "700ms", "thinktime_blocks": "50"}, 0),
        ({"thinktime": "700000", "thinktime_blocks": "50"}, 0),
        ({"thinktime": "700us", "thinktime_blocks": "50"}, 100),
        ({"thinktime": "1s", "thinktime_iotime": "1s"}, 100),
        ({"bs": "256m"}, 0),
        ({"bs": "1m"}, 100),
        ({"rate_iops": "2", "numjobs": "4096"}, 250),
    ],
)
def test_a_load_that_pauses_by_its_options_logs_each_io(
    options: dict[str, str], period_ms: int
) -> None:
    own = {"rw": "randrw", **options}
    logs = with_logs(FioJob("x", (Path("x"),), SIZE, 60, 0, True, own)).logs
    assert logs is not None
    assert logs.period_ms == period_ms
