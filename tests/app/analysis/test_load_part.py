"""Rates of a load from its traces alone."""

from pathlib import Path

import pytest

from app.analysis.coverage import coverage_of, unmeasured
from app.analysis.load_part import part_results, traced_results
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Result, Session
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.record.recording import INFO

PERIOD_NS = SECOND // 10
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
        computed = part_results(session, "fio", whole, part, results)
    by_name = {one.name: one for one in computed}
    assert by_name["iops"].value == (iops and pytest.approx(iops))
    assert by_name["latency_mean_ms"].value == (
        latency_ms and pytest.approx(latency_ms)
    )
    # What cannot be had of a part says of which window it is.
    assert (by_name["latency_p99_ms"].value, by_name["latency_p99_ms"].note[:12]) == (
        7.0,
        "of the whole",
    )
    assert ("IOPS" in unmeasured(coverage_of(computed))) == (iops is None)
