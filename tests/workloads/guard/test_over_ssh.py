"""Another machine's disk: seen and held over SSH as one of this machine is."""

import time
from pathlib import Path

import pytest

from instruments.errors import BadInput
from instruments.ssh.host import SshHost
from instruments.tools.hosts import LocalHost
from tests.sshd import sshd
from tests.workloads.guard.loops import loop, tool
from workloads.guard.arming import arm, check_armed
from workloads.guard.hold import RemoteHold
from workloads.guard.look import look
from workloads.guard.survey import survey


def test_a_disk_is_judged_and_held_there(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    with sshd(tmp_path / "server") as server, loop(tmp_path / "disk.img") as device:
        tool("mkfs.ext4", "-q", device)
        host = SshHost("head", server.target)
        try:
            found = look(host, device)
            assert found == look(LocalHost(), device)
            with pytest.raises(BadInput, match="there is ext4"):
                arm(device, found, found.disk.word)
            armed = arm(device, found, found.disk.word, ["ext4"])
            with RemoteHold(host, [armed]) as hold:
                hold.check()
                assert look(host, device).busy
                seen = survey(host, hold.pid)
                check_armed(armed, look(host, device, seen, held=True))
            deadline = time.monotonic() + 60
            while look(host, device).busy and time.monotonic() < deadline:
                pass  # the program there ends in its own time
            assert not look(host, device).busy
        finally:
            host.close()
