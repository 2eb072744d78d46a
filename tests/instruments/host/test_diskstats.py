"""The kernel's counts, of real devices and of files that look like them."""

import os
import time
from pathlib import Path

import pytest

from instruments.host.diskstats import (
    Transfers,
    device_beneath,
    disk_transfers,
    process_transfers,
    whole_disks,
)
from instruments.tools import command

LINES = """\
   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0
 254       0 vda 130518 13672 15347314 82445 118029 41679 14217008 49264 0 31168 1
 259       1 nvme0n1p1 5 0 40 1 6 0 48 1 0 2 2 0 0 0 0 0 0
"""


def test_sectors_are_512_bytes_and_fields_the_right_ones(tmp_path: Path) -> None:
    (tmp_path / "diskstats").write_text(LINES)
    found = disk_transfers(tmp_path)
    assert set(found) == {(7, 0), (254, 0), (259, 1)}
    assert found[259, 1] == Transfers(5, 6, 40 * 512, 48 * 512)
    assert found[254, 0].reads == 130_518
    assert found[254, 0].written_bytes == 14_217_008 * 512


def test_a_kernel_that_shows_none_is_no_error(tmp_path: Path) -> None:
    assert disk_transfers(tmp_path) == {}
    assert process_transfers("fio", tmp_path / "nowhere") == {}
    assert whole_disks(tmp_path) == frozenset()


def test_a_process_may_be_called_by_any_bytes(tmp_path: Path) -> None:
    for process, name in (("1", b"\xff\xfe"), ("2", b"fio")):
        (tmp_path / process).mkdir()
        (tmp_path / process / "comm").write_bytes(name + b"\n")
    counts = "rchar: 3\nwchar: 4\nsyscr: 1\nsyscw: 2\n"
    (tmp_path / "2" / "io").write_text(counts)
    assert process_transfers("fio", tmp_path) == {2: Transfers(1, 2, 3, 4)}


def test_differences_never_go_back() -> None:
    before, after = Transfers(10, 10, 4096, 4096), Transfers(12, 3, 8192, 0)
    assert after.since(before) == Transfers(2, 0, 4096, 0)
    assert before + after == Transfers(22, 13, 12_288, 4096)
    assert before.at_least(after) == Transfers(12, 10, 8192, 4096)


def test_whole_disks_leave_out_what_lies_on_others(tmp_path: Path) -> None:
    numbers = {"sda": "8:0", "nvme0n1": "259:0", "dm-0": "253:0", "loop3": "7:3"}
    for name, number in numbers.items():
        folder = tmp_path / "block" / name
        folder.mkdir(parents=True)
        (folder / "dev").write_text(number + "\n")
    assert whole_disks(tmp_path) == {(8, 0), (259, 0)}


def test_a_file_lies_on_the_device_of_its_nearest_folder(tmp_path: Path) -> None:
    missing = tmp_path / "not" / "there" / "yet.dat"
    device = device_beneath(missing)
    assert device == device_beneath(tmp_path)
    number = tmp_path.stat().st_dev
    if os.major(number):
        assert device == (os.major(number), os.minor(number))
        assert device in disk_transfers()


def test_a_file_system_without_a_device() -> None:
    assert device_beneath(Path("/proc")) is None


def test_a_block_device_is_itself() -> None:
    disks = [path for path in Path("/dev").iterdir() if path.is_block_device()]
    if not disks:
        pytest.skip("this machine shows no block device")
    number = disks[0].stat().st_rdev
    assert device_beneath(disks[0]) == (os.major(number), os.minor(number))


def test_what_a_process_writes_is_counted() -> None:
    count = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1000", "count=1000000000"]
    with command.start(count) as running:
        deadline = time.monotonic() + 60
        found = process_transfers("dd")
        while running.pid not in found or found[running.pid].writes < 2:
            assert time.monotonic() < deadline
            found = process_transfers("dd")
    assert found[running.pid].written_bytes > 1000
    assert found[running.pid].writes > 1
