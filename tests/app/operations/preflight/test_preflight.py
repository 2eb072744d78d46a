"""The pre-flight on the simulated bench, on files, and on machines below a folder."""

import dataclasses
import json
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.bench.guard import Guard
from app.cli.main import run
from app.operations.preflight.finding import Finding, Help, Level
from app.operations.preflight.machine import check_machine
from app.operations.preflight.preflight import check_end, check_fio_jobs, preflight
from app.operations.preflight.target import (
    check_arming,
    check_caches,
    check_foreign,
    check_space,
)
from instruments.simulated.process import SimulatorProcess
from tests.app.operations.benches import BENCH, CAMPAIGN, bench, bench_at, campaign
from tests.instruments.thermal.rooted import RootedHost, path_with, tool
from tests.workloads.guard.loops import SIZE, loop
from tests.workloads.guard.loops import tool as loop_tool

HOT = """
[[interlock]]
name = "Drives too hot"
channels = ["*.temperature.slot*"]
above = 60
"""
GONE = """
[[step]]
label = "Export"
engine = "command"
teardown = true
[step.command]
run = "no-such-program --all"
"""
LOST = """
[[interlock]]
name = "Second meter lost"
lost = ["mains2"]
"""

SWEEP = """[step.sweep]
bs = ["4k", "8k"]
[[step]]
label = "Cool"""


def of(found: list[Finding], topic: str) -> list[Finding]:
    return [one for one in found if one.topic == topic]


@pytest.fixture(scope="module")
def simulator() -> Iterator[SimulatorProcess]:
    with SimulatorProcess(speedup=50) as running:
        yield running


def test_a_good_bench_has_nothing_that_stops(
    tmp_path: Path, simulator: SimulatorProcess
) -> None:
    plan = campaign(CAMPAIGN + HOT + "\n[ranging]\nseconds = 2\n")
    found = preflight(plan, bench_at(simulator, tmp_path), tmp_path)
    assert not [one for one in found if one.level is Level.STOP]
    [sources] = of(found, "Sources")
    assert sources.text == "3 of 3 answer"
    assert of(found, "Interlocks")[0].text == "1 watch the run"
    assert of(found, "Ranges")[0].level is Level.OK
    assert "at the inlet" in of(found, "Room")[0].text
    [noise] = of(found, "Noise background")
    assert (noise.level, noise.help, noise.detail) == (Level.WARN, Help.BENCH, "noise")
    assert of(found, "Plan")[0].text == "3 steps, all programs found"


def test_what_is_missing_stops_and_comes_first(tmp_path: Path) -> None:
    plan = campaign(CAMPAIGN + GONE + LOST)
    dead = bench(tmp_path, "TCPIP::127.0.0.1::1::SOCKET")
    found = preflight(plan, dead, tmp_path)
    first, second = found[:2]
    assert (first.level, second.level) == (Level.STOP, Level.STOP)
    [program] = of(found, "Plan")
    assert "no-such-program" in program.text
    [lost] = [one for one in of(found, "Sources") if one.level is Level.STOP]
    assert "127.0.0.1" in lost.text
    assert (lost.help, lost.detail) == (Help.BENCH, "mains")
    [watch] = of(found, "Interlocks")
    assert "Second meter lost watches mains2, which is not there" in watch.text


def test_the_command_says_it_and_has_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = BENCH.format(target=tmp_path / "scratch.dat", meter="simulated")
    (tmp_path / "bench.toml").write_text(text)
    (tmp_path / "plan.toml").write_text(CAMPAIGN + LOST)
    words = ["preflight", str(tmp_path / "plan.toml"), "--out", str(tmp_path)]
    words += ["--bench", str(tmp_path / "bench.toml")]
    assert run([*words, "--json"]) == 3
    shown = json.loads(capsys.readouterr().out)
    told = shown["findings"]
    assert told[0]["level"] == "stop"
    assert told[0]["topic"] == "Interlocks"
    assert [one["name"] for one in shown["estimate"]][:2] == ["Duration", "Written"]


def test_the_end_is_told_with_its_day() -> None:
    late = datetime(2026, 11, 20, 23, 59, 58, tzinfo=UTC)
    [end] = check_end(campaign(), late)
    assert end.text == "about 00:00 on Saturday, 21 November, in 0:06"


def test_a_session_has_to_fit(tmp_path: Path) -> None:
    [space] = check_space(tmp_path / "not" / "yet", campaign())
    assert space.level is Level.OK
    long = campaign(CAMPAIGN.replace('runtime = "1s"', 'runtime = "360d"', 1))
    repeated = campaign(
        CAMPAIGN.replace('runtime = "1s"', 'runtime = "360d"\nrepeat = 1000', 1)
    )
    assert check_space(tmp_path, long)[0].level in (Level.OK, Level.STOP)
    assert check_space(tmp_path, repeated)[0].level is Level.STOP


