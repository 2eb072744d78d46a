"""What some tests need of the machine that a bare container lacks."""

import os
import threading
from pathlib import Path

import pytest

from tests.mounts import may_mount


def _has_pseudo_terminals() -> bool:
    try:
        ends = os.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


def _may_raise_priority() -> bool:
    found = []

    def ask() -> None:  # in a thread of its own, which alone is raised
        try:
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -1)
        except OSError:
            return
        found.append(True)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return bool(found)


pseudo_terminals = pytest.mark.skipif(
    not _has_pseudo_terminals(), reason="this machine has no /dev/pts for serial lines"
)
block_devices = pytest.mark.skipif(
    not Path("/sys/dev/block").is_dir(), reason="this machine shows no disks in /sys"
)
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be led so")
mounts = pytest.mark.skipif(not may_mount(), reason="nothing may be mounted here")
read_only_folders = pytest.mark.skipif(
    os.geteuid() == 0 and not may_mount(),
    reason="root writes everywhere, and may mount nothing here",
)
raised_priority = pytest.mark.skipif(
    not _may_raise_priority(), reason="priority may not be raised here"
)
