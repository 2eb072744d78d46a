"""Percentiles of few I/Os: in a row, its notes, its histogram and its explanation."""

from pathlib import Path
from typing import Any

import pytest

from app.analysis.tail import Tail, tail, tail_notes, thin_percentiles
from app.operations.sessions.explaining import explain_text
from app.operations.sessions.showing import show_json
from app.record.store import Result, Writer
from instruments.reading import SECOND
from tests.session_info import session_info


@pytest.mark.parametrize(
    ("percent", "count", "told"),
    [
        (99.9, 200, Tail.LONGEST),
        (99.9, 999, Tail.LONGEST),
        (99.9, 1000, Tail.FEW),
        (99.9, 9_999, Tail.FEW),
        (99.9, 10_000, None),
        (99.99, 99_999, Tail.FEW),
        (99.99, 100_000, None),
        (50.0, 1, Tail.LONGEST),
        (50.0, 20, None),
    ],
)
def test_a_percentile_needs_ios_beyond_it(
    percent: float, count: int, told: Tail | None
) -> None:
    assert tail(percent, count) is told


def test_reads_and_writes_are_counted_apart() -> None:
    row = {"duration_s": 10.0, "iops": 1020.0, "read_iops": 1000.0, "write_iops": 20.0}
    row |= {"latency_p99_9_ms": 1.0, "read_p99_9_ms": 1.0, "write_p99_9_ms": 9.0}
    row |= {"write_p99_ms": 7.0}
    assert thin_percentiles(row) == {
        "write_p99_9_ms": Tail.LONGEST,
        "write_p99_ms": Tail.FEW,
    }
    assert len(tail_notes(row)) == 2


def test_without_a_rate_or_a_window_nothing_is_said() -> None:
    told: dict[str, object] = {"latency_p99_9_ms": 1.0, "iops": None, "duration_s": 9.0}
    assert thin_percentiles(told) == {}
    assert thin_percentiles({**told, "iops": 1.0, "duration_s": None}) == {}
    assert thin_percentiles({**told, "iops": 1.0}) != {}


def test_a_report_and_an_explanation_say_it(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    step = writer.add_step(1, "Read", "fio", 'label = "Read"\n')
    window = (0, 10 * SECOND)
    writer.update_step(
        step, window_start_ns=window[0], window_end_ns=window[1], outcome="DONE"
    )
    values = {"iops": 20.0, "duration_s": 10.0, "latency_p99_9_ms": 5.0}
    for name, value in values.items():
        writer.result(step, Result(name, value, "", *window, 1, 1))
    writer.finish()
    shown: dict[str, Any] = show_json(writer.path)
    [told] = shown["steps"]
    assert told["thin_percentiles"] == {"latency_p99_9_ms": "longest"}
    assert any("99.9 %: too few I/Os" in n for n in shown["notes"])
    text = explain_text(writer.path, "Read", "latency_p99_9_ms")
    assert "only the slowest" in text
