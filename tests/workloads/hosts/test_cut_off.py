"""A load host whose network is cut: it ends there by itself, and is told here.

The host is a real SSH server in a network namespace of its own, reached by a pair of
virtual network interfaces, of which one is taken down in mid run.
"""

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from instruments import ssh_connection
from tests.sshd import sshd
from tests.workloads.hosts.rack import Rack, opens
from workloads.base import LoadOutcome, Workload
from workloads.hosts.each import FioEach
from workloads.hosts.servers import FioServers

NAME = f"bayhost{os.getpid()}"
OURS, THEIRS = f"bo{os.getpid()}", f"bt{os.getpid()}"
ADDRESS = "10.213.77.2"


def ip(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["ip", *words], check=False, capture_output=True, text=True, timeout=10
    )


@contextmanager
def namespace() -> Iterator[None]:
    if shutil.which("ip") is None or ip("netns", "add", NAME).returncode:
        pytest.skip("network namespaces cannot be made here")
    try:
        inside = ("-n", NAME)
        ip("link", "add", OURS, "type", "veth", "peer", "name", THEIRS)
        ip("link", "set", THEIRS, "netns", NAME)
        ip("addr", "add", "10.213.77.1/24", "dev", OURS)
        ip(*inside, "addr", "add", f"{ADDRESS}/24", "dev", THEIRS)
        ip("link", "set", OURS, "up")
        ip(*inside, "link", "set", "lo", "up")
        if ip(*inside, "link", "set", THEIRS, "up").returncode:
            pytest.skip("virtual network interfaces cannot be made here")
        yield
    finally:
        ip("link", "delete", OURS)
        ip("netns", "delete", NAME)


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Rack]:
    for name in ("load1", "load2"):
        (tmp_path / name / "sshd").mkdir(parents=True)
    enter = ("ip", "netns", "exec", NAME)
    with (
        namespace(),
        sshd(tmp_path / "load1" / "sshd") as near,
        sshd(tmp_path / "load2" / "sshd", ADDRESS, enter) as far,
    ):
        yield Rack(tmp_path, {"load1": near, "load2": far})


@pytest.mark.parametrize("way", [FioEach, FioServers])
def test_what_ran_there_ends_and_the_other_goes_on(
    two: Rack, way: type[FioEach] | type[FioServers], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_connection, "_KEEPALIVE_S", 1.0)
    scratch = two.folder / "load2" / "scratch.bin"
    seen: list[float] = []

    def cut() -> None:
        two.began.wait(20)
        deadline = time.monotonic() + 5
        while not opens(scratch) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert opens(scratch)
        ip("link", "set", OURS, "down")
        began = time.monotonic()
        while opens(scratch) and time.monotonic() < began + 20:
            time.sleep(0.05)
        seen.append(time.monotonic() - began)

    cutter = threading.Thread(target=cut)
    cutter.start()
    load: Workload = way(two.job(6), [two.place("load1"), two.place("load2")])
    result = two.run(load)
    cutter.join()
    # Three seconds without a sign of life, and not its six of runtime.
    assert seen[0] < 5
    assert result.outcome is LoadOutcome.FAILED
    assert "load2 was lost" in result.reason
    assert 0 < result.values["iops"].value < 460
    assert result.values["lost_after_s.load2"].value < 6
