"""A disk held by a program on its host."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from instruments.tools.hosts import LocalHost
from tests.workloads.guard.loops import loop
from workloads.guard.arming import arm, check_armed
from workloads.guard.hold import RemoteHold
from workloads.guard.look import look
from workloads.guard.survey import survey

HOST = LocalHost()


def can_be_claimed(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_EXCL))
    except OSError:
        return False
    return True


def test_it_is_held_until_it_is_let_go(tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img") as device:
        found = look(HOST, device)
        armed = arm(device, found, found.disk.word)
        with RemoteHold(HOST, [armed]) as hold:
            hold.check()
            check_armed(armed, look(HOST, device, survey(HOST, hold.pid), held=True))
            assert not can_be_claimed(device)
            with pytest.raises(BadInput, match="Device or resource busy"):
                RemoteHold(HOST, [armed])
        assert can_be_claimed(device)
        with pytest.raises(BenchError, match="not held any more"):
            hold.check()
        other = replace(armed.identity, diskseq=armed.identity.diskseq + 1)
        with pytest.raises(BadInput, match="changed: device"):
            RemoteHold(HOST, [replace(armed, identity=other)])
