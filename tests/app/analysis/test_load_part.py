"""Rates of a load from its traces alone."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from app.analysis.coverage import coverage_of, unmeasured
from app.analysis.io_checks import foreign_percent, io_findings, io_results
from app.analysis.load_part import part_load, part_results, traced_results
from app.analysis.results import step_results
from app.analysis.steady.rounds import PERFORMANCE, POWER, Rounds
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Result, Session, Writer
from app.report.chart.plot import panels_of
from app.report.chart.statistics import curve_statistics
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from tests.app.record.recording import INFO
from workloads.base import LoadOutcome, LoadResult, Measured
from workloads.disk_trace import MOVED
from workloads.disk_trace import SOURCE as DISK

PERIOD_NS = SECOND // 10
BEGIN = 4096 * SECOND
NAMES = ("read_iops", "read_lat", "write_iops", "write_lat")
MIXED = (100.0, 0.001, 300.0, 0.002)


@pytest.mark.parametrize(
    ("engine", "traces", "expected"),
    [
        (
            "copy",
            {"read_bw": 3e6, "write_bw": 3e6, "read_iops": 9.0, "write_iops": 9.0},
            {"read_mb_s": 3.0, "write_mb_s": 3.0, "bandwidth_mb_s": 3.0},
        ),
        (
            "vdbench",
            {"iops": 500.0, "bw": 2e6, "lat": 0.001},
            {"iops": 500.0, "bandwidth_mb_s": 2.0},
        ),
        (
            "vdbench",
            {"iops": 9.0, "bw": 2e6, "read_iops": 6.0, "write_iops": 3.0},
            {"iops": 9.0, "read_iops": 6.0, "write_iops": 3.0, "bandwidth_mb_s": 2.0},
        ),
    ],
)
def test_a_load_is_told_by_its_traces(
    tmp_path: Path,
    engine: str,
    traces: dict[str, float],
    expected: dict[str, float],
) -> None:
    channels = tuple(
        Channel(engine, name, "1/s", "", PERIOD_NS, 0, PERIOD_NS) for name in traces
    )
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    begin = recorder.clock.monotonic_ns()
    recorder.call(lambda writer: writer.introduce_load(engine))
    for number in range(10):
        start = begin + number * PERIOD_NS
        ok = (Status.OK,) * len(channels)
        values = tuple(traces.values())
        recorder.append(Reading(channels, start, start + PERIOD_NS, values, ok))
    recorder.close()
    with Session.open(recorder.path) as session:
        found = traced_results(session, engine, (begin, begin + SECOND))
    assert {one.name: one.value for one in found} == {
        name: pytest.approx(value) for name, value in expected.items()
    }


@pytest.mark.parametrize(
    ("own", "values", "iops", "latency_ms"),
    [
        # Of a session in which other steps write, and the other way round.
        ({"read_iops": 9.0}, (200.0, 0.004, None, None), 200.0, 4.0),
        ({"write_iops": 9.0}, (None, None, 200.0, 0.004), 200.0, 4.0),
        ({}, (200.0, 0.004, None, None), 200.0, 4.0),
        ({"read_iops": 5.0, "write_iops": 4.0}, MIXED, 400.0, 1.75),
        # A mixed load whose writes have no values: never those of another window.
        ({"read_iops": 5.0, "write_iops": 4.0}, (200.0, 0.004, None, None), None, None),
        ({"read_iops": 9.0}, (None, None, None, None), None, None),
        # Writes of unknown latency are not of that of reads; without any there is one.
        (
            {"read_iops": 5.0, "write_iops": 4.0},
            (200.0, 0.004, 300.0, None),
            500.0,
            None,
        ),
        (
            {"read_iops": 5.0, "write_iops": 4.0},
            (200.0, 0.004, 0.0, None),
            200.0,
            4.0,
        ),
    ],
)
def test_a_part_has_the_rates_of_its_own_window_or_none(
    tmp_path: Path,
    own: dict[str, float],
    values: tuple[float | None, ...],
    iops: float | None,
    latency_ms: float | None,
) -> None:
    channels = tuple(
        Channel("fio", name, "1/s", "", PERIOD_NS, 0, PERIOD_NS) for name in NAMES
    )
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    begin = recorder.clock.monotonic_ns()
    recorder.call(lambda writer: writer.introduce_load("fio"))
    middle = begin + 20 * PERIOD_NS
    for number in range(30):
        start = begin + number * PERIOD_NS
        row = MIXED if start < middle else values
        did = [(c, v) for c, v in zip(channels, row, strict=True) if v is not None]
        if did:
            some, found = zip(*did, strict=True)
            ok = (Status.OK,) * len(some)
            recorder.append(Reading(some, start, start + PERIOD_NS, found, ok))
    recorder.close()
    part = (middle, middle + 10 * PERIOD_NS)
    whole = (middle - PERIOD_NS, part[1])
    told = {"iops": 9.0, "latency_mean_ms": 9.0, "latency_p99_ms": 7.0, **own}
    results = [Result(name, v, "", *whole, 1, 1, "fio") for name, v in told.items()]
    with Session.open(recorder.path) as session:
        computed = part_results(session, "fio", whole, part, results, outputs={})
    by_name = {one.name: one for one in computed}
    assert by_name["iops"].value == (iops and pytest.approx(iops))
    assert by_name["latency_mean_ms"].value == (
        latency_ms and pytest.approx(latency_ms)
    )
    # What cannot be had of a part is none of its row.
    p99 = by_name["latency_p99_ms"]
    assert (p99.value, p99.n_valid, p99.start_ns) == (None, 0, part[0])
    assert ("IOPS" in unmeasured(coverage_of(computed))) == (iops is None)


def documents(
    folder: Path,
    lengths_s: Sequence[float],
    rows: Sequence[Mapping[str, float]],
    period_s: float = 0.5,
) -> Session:
    """Make a session in which fio told rates in documents of these lengths."""
    recorder = Recorder(folder / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    recorder.call(lambda writer: writer.introduce_load("fio"))
    at = BEGIN
    for length_s, row in zip(lengths_s, rows, strict=True):
        end = at + round(length_s * SECOND)
        period = round(period_s * SECOND)
        channels = tuple(Channel("fio", one, "1/s", "", period) for one in row)
        ok = (Status.OK,) * len(row)
        if row:
            recorder.append(Reading(channels, at, end, tuple(row.values()), ok))
        at = end
    recorder.close()
    return Session.open(recorder.path)


@pytest.mark.parametrize("late_s", [0.6, 0.7, 1.0])
def test_documents_that_are_late_while_it_is_fast_weigh_by_their_length(
    tmp_path: Path, late_s: float
) -> None:
    """1000 I/Os a second at 1 ms, then as long 9000 at 3 ms in later documents."""
    fast = round(21 / late_s)
    lengths = [0.5] * 42 + [late_s] * fast
    slow_row = {"read_iops": 1000.0, "read_lat": 0.001}
    rows = [slow_row] * 42 + [{"read_iops": 9000.0, "read_lat": 0.003}] * fast
    part = (BEGIN, BEGIN + round(sum(lengths) * SECOND))
    told = {"iops": 1.0, "read_iops": 1.0, "latency_mean_ms": 1.0}
    told |= {"read_latency_ms": 1.0}
    whole = (part[0] - SECOND, part[1])
    results = [Result(name, v, "", *whole, 1, 1, "fio") for name, v in told.items()]
    with documents(tmp_path, lengths, rows) as session:
        found = {
            r.name: r
            for r in part_results(session, "fio", whole, part, results, outputs={})
        }
        rounds = Rounds(session).means(part)
    assert found["iops"].value == pytest.approx(5000)
    # Nine tenths of the I/Os took 3 ms.
    assert found["latency_mean_ms"].value == pytest.approx(2.8)
    assert found["read_latency_ms"].value == pytest.approx(2.8)
    assert found["iops"].n_valid == found["iops"].n_expected
    assert rounds == {PERFORMANCE: pytest.approx(5000)}


@pytest.mark.parametrize("lost", [0, 1, 3])
def test_documents_at_the_edges_count_by_what_lies_in_the_part(
    tmp_path: Path, lost: int
) -> None:
    """Against integrals over a grid of 1 ms, of random documents and windows."""
    random = np.random.default_rng(20 + lost)
    lengths_ms = random.integers(400, 700, 60)
    reads, latencies = random.uniform(1e3, 9e3, 60), random.uniform(1e-4, 9e-3, 60)
    gone = set(random.choice(np.arange(10, 50), lost, replace=False).tolist())
    rows = [
        {} if n in gone else {"read_iops": reads[n], "read_lat": latencies[n]}
        for n in range(60)
    ]
    rate_by_ms = np.repeat([row.get("read_iops", np.nan) for row in rows], lengths_ms)
    latency_by_ms = np.repeat([row.get("read_lat", np.nan) for row in rows], lengths_ms)
    names = ("iops", "read_iops", "latency_mean_ms", "read_latency_ms")
    with documents(tmp_path, (lengths_ms / 1e3).tolist(), rows) as session:
        whole = (BEGIN, BEGIN + int(lengths_ms.sum()) * SECOND // 1000)
        results = [Result(name, 1.0, "", *whole, 1, 1, "fio") for name in names]
        for _ in range(40):
            first = int(random.integers(1, rate_by_ms.size - 9000))
            last = first + int(random.integers(6000, 9000))
            part = BEGIN + first * SECOND // 1000, BEGIN + last * SECOND // 1000
            found = {
                one.name: one
                for one in part_results(
                    session, "fio", whole, part, results, outputs={}
                )
            }
            rates, waits = rate_by_ms[first:last], latency_by_ms[first:last]
            mean = np.nansum(rates * waits) / np.nansum(rates)
            assert found["iops"].value == pytest.approx(np.nanmean(rates))
            assert found["read_iops"].value == found["iops"].value
            assert found["latency_mean_ms"].value == pytest.approx(1e3 * mean)
            assert found["read_latency_ms"].value == found["latency_mean_ms"].value
            n_valid, n_expected = found["iops"].n_valid, found["iops"].n_expected
            assert n_expected == round((last - first) / 500)
            known = np.isfinite(rates).sum() / 500
            assert n_valid == round(min(n_expected, known))


def test_what_is_told_beyond_a_part_changes_nothing_of_it(tmp_path: Path) -> None:
    """Such as what another step begins with: how readings are taken is the part's."""
    rows = [{"read_iops": 100.0}] * 20 + [{"read_iops": 900.0}] * 21
    whole = BEGIN, BEGIN + 20 * SECOND
    part = BEGIN + SECOND // 4, BEGIN + 41 * SECOND // 4
    results = [Result("iops", 1.0, "", *whole, 1, 1, "fio")]
    with documents(tmp_path, [0.5] * 40 + [0.0], rows) as session:
        [found] = part_results(session, "fio", whole, part, results, outputs={})
    assert found.value == pytest.approx((9.75 * 100 + 0.25 * 900) / 10)


