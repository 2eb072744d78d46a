"""VDBench's report and flatfile as people have published them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.record.imports.found import Clock
from app.record.imports.recognise import (
    is_flatfile,
    is_report,
    read_file,
    read_flat,
    read_report,
)
from app.record.imports.vdbench_blocks import Point, TimeOfDay
from instruments.errors import BadInput
from instruments.reading import SECOND
from tests.app.record.imports.results import DATA

REPORT = DATA / "vdbench-5.04.06.txt"
FLAT = DATA / "vdbench-flatfile.html"

LOOPS = """\
23:59:50.001 Starting RD=rd1; I/O rate: Uncontrolled MAX; elapsed=4; For loops: xfersize=4k
Feb 18, 2019    interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue  cpu%  cpu%
                               rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth sys+u   sys
23:59:54.060     avg_2-4      100.0     0.39    4096 100.00    0.018    0.018    0.000     0.07     0.00    0.120    0.0   6.4   1.0
23:59:58.001 Starting RD=rd1; I/O rate: Uncontrolled MAX; elapsed=4; For loops: xfersize=64k
00:00:02.060     avg_2-4       50.0     3.13   65536   0.00    0.020    0.000    0.020     0.00     0.07    0.120    0.0   6.4   1.0
"""  # noqa: E501  (the layout of 5.04.07, numbers of ours)

STAMPED = """\
         tod                timestamp  Run   Interval    reqrate       rate     MB/sec   bytes/io      read%       resp
16:46:15.102  02/18/2019-16:46:15-UTC  rd1          1   100.0000    76.0000     0.2969       4096    50.0000     0.0110
16:46:16.102  02/18/2019-16:46:16-UTC  rd1          2   100.0000   100.0000     0.3906       4096    50.0000     0.0120
16:46:16.110  02/18/2019-16:46:16-UTC  rd1    avg_2-2   100.0000   100.0000     0.3906       4096    50.0000     0.0120
"""  # noqa: E501  (the columns of 5.04.07, numbers of ours)


def test_a_published_report_with_a_warmup() -> None:
    found = read_report(REPORT, REPORT.read_text(), keep_rest=True)
    assert "it is cut short" in found.remarks[-1]  # as it was quoted
    step = found.steps[0]
    assert is_report(REPORT.read_text())
    assert (found.clock.kind, step.label) == (Clock.LOCAL, "rd1")
    assert step.window is not None
    start, end = step.window
    assert (end - start) / SECOND == pytest.approx(120, abs=0.1)
    assert (
        datetime.fromtimestamp(end / SECOND, UTC)
        .isoformat()
        .startswith("2020-12-02T17:46:35")
    )
    assert step.ramp_s == pytest.approx(30, abs=0.2)
    assert step.values["iops"].value == 2232.21
    assert step.values["bandwidth_mb_s"].value == pytest.approx(2232.21 * 1.048576)
    assert step.values["read_iops"].value == pytest.approx(2232.21 * 0.2999)
    assert "read_mb_s" not in step.values
    assert len(found.traces[0].starts) == 6


def test_a_run_definition_that_ended_early_says_so() -> None:
    text = REPORT.read_text()
    assert read_report(REPORT, text, keep_rest=True).steps[0].reason == ""
    text = text.replace("elapsed=120", "elapsed=600")
    [step] = read_report(REPORT, text, keep_rest=True).steps
    assert step.reason == "it ran for 150 s of the 630 s that it was to run"


def test_a_published_flatfile_without_a_date() -> None:
    found = read_file(FLAT).found
    assert is_flatfile(FLAT.read_text())
    assert found is not None
    read = read_flat(FLAT, FLAT.read_text())
    assert (read.clock.kind, read.steps[0].label) == (Clock.DAY, "random_write_max_4k")
    assert read.steps[0].values["iops"].value == 327.4444
    assert read.steps[0].window is None


def test_a_flatfile_with_stamps_in_utc() -> None:
    found = read_flat(Path("flatfile.html"), STAMPED)
    assert found.clock.kind is Clock.WALL
    assert found.steps[0].window is not None
    assert found.steps[0].window[1] == 1550508376 * SECOND + 102_000_000
    assert found.traces[0].values[:, 0].tolist() == [76.0, 100.0]
    local = read_flat(Path("flatfile.html"), STAMPED.replace("-UTC", "-CST"))
    assert local.clock.kind is Clock.LOCAL


def test_a_flatfile_that_is_torn_in_its_last_line() -> None:
    torn = f"{STAMPED}16:46:17.102  02/18/2019-16:46:17-UTC  rd2          1   10"
    with pytest.raises(BadInput, match="line 5: it is cut short in its last line"):
        read_flat(Path("flatfile.html"), torn)
    assert len(read_flat(Path("flatfile.html"), torn, keep_rest=True).steps) == 1


def test_loops_are_steps_and_midnight_is_passed() -> None:
    found = read_report(Path("totals.html"), LOOPS)
    assert [s.label for s in found.steps] == ["rd1 xfersize=4k", "rd1 xfersize=64k"]
    first, second = (step.window or (0, 0) for step in found.steps)
    assert (first[1] - first[0]) / SECOND == 3
    assert (second[1] - first[1]) / SECOND == 8
    assert found.steps[0].values["read_mb_s"].value == pytest.approx(0.39 * 1.048576)
    assert "write_iops" not in found.steps[0].values
    assert not found.traces


def test_a_run_that_did_not_end() -> None:
    text = "\n".join(REPORT.read_text().splitlines()[:-1])
    with pytest.raises(BadInput, match="no average of rd1: it is cut short"):
        read_report(Path("x"), text)
    half = "\n".join(LOOPS.splitlines()[:-1])
    with pytest.raises(BadInput, match="cut short"):
        read_report(Path("x"), half)
    kept = read_report(Path("x"), half, keep_rest=True)
    assert len(kept.steps) == 1
    assert "excluded" in kept.remarks[0]


def test_an_output_without_its_closing_line_is_cut_short() -> None:
    text = REPORT.read_text()
    with pytest.raises(BadInput, match="run definitions may be missing"):
        read_report(REPORT, text)
    last = "17:46:36.008 Vdbench executi"
    with pytest.raises(BadInput, match=f"line {len(text.splitlines()) + 1}"):
        read_report(REPORT, text + last)
    whole = read_report(REPORT, f"{text}{last}on completed successfully.\n")
    assert whole.remarks == ()


def test_an_average_of_no_interval_gives_no_zeros() -> None:
    hollow = """\
