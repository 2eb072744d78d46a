"""What is written to disks, by the kernel's count."""

import contextlib
from pathlib import Path

from instruments.tools.hosts import LocalHost
from tests.workloads.guard.loops import loop, own_name
from tests.workloads.guard.traces import write
from workloads.guard.budget import WriteMeter
from workloads.guard.nodes import find_disk


def test_writes_are_counted_after_a_disk_has_gone(tmp_path: Path) -> None:
    with loop(tmp_path / "stays.img") as stays, contextlib.ExitStack() as soon:
        name = soon.enter_context(own_name())
        goes = soon.enter_context(loop(tmp_path / "goes.img", name=name))
        write(goes, 0, bytes(8 * 2**20))
        disks = [find_disk(LocalHost(), path) for path in (goes, stays)]
        meter = WriteMeter([disk.identity.number for disk in disks])
        write(stays, 0, bytes(2**20))
        assert meter.written() >= 2**20
        soon.close()
        write(stays, 2**21, bytes(2**20))
        assert meter.written() >= 2**20
