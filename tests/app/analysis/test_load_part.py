"""Rates of a load from its traces alone."""

from pathlib import Path

import pytest

from app.analysis.load_part import traced_results
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.record.recording import INFO

PERIOD_NS = SECOND // 10


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