@pytest.mark.parametrize(
    ("length_s", "part_s", "expected"),
    [
        (60, (61, 131), (59 * 200 + 11 * 1000) / 70),
        (60, (50, 110), (10 * 1000 + 50 * 200) / 60),
        (60, (1, 11), 1000),
        (40, (38, 78), (2 * 1000 + 38 * 200) / 40),
        (3600, (3500, 3900), (100 * 1000 + 300 * 200) / 400),
    ],
)
def test_long_documents_count_by_what_lies_in_the_part(
    tmp_path: Path, length_s: int, part_s: tuple[int, int], expected: float
) -> None:
    """VDBench may tell once an hour."""
    rows = [{"read_iops": rate, "read_lat": 0.001} for rate in (1e3, 200, 1e3, 200)]
    whole = BEGIN, BEGIN + 4 * length_s * SECOND
    part = BEGIN + part_s[0] * SECOND, BEGIN + part_s[1] * SECOND
    names = ("iops", "latency_mean_ms")
    results = [Result(name, 1.0, "", *whole, 1, 1, "fio") for name in names]
    with documents(tmp_path, [length_s] * 4, rows, length_s) as session:
        iops, latency = part_results(session, "fio", whole, part, results, outputs={})
        rounds = Rounds(session, BEGIN)
        assert rounds.means(part) == {PERFORMANCE: pytest.approx(expected)}
        assert rounds.has_documents_until(part[1], part[1])
        [curve] = (
            curve_statistics(session, curve, part)
            for panel in panels_of(session, ("IOPS",))
            for curve in panel.curves
        )
    assert iops.value == pytest.approx(expected)
    assert iops.n_valid == iops.n_expected
    assert "transfers" in latency.note
    assert curve is not None
    assert curve.mean == pytest.approx(expected)


