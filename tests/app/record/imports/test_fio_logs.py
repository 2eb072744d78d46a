"""fio's logs on a grid: windows without I/O, several jobs, single I/Os."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.record.imports.fio_json import read_fio
from app.record.imports.fio_logs import found_of, read_found_log, step_of
from app.record.imports.fio_windows import KIB, io_moments, total_traces, windows_of
from app.record.imports.found import Clock, Found, FoundTrace
from app.record.imports.gather import log_groups
from app.record.imports.recognise import read_file
from instruments.errors import BadInput
from tests.app.record.imports.results import run_fio
from workloads.fio.read.logs import read_log


def windows(text: str, kind: str = "iops", end_ms: int | None = None) -> FoundTrace:
    log = read_log(text.encode(), "log")
    return windows_of(
        log, kind, location="", us_latency=False, end_ms=end_ms, period_ms=None
    )[0]


def in_ms(trace: FoundTrace) -> list[tuple[int, int, float]]:
    columns = (trace.starts, trace.ends, trace.values[:, 0])
    rows = zip(*columns, strict=True)
    return [(int(a) // 10**6, int(b) // 10**6, float(c)) for a, b, c in rows]


def test_a_stamp_is_the_end_of_its_window() -> None:
    found = windows("100, 7, 0, 0\n201, 8, 0, 0\n300, 9, 0, 0\n")
    assert in_ms(found) == [(0, 100, 7), (100, 201, 8), (201, 300, 9)]


def test_absent_windows_are_zero_io_and_no_latency() -> None:
    text = "100, 7, 0, 0\n200, 8, 0, 0\n500, 9, 0, 0\n600, 9, 0, 0\n"
    found = in_ms(windows(text))
    assert found[2:5] == [(200, 300, 0), (300, 400, 0), (400, 500, 9)]
    latency = windows(text, "lat").values[:, 0]
    assert np.isnan(latency[2:4]).all()
    assert latency[4] == pytest.approx(9e-9)


def test_a_row_of_which_fio_was_late_stands_for_all_of_its_window() -> None:
    text = "100, 7, 0, 0\n290, 8, 0, 0\n400, 9, 0, 0\n500, 9, 0, 0\n"
    assert in_ms(windows(text))[1] == (100, 290, 8)


@pytest.mark.parametrize(
    ("rates", "latencies", "expected"),
    [
        # I/Os ended all the time: fio looked late.
        ((249, 350), (101, 202, 303), [(0, 149, 7), (149, 249, 7), (249, 350, 7)]),
        # None did for a while, and fio looked on: a device stood still.
        (
            (100, 400),
            (99, 350),
            [(0, 100, 7), (100, 200, 0), (200, 300, 0), (300, 400, 7)],
        ),
        # Fio itself stood still: what was counted is of before that.
        (
            (100, 500),
            (99, 103, 501),
            [(0, 100, 7), (100, 200, 14), (200, 300, 14), (300, 400, 0), (400, 500, 0)],
        ),
    ],
)
def test_latencies_tell_a_late_row_from_windows_without_io(
    rates: tuple[int, ...],
    latencies: tuple[int, ...],
    expected: list[tuple[int, int, float]],
) -> None:
    log, lat = (
        read_log("".join(f"{at}, 7, 0, 0\n" for at in times).encode(), "log")
        for times in ((*rates, *range(rates[-1] + 100, 1500, 100)), latencies)
    )
    found = windows_of(
        log,
        "iops",
        location="",
        us_latency=False,
        end_ms=None,
        period_ms=None,
        moments=io_moments([("lat", lat), ("iops", log)]),
    )
    rows = [(a, b, round(c, 6)) for a, b, c in in_ms(found[0])]
    assert rows[: len(expected)] == expected


def test_sums_lose_no_io_at_their_end() -> None:
    text = "".join(f"{at}, 10, 0, 0\n" for at in (100, 200, 305, 412))
    parts = [windows(text), windows(text.replace("412", "411"))]
    whole = total_traces(parts)[0]
    lengths = (whole.ends - whole.starts) / 1e9
    assert (whole.values[:, 0] * lengths).sum() == pytest.approx(10 * (0.411 + 0.412))
    assert whole.ends[-1] == 412 * 10**6


def test_a_job_that_logged_a_window_more_is_not_cut() -> None:
    parts = [windows(regular(count)) for count in (10, 11)]
    whole = total_traces(parts)[0]
    lengths = (whole.ends - whole.starts) / 1e9
    assert (whole.values[:, 0] * lengths).sum() == pytest.approx(210)
    assert whole.values[-1, 0] == 100


def regular(count: int) -> str:
    return "".join(f"{100 * n}, 100, 0, 0\n" for n in range(1, count + 1))


@pytest.mark.parametrize("more", ["", ", 4096"])
def test_a_row_far_behind_the_others_is_refused_by_its_line(more: str) -> None:
    size = more or ", 0"
    text = "".join(f"{n}, 5, 0{size}\n" for n in range(1, 50))
    for last in (10**8 if not more else 10**11, 9 * 10**10, 2**41):
        with pytest.raises(BadInput, match="line 50"):
            windows(f"{text}{last}, 5, 0{size}\n")
    with pytest.raises(BadInput, match="line 50"):
        windows(f"{text}{2**62}, 5, 0{size}\n")


def test_jobs_that_are_ages_apart_are_not_summed() -> None:
    parts = [
        windows(f"{at}, 5, 0, 0\n{at + 1}, 5, 0, 0\n") for at in (10**12 + 1, 2**41)
    ]
    with pytest.raises(BadInput):
        total_traces(parts)


def test_windows_are_as_long_as_fio_was_told(tmp_path: Path) -> None:
    """Two I/Os a second leave a row each: 2.0 IOPS, and not ten throughout."""
    logs = ["--write_iops_log=r", "--write_bw_log=r", "--write_lat_log=r"]
    slow = ["--rate_iops=2", "--runtime=4", "--log_avg_msec=100"]
    path = run_fio(tmp_path, *logs, *slow)
    run = read_fio(path, path.read_text())
    files = [tmp_path / f"r_{kind}.1.log" for kind in ("iops", "bw", "lat")]
    own = [read_found_log(file, file.read_bytes()) for file in files]
    found = {
        trace.quantities[0][0]: trace
        for trace in found_of(own, run, 0, us_latency=False).traces
    }
    for name, result in (("iops", "iops"), ("bw", "mb_s")):
        trace = found[f"read_{name}"]
        told = run.steps[0].values[f"read_{result}"].value
        told *= 1e6 if name == "bw" else 1
        count = float(trace.values[:, 0] @ (trace.ends - trace.starts)) / 1e9
        # A row is a whole number of I/Os, and the last window is lost.
        assert count == pytest.approx(4 * told, abs=2.5 * told / 2)
        assert trace.period_ns == 100_000_000
    # Without the options nobody knows: what tells of more than the run is refused.
    step = replace(run.steps[0], options={})
    with pytest.raises(BadInput):
        found_of(own, replace(run, steps=(step,)), 0, us_latency=False)
    alone = found_of(own, None, 0, us_latency=False)
    assert alone.remarks


def test_pauses_of_a_load_are_no_longer_windows() -> None:
    times = [100, 600, 1100, 1200, 1700, 2200, 2300, 2800]
    found = windows("".join(f"{at}, 10, 0, 0\n" for at in times))
    assert found.period_ns == 100_000_000
    assert float(found.values.sum()) * 0.1 == pytest.approx(8)


def test_windows_at_the_begin_and_the_end_of_the_run() -> None:
    text = "300, 7, 0, 0\n400, 8, 0, 0\n500, 8, 0, 0\n"
    found = in_ms(windows(text, end_ms=830))
    assert found[:3] == [(0, 100, 0), (100, 200, 0), (200, 300, 7)]
    assert found[-3:] == [(500, 600, 0), (600, 700, 0), (700, 800, 0)]
    # The last window that is not full is lost by fio, and not known.
    assert in_ms(windows(text, end_ms=580))[-1] == (400, 500, 8)


def test_bandwidth_is_in_bytes() -> None:
    assert windows("100, 7, 0, 0\n", "bw").values[0, 0] == 7 * 1024


def test_single_ios_are_gathered() -> None:
    text = "".join(f"{t}, 2000, 0, 4096\n" for t in (1, 5, 99, 250))
    assert in_ms(windows(text)) == [(0, 100, 30), (100, 200, 0), (200, 300, 10)]
    assert windows(text, "bw").values[:, 0].tolist() == [122880, 0, 40960]
    assert np.isnan(windows(text, "lat").values[1, 0])


def test_jobs_are_added_up_by_integration(tmp_path: Path) -> None:
    (tmp_path / "r_bw.1.log").write_text(
        "100, 10, 1, 0\n200, 10, 1, 0\n300, 10, 1, 0\n"
    )
    (tmp_path / "r_bw.2.log").write_text(
        "150, 20, 1, 0\n250, 20, 1, 0\n350, 20, 1, 0\n"
    )
    paths = sorted(tmp_path.iterdir())
    logs = [read_found_log(path, path.read_bytes()) for path in paths]
    found = found_of(logs, None, 0, us_latency=False)
    names = [trace.quantities[0] for trace in found.traces]
    assert names == [
        ("write_bw", "B/s", "job1"),
        ("write_bw", "B/s", "job2"),
        ("write_bw", "B/s", ""),
    ]
    assert found.traces[2].values[:, 0] == pytest.approx([30 * 1024] * 3 + [20 * 1024])
    assert found.clock.kind is Clock.OWN


def test_each_job_has_its_step(tmp_path: Path) -> None:
    log = ["--write_iops_log=w", "--log_avg_msec=100"]
    two = ["--name=two", "--stonewall", "--ioengine=null", "--size=64m", "--rw=write"]
    timed = ["--time_based", "--runtime=1", "--rate_iops=500", "--write_bw_log=v"]
    path = run_fio(tmp_path, *log, *two, *timed, "--log_avg_msec=100", name="one")
    run = read_fio(path, path.read_text())
    assert run.run_logs == {"w": (0, -1), "v": (-1, 1)}
    rates = (rate_of(run), run.steps[1].values["write_mb_s"].value * 1e6 / KIB)
    for name, step in (("w_iops.1.log", 0), ("v_bw.2.log", 1)):
        path = tmp_path / name
        assert read_found_log(path, path.read_bytes()).log.directions[0] == step
        text = rows(run, rates[step], step=step, period_ms=100)
        path.write_text(text.replace(", 0, 0", f", {step}, 0"))
        logs = [read_found_log(path, path.read_bytes())]
        assert step_of(logs[0], run) == step
        start, end = run.steps[step].window or (0, 0)
        found = found_of(logs, run, step, us_latency=False)
        assert found.extent[0] == start
        assert found.extent[1] == pytest.approx(end, abs=150_000_000)


def test_logs_with_a_clock_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "r_iops.1.log"
    path.write_text("1564907970022, 7, 1, 0\n1564907970122, 7, 1, 0\n")
    logs = [read_found_log(path, path.read_bytes())]
    found = found_of(logs, None, 0, us_latency=False)
    assert found.clock.kind is Clock.WALL
    assert found.extent[0] == 1564907969922 * 1_000_000


@pytest.mark.parametrize("name", ["numbers.txt", "r_clat_hist.1.log"])
def test_logs_that_cannot_be(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(BadInput, match=r"does not say of what|histogram logs"):
        read_found_log(path, b"100, 7, 1, 0\n")


def hosts(tmp_path: Path) -> list[Path]:
    """Write logs of two hosts by the same name, in a folder each."""
    paths = []
    for number, host in enumerate(("one", "two"), 1):
        (tmp_path / host).mkdir()
        path = tmp_path / host / "r_iops.1.log"
        path.write_text("".join(f"{t}, {number}, 0, 0\n" for t in (100, 200, 300)))
        paths.append(path)
    return paths


def test_logs_of_hosts_with_equal_names_are_kept_apart(tmp_path: Path) -> None:
    logs = [read_found_log(path, path.read_bytes()) for path in hosts(tmp_path)]
    found = found_of(logs, None, 0, us_latency=False)
    rates = {t.quantities[0][2]: t.values[0, 0] for t in found.traces}
    assert rates == {"job1-one": 1, "job1-two": 2, "": 3}


def test_logs_are_of_the_run_in_their_folder(tmp_path: Path) -> None:
    options = ["--number_ios=1000", "--write_iops_log=r", "--log_avg_msec=50"]
    paths = []
    for host in ("one", "two"):
        (tmp_path / host).mkdir()
        run_fio(tmp_path / host, *options)
        paths += sorted((tmp_path / host).iterdir())
    groups = log_groups([read_file(path) for path in paths])
    assert len(groups) == 2
    for group in groups:
        assert group.run is not None
        assert {log.path.parent for log in group.logs} == {group.run.path.parent}


def test_logs_may_be_named_from_here_and_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = hosts(tmp_path)
    monkeypatch.chdir(tmp_path)
    paths = (first.relative_to(tmp_path), second)
    logs = [read_found_log(path, path.read_bytes()) for path in paths]
    found = found_of(logs, None, 0, us_latency=False)
    assert {t.quantities[0][2] for t in found.traces} == {"job1-one", "job1-two", ""}


def test_a_direction_whose_rate_was_cut_has_logs(tmp_path: Path) -> None:
    rates = ("--rw=randrw", "--rate_iops=9,1000", "--write_iops_log=r")
    path = run_fio(tmp_path, *rates, "--log_avg_msec=50", "--output-format=terse")
    log = tmp_path / "r_iops.1.log"
    assert set(read_found_log(log, log.read_bytes()).log.directions) == {0, 1}
    text = read_file(path)
    assert isinstance(text.found, Found)
    told = text.found.steps[0].values
    assert "read_iops" not in told
    written = rows(text.found, told["write_iops"].value).replace(", 0, 0", ", 1, 0")
    log.write_text(rows(text.found, 9) + written)
    (group,) = log_groups([text, read_file(log)])
    assert group.run is text.found
    made = found_of(group.logs, group.run, 0, us_latency=False)
    assert {t.quantities[0][0] for t in made.traces} >= {"read_iops", "write_iops"}


def rows(run: Found, value: float, *, step: int = 0, period_ms: int = 50) -> str:
    """Write the whole log of a run; on a busy machine fio's own may lack some of it."""
    start, end = run.steps[step].window or (0, 0)
    count = round((end - start) / 1e6 / period_ms)
    return "".join(f"{period_ms * n}, {value:.0f}, 0, 0\n" for n in range(1, count + 1))


