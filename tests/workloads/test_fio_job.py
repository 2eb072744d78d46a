import re
import subprocess
from pathlib import Path

import pytest

from instruments.errors import BadInput, OptionError
from workloads.fio.block_sizes import mean_block_size
from workloads.fio.job_check import check_options
from workloads.fio_access import LONGEST_LINE
from workloads.fio_job import FioJob

MIX = "4k/20:64k/50:256k/20:2M/10"


def job(**options: str) -> FioJob:
    return FioJob("a step", (Path("/scratch/a:b.dat"),), 2**30, 5, 1, True, options)


def test_the_job_file_says_what_bayscope_needs() -> None:
    text = job(rw="randread", bs="4k").text()
    for line in ("thread=1", "time_based=1", "runtime=5000ms", "ramp_time=1000ms"):
        assert line in text.splitlines()
    assert "filename=target" in text.splitlines()
    assert "/scratch" not in text
    assert text.splitlines()[-1] == "direct=1"
    assert text.index("[load]") < text.index("rw=randread")


def test_fio_itself_takes_the_job_file(tmp_path: Path) -> None:
    file = tmp_path / "job.fio"
    file.write_text(job(rw="randrw", bssplit=MIX, iodepth="8").text())
    done = subprocess.run(["fio", "--parse-only", str(file)], check=False, timeout=60)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("rw", "expected"),
    [
        ("read", ("read",)),
        ("randread:8", ("read",)),
        ("write", ("write",)),
        ("randwrite", ("write",)),
        ("rw", ("read", "write")),
        ("randrw", ("read", "write")),
    ],
)
def test_directions_follow_rw(rw: str, expected: tuple[str, ...]) -> None:
    assert job(rw=rw).directions == expected


def test_the_mean_block_size_of_the_reports_mix() -> None:
    expected = (0.2 * 4 + 0.5 * 64 + 0.2 * 256 + 0.1 * 2048) * 1024
    assert mean_block_size({"bssplit": MIX}) == pytest.approx(expected)
    assert mean_block_size({"bs": "4m"}) == 4 * 2**20
    assert mean_block_size({}) == 4096


@pytest.mark.parametrize(
    "name",
    [
        "runtime",
        "ramp_time",
        "filename",
        "directory",
        "thread",
        "status-interval",
        "status_interval",
        "write_bw_log",
        "write-lat-log",
        "output",
        "exec_prerun",
        "exec-postrun",
        "read_iolog",
        "replay_redirect",
        "unlink",
        "size",
        "offset",
        "filesize",
        "mem",
        "buffered",
        "filename=/dev/sda;",
        "file_append",
        "fill_device",
        "verify",
        "IODEPTH",
        "iomem",
        "aux-path",
        "trigger",
    ],
)
def test_what_is_not_the_plans_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match=re.escape(name)):
        check_options({"rw": "read", name: "1"})


@pytest.mark.parametrize(
    "value", ["4k/20:64k/50", "4k/60:64k/60", "4k/x", "4k/20:z/80"]
)
def test_a_bssplit_that_is_not_100_percent_is_refused(value: str) -> None:
    with pytest.raises(OptionError, match="bssplit"):
        check_options({"rw": "read", "bssplit": value})


@pytest.mark.parametrize("mark", ["\n", "\r", "#", ";", "\0"])
def test_no_value_can_smuggle_an_option_in(mark: str) -> None:
    with pytest.raises(OptionError, match="line break"):
        check_options({"rw": "read", "bs": f"4k{mark}filename=/dev/sda"})


@pytest.mark.parametrize("piece", [4096, 8192, 16384])
def test_no_length_of_a_value_makes_two_options_of_it(
    piece: int, tmp_path: Path
) -> None:
    """fio reads a line in pieces, and takes what begins a piece for an option."""
    start, marker = "lat_percentiles=", tmp_path / "marker"
    value = "1".ljust(piece - 1 - len(start)) + f"exec_prerun=touch {marker}"
    options = {"rw": "read", "lat_percentiles": value}
    with pytest.raises(OptionError, match="longer than"):
        check_options(options)
    with pytest.raises(BadInput, match="a line of fio's job"):
        FioJob("x", (tmp_path / "x",), 4096, 1, 0, True, options).text()


def test_the_longest_line_is_one_to_fio(tmp_path: Path) -> None:
    value = "1".ljust(LONGEST_LINE - len("lat_percentiles="))
    options = {"rw": "read", "lat_percentiles": value}
    check_options(options)
    job = tmp_path / "job.fio"
    job.write_text(FioJob("x", (tmp_path / "x",), 4096, 1, 0, True, options).text())
    subprocess.run(["fio", "--parse-only", job], check=True, capture_output=True)


def test_a_direction_is_given_once() -> None:
    with pytest.raises(OptionError, match="are one option"):
        check_options({"rw": "randread", "readwrite": "randwrite"})


@pytest.mark.parametrize("engine", ["mmap", "cpuio", "http", "external:/tmp/x.so"])
def test_engines_that_measure_no_disk_are_refused(engine: str) -> None:
    with pytest.raises(OptionError, match="cannot be used in a step"):
        check_options({"rw": "read", "ioengine": engine})


@pytest.mark.parametrize(
    ("name", "value"),
    [("bs", "4 potatoes"), ("iodepth", "-3"), ("numjobs", "0"), ("bsrange", "4k-x")],
)
def test_values_that_fio_would_choke_on_later_are_refused(
    name: str, value: str
) -> None:
    with pytest.raises(OptionError, match=f'{name} is "{value}"'):
        check_options({"rw": "read", name: value})


def test_a_misspelt_option_is_hinted_at() -> None:
    with pytest.raises(OptionError, match='Did you mean "rwmixread"'):
        check_options({"rw": "randrw", "rwmix": "70"})
    with pytest.raises(OptionError, match='Did you mean "bs"'):
        check_options({"rw": "read", "bss": "4k"})


def test_a_mean_that_cannot_be_told_is_none() -> None:
    assert mean_block_size({"bs": ",8k"}) is None
    assert mean_block_size({"bsrange": "4k-64k"}) is None