@pytest.mark.parametrize(("lost", "is_known"), [(9, True), (11, False)])
def test_a_part_of_which_most_is_lost_has_no_rate(
    tmp_path: Path, lost: int, is_known: bool
) -> None:
    rows = [{"read_iops": 100.0, "read_bw": 1e6, "read_lat": 0.001}] * 25
    rows += [{}] * lost + rows[: 45 - 25 - lost]
    whole = BEGIN, BEGIN + 45 * SECOND // 2
    part = BEGIN + 25 * SECOND // 2, whole[1]
    names = ("iops", "bandwidth_mb_s", "latency_mean_ms")
    results = [Result(name, 1.0, "", *whole, 1, 1, "fio") for name in names]
    with documents(tmp_path, [0.5] * 45, rows) as session:
        found = part_results(session, "fio", whole, part, results, outputs={})
    assert [one.value is not None for one in found] == [is_known] * 3
    assert (found[0].n_valid, found[0].n_expected) == (20 - lost, 20)
    assert bool(unmeasured(coverage_of(found))) is not is_known


@pytest.mark.parametrize(("lost", "expected"), [(20, 10_000), (70, None), (120, None)])
def test_a_round_with_a_gap_in_one_direction_has_no_value(
    tmp_path: Path, lost: int, expected: float | None
) -> None:
    """5000 reads and as many writes; of 120 documents of the round writes lack some."""
    both = {"read_iops": 5000.0, "write_iops": 5000.0}
    rows = [both] * (240 - lost) + [{"read_iops": 5000.0}] * lost
    middle = BEGIN + 60 * SECOND
    with documents(tmp_path, [0.5] * 240, rows) as session:
        found = Rounds(session, BEGIN).means((middle, middle + 60 * SECOND))
        # Of a load that only reads no write lacks.
        later = Rounds(session, middle + (120 - lost) * SECOND // 2)
        reads = later.means((middle + 30 * SECOND, middle + 60 * SECOND))
    assert found.get(PERFORMANCE) == (expected and pytest.approx(expected))
    if lost == 120:
        assert reads[PERFORMANCE] == pytest.approx(5000)


def test_a_round_of_two_feeds_is_of_the_time_in_which_both_are_there(
    tmp_path: Path,
) -> None:
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    feeds = [Channel(name, "P", "W", period_ns=SECOND // 10) for name in "ab"]
    nobody = Identity("", "", "", "", "")
    for name in "ab":
        add = partial(
            Writer.add_source,
            name=name,
            section="power",
            driver="t",
            identity=nobody,
            config="",
        )
        recorder.call(add)
    for number in range(100):
        at = BEGIN + number * SECOND // 10
        # The second one is away from 8 s on, while power is high. Just before, it is
        # what it is on average: nothing says that what lacks of it is unlike the rest.
        watts = 300.0 if number < 30 else 600.0 if 60 <= number < 80 else 900.0
        for feed in feeds[: 1 if number >= 80 else 2]:
            recorder.append(Reading((feed,), at, at, (watts,), (Status.OK,)))
    recorder.close()
    window = (BEGIN, BEGIN + 10 * SECOND)
    with Session.open(recorder.path) as session:
        means = Rounds(session).means(window)
        row = {
            step_result.name: step_result.value
            for step_result in step_results(session, window)
        }
    # Of 7.9 s: 2.9 s of 300 W, of 900 W, 1.9 s of 600 W, and twice a tenth between.
    known = 2 * (2.9 * 300 + 0.1 * 600 + 2.9 * 900 + 0.1 * 750 + 1.9 * 600) / 7.9
    assert means[POWER] == row["power_w"] == pytest.approx(known)


def moving(
    folder: Path, engine: str, rows: Sequence[tuple[float, float]], *names: str
) -> Session:
    """Make a session in which a load, and its disk, moved bytes; a row a second."""
    recorder = Recorder(folder / f"{engine}.bayscope", INFO, clock=SystemClock())
    recorder.start()
    recorder.call(lambda writer: writer.introduce_load(engine))
    recorder.call(lambda writer: writer.introduce_load(DISK))
    for number, (own, disk) in enumerate(rows):
        start = BEGIN + number * SECOND
        for source, quantity, value in (
            (engine, names[0], own),
            (DISK, "read_bw", disk),
            (DISK, "write_bw", 0.0),
        ):
            channel = Channel(source, quantity, "B/s", "", SECOND)
            reading = (channel,), start, start + SECOND, (value,), (Status.OK,)
            recorder.append(Reading(*reading))
    recorder.close()
    return Session.open(recorder.path)


@pytest.mark.parametrize(
    ("first", "percent"), [(0, 0.0), (40, 50.0), (20, pytest.approx(100 / 3))]
)
def test_others_are_those_of_the_part_that_is_measured(
    tmp_path: Path, first: int, percent: float
) -> None:
    """In the last 40 of 80 s others read as much from its disk as the load."""
    part = BEGIN + first * SECOND, BEGIN + (first + 40) * SECOND
    whole = BEGIN, BEGIN + 80 * SECOND
    rows = [(1e8, 1e8)] * 40 + [(1e8, 2e8)] * 40
    told = {"read_mb_s": 100.0, "bandwidth_mb_s": 100.0, "buffered": 0.0}
    told |= {"device_read_bytes": 1.2e10, "device_write_bytes": 0.0}
    results = [Result(name, v, "", *whole, 1, 1, "fio") for name, v in told.items()]
    values = {name: Measured(value, "", "") for name, value in told.items()}
    load = LoadResult(LoadOutcome.DONE, window=whole, values=values)
    with moving(tmp_path, "fio", rows, "read_bw") as session:
        found = part_results(session, "fio", whole, part, results, outputs={})
    measured = part_load("fio", load, part, found)
    io = io_findings("fio", {"rw": "read"}, measured)
    [share] = [one for one in io_results("fio", measured, io, part) if one.unit == "%"]
    assert share.value == percent
    assert (share.start_ns, share.end_ns) == part
    assert part_load("fio", load, whole, results) is load


def test_a_direction_that_a_load_does_not_tell_is_nobody_elses(tmp_path: Path) -> None:
    """VDBench counts bytes for its whole window, and tells no rates by direction."""
    part, whole = (BEGIN, BEGIN + 20 * SECOND), (BEGIN, BEGIN + 40 * SECOND)
    told = {"bandwidth_mb_s": 100.0, "engine_read_bytes": 4e9, "buffered": 0.0}
    told |= {"device_read_bytes": 4e9, "device_write_bytes": 0.0}
    results = [Result(name, v, "", *whole, 1, 1, "vdbench") for name, v in told.items()]
    with moving(tmp_path, "vdbench", [(1e8, 1e8)] * 40, "bw") as session:
        found = part_results(session, "vdbench", whole, part, results, outputs={})
    load = LoadResult(LoadOutcome.DONE, window=whole)
    measured = part_load("vdbench", load, part, found)
    assert io_findings("vdbench", {}, measured) == []
    assert foreign_percent(measured, []) is None


def test_the_disk_of_a_rest_is_that_of_another_row(tmp_path: Path) -> None:
    """A load after it makes channels, which it had none of when it was computed."""
    whole, part = (BEGIN, BEGIN + 9 * SECOND), (BEGIN + 5 * SECOND, BEGIN + 8 * SECOND)
    results = [Result(name, 9.0, "", *whole, 1, 1, DISK) for name in MOVED]
    (tmp_path / "alone").mkdir()
    with moving(tmp_path / "alone", "idle", [], "") as session:
        first = part_results(session, "idle", whole, part, results, outputs={})
    later = [(1e8, np.nan)] * 9 + [(1e8, 1e8)] * 9
    with moving(tmp_path, "fio", later, "read_bw") as session:
        again = part_results(session, "idle", whole, part, results, outputs={})
    assert again == first
    assert {(one.value, one.n_valid, one.n_expected) for one in again} == {(None, 0, 1)}