def rate_of(run: Found) -> float:
    """Get the rate of reads that a run tells, which is less on a busy machine."""
    return run.steps[0].values["read_iops"].value


def test_a_log_that_lacks_much_of_its_run_is_not_filled_with_zeros(
    tmp_path: Path,
) -> None:
    path = run_fio(tmp_path, "--write_iops_log=r", "--log_avg_msec=50")
    run = read_fio(path, path.read_text())
    log = tmp_path / "r_iops.1.log"
    log.write_text(rows(run, rate_of(run)))
    whole = found_of([read_found_log(log, log.read_bytes())], run, 0, us_latency=False)
    assert not whole.remarks
    part = b"".join(log.read_bytes().splitlines(keepends=True)[:8])
    found = found_of([read_found_log(log, part)], run, 0, us_latency=False)
    assert found.remarks
    assert found.extent[1] - found.extent[0] == 400_000_000


@pytest.mark.parametrize("form", ["normal", "terse"])
def test_logs_beside_a_text_are_of_it(tmp_path: Path, form: str) -> None:
    logs = ["--write_lat_log=r", "--log_avg_msec=50", f"--output-format={form}"]
    path = run_fio(tmp_path, *logs, "--number_ios=1000")
    result = read_file(path)
    run = result.found
    assert isinstance(run, Found)
    (tmp_path / "r_lat.1.log").write_text(rows(run, 2000))
    reads = [result, read_file(tmp_path / "r_lat.1.log")]
    (group,) = log_groups(reads)
    assert group.run is run
    assert not group.asks_version
    # A log of another run that lies beside it is not its: its length has to be said.
    stray = tmp_path / "other_iops.1.log"
    rate = rate_of(run)
    for text in (
        f"50, {rate:.0f}, 0, 0\n",
        rows(run, 2.5 * rate),
        rows(run, 0.45 * rate),
    ):
        stray.write_text(text)
        found = {group.run for group in log_groups([reads[0], read_file(stray)])}
        assert found == {None}
    stray.write_text(rows(run, rate))
    (own,) = log_groups([reads[0], read_file(stray)])
    assert own.run is run
    (tmp_path / "more.txt").write_text(path.read_text().replace("load", "other"))
    (alone,) = log_groups([*reads, read_file(tmp_path / "more.txt")])
    assert alone.run is None
