"""Checks before a job runs, beside what the real fio does with such a job."""

import json
import subprocess
from pathlib import Path

import pytest

from workloads.fio.checks import (
    Place,
    check_job,
    free_memory,
    logical_block,
    parse_only,
)

GIB = 1 << 30


def quotes(options: dict[str, str], place: Place | None = None) -> list[str]:
    return [one.quote for one in check_job(options, place, ask=False)]


@pytest.mark.parametrize(
    "options",
    [
        {"rw": "randread", "bs": "4k", "iodepth": "32"},
        {"rw": "randrw", "bssplit": "4k/20:64k/80,4k/50:8k/50", "rwmixread": "70"},
        {"rw": "read", "bs": "1m", "ioengine": "psync"},
        {"rw": "randwrite", "bsrange": "4k-64k", "numjobs": "4", "norandommap": "1"},
    ],
)
def test_a_sound_job_has_no_findings(options: dict[str, str]) -> None:
    place = Place((Path("/dev/null"),), 10 * GIB, 8 * GIB)
    assert check_job(options, place) == []


def test_both_halves_of_bssplit_have_to_sum_to_100() -> None:
    options = {"rw": "randrw", "bssplit": "4k/20:64k/80,4k/50:8k/40"}
    assert parse_only({**options, "bssplit": "4k/50:8k/40"}) == ""  # fio says nothing
    (finding,) = check_job(options)
    assert "90 %" in finding.fio
    assert finding.decide


def test_a_range_without_ends_is_left_to_fio() -> None:
    (finding,) = check_job({"rw": "read", "bsrange": "-"})
    assert "failed parsing bsrange=-" in finding.fio


def test_what_the_plan_does_not_take_never_reaches_fio() -> None:
    (finding,) = check_job({"rw": "read", "exec_prerun": "touch /tmp/no"})
    assert finding.quote == "exec_prerun=touch /tmp/no"


def test_fios_own_words_are_told() -> None:
    (finding,) = check_job({"rw": "read", "random_distribution": "zuff"})
    assert "failed parsing random_distribution=zuff" in finding.fio


def test_depth_without_effect(tmp_path: Path) -> None:
    assert quotes({"rw": "read", "ioengine": "psync", "iodepth": "8"}) == ["iodepth=8"]
    argv = ["fio", "--name=a", "--size=64k", "--ioengine=psync", "--iodepth=8"]
    done = subprocess.run(
        argv, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "queue depth will be capped at 1" in done.stdout + done.stderr
    buffered = {"rw": "read", "direct": "0", "iodepth": "8"}
    assert quotes(buffered) == ["iodepth=8"]


def test_blocks_that_direct_io_refuses(own_disk: Path) -> None:
    assert quotes({"rw": "read", "bs": "3000"}) == ["bs=3000"]
    assert quotes({"rw": "read", "bs": "3000", "direct": "0"}) == []
    assert quotes({"rw": "read", "bs": "512"}, Place(block=4096)) == ["bs=512"]
    assert quotes({"rw": "read", "bssplit": "4k/50:700/50"}) == ["bs=700"]
    file = own_disk / "x"
    argv = ["fio", "--name=a", f"--filename={file}", "--size=64k", "--direct=1"]
    done = subprocess.run(
        [*argv, "--bs=3000", "--rw=write"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Invalid argument" in done.stderr


def test_memory_for_buffers_is_counted() -> None:
    mix = {"rw": "randrw", "bssplit": "4k/20:64k/50:256k/20:2M/10", "norandommap": "1"}
    deep = {**mix, "iodepth": "512", "numjobs": "64"}
    (finding,) = check_job(deep, Place(memory=32 * GIB))
    assert "64 GiB" in finding.fio
    assert finding.decide
    assert check_job(deep, Place(memory=65 * GIB)) == []
    # One job a device: 60 times as much.
    disks = tuple(Path(f"/tmp/{n}") for n in range(60))
    (finding,) = check_job(deep, Place(disks, memory=65 * GIB))
    assert "3.75 TiB" in finding.fio
    # A synchronous engine has one buffer a job.
    engine = {"rw": "read", "bs": "2m", "ioengine": "sync", "iodepth": "512"}
    assert quotes(engine, Place(memory=GIB)) == ["iodepth=512"]


def test_memory_for_the_map_of_blocks_is_counted() -> None:
    options = {"rw": "randread", "bs": "4k"}
    place = Place(size=1 << 50, memory=8 * GIB)
    (finding,) = check_job(options, place)
    assert finding.quote == "norandommap"
    assert "32 GiB" in finding.fio
    assert check_job({**options, "norandommap": "1"}, place) == []
    assert check_job({**options, "random_generator": "lfsr"}, place) == []


def test_a_device_that_is_not_there() -> None:
    options = {"rw": "read", "bs": "4k"}
    assert quotes(options, Place((Path("/dev/nowhere"),))) == ["/dev/nowhere"]
    assert quotes(options, Place((Path("/tmp/made-before-it-runs"),))) == []


def test_a_block_larger_than_the_target() -> None:
    assert quotes({"rw": "read", "bs": "2m"}, Place(size=1 << 20)) == [f"bs={2 << 20}"]


@pytest.mark.parametrize(
    ("options", "quote"),
    [
        ({"rw": "randread", "rwmixread": "90"}, "rwmixread=90"),
        ({"rw": "randrw", "bs": "4k", "bssplit": "4k/100"}, "bs"),
        ({"rw": "write", "numjobs": "16"}, "numjobs=16"),
    ],
)
def test_options_that_do_not_do_what_they_say(
    options: dict[str, str], quote: str
) -> None:
    assert quotes(options) == [quote]


@pytest.mark.parametrize(
    ("rates", "share"),
    [("400", "50 %"), ("300,100", "75 %"), ("280,120", ""), ("1k", "50 %"), ("", "")],
)
def test_limits_of_reads_and_writes_keep_the_mix(rates: str, share: str) -> None:
    options = {"rw": "randrw", "bs": "4k", "rwmixread": "70"}
    options |= {"rate_iops": rates} if rates else {}
    found = check_job(options)
    assert [one.quote for one in found] == [f"rate_iops={rates}"] * bool(share)
    assert all(f"{share} are reads, and not 70 %" in one.fio for one in found)
    if rates == "400":
        assert "write 280,120" in found[0].made
    assert quotes({**options, "rw": "randread", "rwmixread": "70"}) == ["rwmixread=70"]
    assert quotes({"rw": "randrw", "rate_iops": "400"}) == []


def test_a_limit_of_one_direction_lets_the_other_go() -> None:
    options = {"rw": "randrw", "rwmixwrite": "30", "rate_iops": "400,"}
    (finding,) = check_job(options)
    assert "holds reads back and not writes" in finding.fio
    # So does fio on a target that keeps up.
    argv = ["fio", "--name=a", "--ioengine=null", "--size=1m", "--output-format=json"]
    argv += [f"--{key}={value}" for key, value in options.items()]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    (job,) = json.loads(done.stdout)["jobs"]
    assert job["write"]["iops"] > 10 * job["read"]["iops"]


def test_without_fio_the_rest_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("instruments.tools.command.SYSTEM_FOLDERS", ())
    assert (
        check_job({"rw": "read", "bs": "3000", "thinktime": "7"})[0].quote == "bs=3000"
    )


def test_the_machine_tells_its_memory_and_blocks() -> None:
    assert free_memory() > 1 << 20
    assert logical_block(Path("/dev/nowhere")) == 512
