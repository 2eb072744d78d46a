"""The load reader follows a real fio on a scratch file."""

import time
from pathlib import Path

import pytest

from instruments.host.diskstats import Transfers, device_beneath
from instruments.simulated.calibration import Calibration
from instruments.simulated.load import LoadReader, Rates
from instruments.tools import command

MIB = 1024 * 1024


def fio(path: Path, *options: str) -> list[str]:
    return [
        *("fio", "--name=load", f"--filename={path}", "--thread", "--ioengine=psync"),
        *("--size=64m", "--end_fsync=1", *options),
    ]


def follow(reader: LoadReader, argv: list[str]) -> Transfers:
    """Run a load; add up what the reader sees meanwhile."""
    reader.transfers()
    seen = Transfers()
    with command.start(argv) as running:
        while running.wait(0.05) is None:
            seen += reader.transfers()
        assert running.wait(0) == 0, running.stderr_text()
    time.sleep(0.1)
    return seen + reader.transfers()


def test_real_writes_are_seen_in_size_and_number(own_disk: Path) -> None:
    path = own_disk / "scratch"
    seen = follow(LoadReader(path), fio(path, "--rw=write", "--bs=1m"))
    # The file system writes, too, but not much.
    assert 60 * MIB <= seen.written_bytes <= 80 * MIB
    assert seen.writes >= 20
    assert seen.written_bytes / seen.writes > 32 * 1024


def test_real_random_reads_are_many_and_small(own_disk: Path) -> None:
    path = own_disk / "scratch"
    command.run(fio(path, "--rw=write", "--bs=1m"), 60)
    limit = ("--rw=randread", "--bs=4k", "--number_ios=2000", "--invalidate=1")
    seen = follow(LoadReader(path), fio(path, *limit))
    assert seen.reads >= 1900
    assert seen.read_bytes / seen.reads < 32 * 1024


def test_without_a_target_all_disks_and_every_fio_are_watched(tmp_path: Path) -> None:
    path = tmp_path / "scratch"
    reader = LoadReader(None)
    assert "every fio" in reader.watched
    seen = follow(reader, fio(path, "--rw=write", "--bs=1m", "--rate=64m"))
    assert seen.written_bytes >= 40 * MIB


@pytest.mark.serial
def test_a_real_load_becomes_a_fraction_and_goes_back_to_none(own_disk: Path) -> None:
    path = own_disk / "scratch"
    reader, calibration = LoadReader(path), Calibration()
    options = ("--rw=write", "--bs=1m", "--time_based", "--runtime=2s", "--fsync=4")
    highest = 0.0
    with command.start(fio(path, *options)) as running:
        while running.wait(0.1) is None:
            load = calibration.load(reader.rates(0.1), 0.1)
            highest = max(highest, load.sequential_write)
        assert running.wait(0) == 0, running.stderr_text()
    assert highest > 0.3
    last = highest
    for _ in range(30):
        time.sleep(0.02)
        last = calibration.load(reader.rates(0.1), 0.1).sequential_write
    assert last < 0.3 * highest


def test_rates_are_per_second(tmp_path: Path) -> None:
    device = device_beneath(tmp_path)
    if device is None:
        pytest.skip("the temporary folder lies on no device")
    major, minor = device
    stats = tmp_path / "diskstats"
    stats.write_text(f"{major} {minor} vdz 10 0 80 0 20 0 160 0 0 0 0\n")
    reader = LoadReader(tmp_path, proc=tmp_path)
    assert reader.watched == f"device {major}:{minor}"
    stats.write_text(f"{major} {minor} vdz 30 0 280 0 20 0 1160 0 0 0 0\n")
    assert reader.rates(2.0) == Rates(10.0, 0.0, 100 * 512, 500 * 512)
    assert reader.rates(2.0) == Rates()
    stats.unlink()
    assert reader.rates(2.0) == Rates()