16:24:29.004 Starting RD=SD_format; I/O rate: Uncontrolled MAX; elapsed=(none)
Jan 24, 2019    interval        i/o   MB/sec   bytes   read     resp     read    write
                               rate  1024**2     i/o    pct     time     resp     resp
16:24:30.156           1      320.0    40.00  131072   0.00    0.739    0.000    0.739
16:24:30.181     avg_2-1        0.0     0.00       0   0.00    0.000    0.000    0.000
"""
    step = read_report(Path("x"), hollow).steps[0]
    assert step.values == {}
    assert step.window is None
    assert "its average covers no interval (avg_2-1)" in step.reason


def test_an_interval_without_io_has_no_latency() -> None:
    point = Point(2, 4, 0, {"rate": 0.0, "mb": 0.0, "resp": 0.0, "resp_max": 0.0})
    assert set(point.results("x")) == {"iops", "bandwidth_mb_s"}


def test_times_of_day_rise() -> None:
    clock = TimeOfDay()
    times = [clock.read(text) for text in ("23:59:59.900", "00:00:00.100", "later")]
    assert times == [86_399_900_000_000, 86_400_100_000_000, None]


def test_a_report_of_a_run_that_was_stopped_is_cut_short(tmp_path: Path) -> None:
    lines = REPORT.read_text().splitlines(keepends=True)
    path = tmp_path / "summary.html"
    path.write_text("".join(line for line in lines if "avg_" not in line))
    with pytest.raises(BadInput, match="no average of rd1: it is cut short"):
        read_file(path)
