"""The guard around a running fio: what it has open, and what becomes of it."""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from instruments.tools.hosts import LocalHost
from tests.workloads.guard.loops import SIZE, loop, tool
from workloads.base import LoadOutcome, LoadResult
from workloads.fio.load import Fio
from workloads.fio_job import FioJob
from workloads.guard.arming import arm
from workloads.guard.budget import Budget
from workloads.guard.device import Device, is_device, open_device
from workloads.guard.disk_guard import DiskGuard
from workloads.guard.look import look
from workloads.guard.nodes import find_disk
from workloads.guard.open_files import Allowed, stray_file

HOST = LocalHost()


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop(tmp_path / "disk.img") as path:
        yield path


def armed(device: str) -> Device:
    found = look(HOST, device)
    word = found.disk.word
    return Device(Path(device), found.disk, 0, arm(device, found, word))


def run(target: Device, path: str, rw: str, seconds: float = 1.0) -> LoadResult:
    """Run fio on a path behind the guard of a target, which may be another one."""
    job = FioJob("w", (Path(path),), 0, seconds, 0, True, {"rw": rw, "bs": "64k"})
    said: list[str] = []
    fio = Fio(job, guard=DiskGuard([target]))
    return fio.run(lambda _: None, lambda _, text: said.append(text), threading.Event())


def test_fio_opens_what_was_checked_whatever_its_name_leads_to(
    device: str, tmp_path: Path
) -> None:
    with loop(tmp_path / "other.img") as other:
        assert run(armed(device), other, "write", 0.5).outcome is LoadOutcome.DONE
    assert any((tmp_path / "disk.img").read_bytes())
    assert not any((tmp_path / "other.img").read_bytes())


def test_a_load_that_opened_another_disk_is_found(device: str, tmp_path: Path) -> None:
    with loop(tmp_path / "other.img") as other:
        for destroys, script in (
            (False, f"exec 3<{other};"),
            (True, f"exec 3<>{other};"),
        ):
            guard = DiskGuard([armed(device)])
            with guard.hold(lambda *_: None, destroys=destroys), another(script) as pid:
                trouble = guard.check(pid, str(tmp_path), destroys=destroys)
                assert f"it has {other} open" in trouble


def test_the_armed_disk_goes_through(device: str, tmp_path: Path) -> None:
    assert run(armed(device), device, "write").outcome is LoadOutcome.DONE
    assert any((tmp_path / "disk.img").read_bytes())


def test_a_disk_that_only_is_read_needs_no_arming_and_is_not_held(device: str) -> None:
    target = open_device(Path(device), 0, writes=False)
    assert target.armed is None
    assert run(target, device, "randread").outcome is LoadOutcome.DONE
    with pytest.raises(BadInput, match="it is not armed"):
        run(target, device, "randwrite")


def test_a_disk_that_changed_is_not_even_read(device: str, tmp_path: Path) -> None:
    target = open_device(Path(device), 0, writes=False)
    os.truncate(tmp_path / "disk.img", 2 * SIZE)
    tool("losetup", "--set-capacity", device)
    with pytest.raises(BadInput, match="not the disk that the run began with"):
        run(target, device, "randread")


@contextmanager
def another(script: str) -> Iterator[int]:
    """Run a process that has nothing open but what the script opens; give its id."""
    with subprocess.Popen(
        ["sh", "-c", f"{script} echo ready; read stop"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        yield other.pid
        other.communicate(b"\n", timeout=60)


def test_a_disk_that_goes_while_fio_runs_ends_it(device: str, tmp_path: Path) -> None:
    target = armed(device)
    guard = DiskGuard([target])
    with guard.hold(lambda *_: None, destroys=True), another("") as pid:
        assert guard.check(pid, str(tmp_path), destroys=True) == ""
        os.truncate(tmp_path / "disk.img", 2 * SIZE)
        tool("losetup", "--set-capacity", device)
        trouble = guard.check(pid, str(tmp_path), destroys=True)
        assert "not the disk that was armed any more" in trouble


def test_the_only_disk_that_vanishes_ends_the_load(device: str, tmp_path: Path) -> None:
    link = tmp_path / "slot"
    link.symlink_to(device)
    guard = DiskGuard([armed(str(link))])
    with guard.hold(lambda *_: None, destroys=True), another("") as pid:
        link.unlink()
        trouble = guard.check(pid, str(tmp_path), destroys=True)
        assert "not the disk that was armed any more" in trouble


@pytest.mark.parametrize("open_it", ["3<>", "3>"])
def test_files_that_a_load_must_not_write_are_found(
    tmp_path: Path, open_it: str
) -> None:
    own, folder, stray = tmp_path / "own", tmp_path / "folder", tmp_path / "stray"
    folder.mkdir()
    for path, allowed in ((own, True), (folder / "log", True), (stray, False)):
        path.touch()
        with another(f"exec {open_it}{path};") as pid:
            status = own.stat()
            limits = Allowed(
                folder=str(folder), files=((status.st_dev, status.st_ino),)
            )
            found = stray_file(pid, limits)
        assert (found == "") == allowed, found
        assert allowed or f"it has {path} open for writing" in found
    assert stray_file(2**22 + 1, Allowed()) == ""


def test_a_disk_that_was_to_be_read_only_is_not_open_for_writing(device: str) -> None:
    number = find_disk(HOST, device).identity.number
    with another(f"exec 3<>{device};") as pid:
        assert "was to read only" in stray_file(pid, Allowed((number,)))
        assert stray_file(pid, Allowed((number,), writes=True)) == ""
        assert "not the disk of the bench" in stray_file(pid, Allowed(("7:99",)))


def test_what_is_below_dev_is_a_device(tmp_path: Path) -> None:
    assert is_device(Path("/dev/disk/by-id/no-such"))
    assert not is_device(Path("/dev/shm/scratch"))
    assert not is_device(tmp_path / "scratch")
    (tmp_path / "link").symlink_to("/dev/null")
    assert is_device(tmp_path / "link")


def test_a_budget_counts_what_was_written() -> None:
    budget = Budget(1000)
    budget.check()
    budget.count(999)
    assert budget.trouble() == ""
    budget.count(1)
    with pytest.raises(BenchError, match="write budget of 1000 B is used up"):
        budget.check()
    assert Budget().trouble() == ""