def test_a_small_buffered_file_may_be_answered_from_memory(tmp_path: Path) -> None:
    direct = campaign()
    buffered = campaign(CAMPAIGN.replace('bs = "4k"', 'bs = "4k"\ndirect = 0'))
    assert check_caches(bench(tmp_path), direct)[0].level is Level.OK
    [line] = check_caches(bench(tmp_path), buffered)
    assert line.level is Level.WARN
    assert line.text.startswith("32 MiB of data")


def test_what_arms_a_disk_is_told_before_the_run_asks(tmp_path: Path) -> None:
    assert check_arming(bench(tmp_path), campaign()) == [], "a file needs none"
    with loop(tmp_path / "disk.img") as path:
        disk = dataclasses.replace(bench(tmp_path).dut, targets=(Path(path),), size=0)
        on_disk = dataclasses.replace(bench(tmp_path), dut=disk)
        writing = campaign(CAMPAIGN.replace("randread", "randwrite"))
        [line] = check_arming(on_disk, writing)
        assert (line.level, str(SIZE) in line.text) == (Level.OK, True)
        assert check_arming(on_disk, campaign()) == [], "it only reads"
        loop_tool("mkfs.ext4", "-q", path)
        assert "ext4" in check_arming(on_disk, writing)[0].text
        other = dataclasses.replace(on_disk, guard=Guard(allow=("Z1X2",)))
        assert check_arming(other, writing)[0].level is Level.STOP


def test_somebody_else_on_the_disk_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.operations.preflight.target.LOOK_S", 0.5)
    done = threading.Event()

    def write() -> None:
        with (tmp_path / "other.dat").open("wb", buffering=0) as file:
            while not done.is_set():
                file.write(bytes(2**20))
                os.fdatasync(file.fileno())
                if file.tell() > 2**28:
                    file.seek(0)

    other = threading.Thread(target=write)
    other.start()
    try:
        [line] = check_foreign(bench(tmp_path), threading.Event())
    finally:
        done.set()
        other.join()
    assert line.level is Level.WARN
    assert "Other processes are doing" in line.text


def test_a_machine_is_told_of_with_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", path_with(tmp_path / "bin"))
    tool(tmp_path / "bin", "timedatectl", "echo no\n")
    tool(tmp_path / "bin", "zpool", 'echo "scan: resilver in progress since Sat"\n')
    host = RootedHost(tmp_path)
    cpu = "/sys/devices/system/cpu"
    host.write(f"{cpu}/cpu0/cpufreq/scaling_governor", "powersave\n")
    host.write(f"{cpu}/cpu1/cpufreq/scaling_governor", "performance\n")
    host.write(
        "/proc/mdstat",
        "Personalities : [raid6]\nmd0 : active raid6\n"
        "  [=>...]  resync = 12.6% (37043392/292945152) finish=127.5min\n",
    )
    found = check_machine(host)
    [governor] = of(found, "CPU governor")
    assert governor.text.startswith("performance, powersave on this machine")
    assert governor.detail == "cpupower frequency-set -g performance"
    assert of(found, "Clock")[0].level is Level.WARN
    busy = [one.text for one in of(found, "Background activity")]
    assert busy == [
        "an md array of this machine has background activity: resync = 12.6%",
        "a ZFS pool of this machine has background activity: resilver in progress",
    ]


def test_fio_jobs_are_told_once_whichever_rows_have_it(tmp_path: Path) -> None:
    idle = campaign(
        'name = "a"\n[[step]]\nlabel = "b"\nengine = "idle"\nruntime = "1s"'
    )
    assert check_fio_jobs(idle, bench(tmp_path)) == []
    [good] = check_fio_jobs(campaign(CAMPAIGN), bench(tmp_path))
    assert (good.level, good.text) == (Level.OK, "1 step, fio takes every job")
    deep = CAMPAIGN.replace("iodepth = 4", 'ioengine = "psync"\niodepth = 4')
    swept = deep.replace('bs = "4k"\n', "").replace('[[step]]\nlabel = "Cool', SWEEP)
    [told] = check_fio_jobs(campaign(swept), bench(tmp_path))
    assert (told.level, told.help) == (Level.STOP, Help.CAMPAIGN)
    assert told.text.startswith("Random read 4k 4k and 1 more: iodepth=4: psync waits")
