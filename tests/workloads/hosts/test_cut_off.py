"""A load host whose network is cut: it ends there by itself, and is told here.

The host is a real SSH server in a network namespace of its own, reached by a pair of
virtual network interfaces, of which one is taken down in mid run.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from instruments.ssh import connection as ssh_connection
from tests.sshd import sshd
from tests.workloads.hosts.documents import (
    check_results,
    client_entries,
    last_entries,
)
from tests.workloads.hosts.rack import Rack, in_memory, opens
from workloads.base import LoadOutcome, LoadResult, Workload
from workloads.hosts.each import FioEach
from workloads.hosts.servers import FioServers

NAME = f"bayhost{os.getpid()}"
OURS, THEIRS = f"bo{os.getpid()}", f"bt{os.getpid()}"
NET = f"10.{128 + os.getpid() // 256 % 128}.{os.getpid() % 256}"
ADDRESS = f"{NET}.2"
_RUNTIME_S = 600.0
"""Much longer than any wait here: no load ends because its time is over."""


def ip(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["ip", *words], check=False, capture_output=True, text=True, timeout=60
    )


@contextmanager
def namespace() -> Iterator[None]:
    if shutil.which("ip") is None or ip("netns", "add", NAME).returncode:
        pytest.skip("network namespaces cannot be made here")
    try:
        inside = ("-n", NAME)
        ip("link", "add", OURS, "type", "veth", "peer", "name", THEIRS)
        ip("link", "set", THEIRS, "netns", NAME)
        ip("addr", "add", f"{NET}.1/24", "dev", OURS)
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
def both(tmp_path: Path) -> Iterator[tuple[Rack, Rack]]:
    """Two hosts, of which the second is cut off, with files for two loads on them."""
    for name in ("load1", "load2"):
        (tmp_path / name / "sshd").mkdir(parents=True)
    enter = ("ip", "netns", "exec", NAME)
    with (
        namespace(),
        sshd(tmp_path / "load1" / "sshd") as near,
        sshd(tmp_path / "load2" / "sshd", ADDRESS, enter) as far,
        in_memory(tmp_path) as files,
    ):
        servers = {"load1": near, "load2": far}
        for way in ("each", "servers"):
            (files / way).mkdir()
        racks = [Rack(tmp_path, servers, files / way) for way in ("each", "servers")]
        for rack in racks:
            rack.life_s["load2"] = 3.0
        yield racks[0], racks[1]


def test_what_ran_there_ends_and_the_other_goes_on(
    both: tuple[Rack, Rack], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two loads at a time, one in each way, since each has to wait for its end."""
    monkeypatch.setattr(ssh_connection, "_KEEPALIVE_S", 1.0)
    there = [rack.scratch("load2") for rack in both]
    ended: set[Path] = set()

    def wait_until(holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 90
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def have_ended() -> bool:
        ended.update(path for path in there if not opens(path))
        return len(ended) == len(there)

    def are_told() -> bool:
        return all(any("load2 is lost" in one for _, one in r.said) for r in both)

    def cut() -> None:
        try:
            wait_until(lambda: all(map(opens, there)))
            assert both[0].began.wait(60)
            ip("link", "set", OURS, "down")
            wait_until(have_ended)
            wait_until(are_told)
            # Nothing but a stop would end those that can still be reached.
            assert all(opens(rack.scratch("load1")) for rack in both)
        finally:
            for rack in both:
                rack.stop.set()

    def drive(rack: Rack, way: type[FioEach] | type[FioServers]) -> LoadResult:
        places = [rack.place("load1"), rack.place("load2")]
        load: Workload = way(rack.job(_RUNTIME_S), places)
        return rack.run(load)

    with ThreadPoolExecutor() as pool:
        cutting = pool.submit(cut)
        each, servers = pool.map(drive, both, (FioEach, FioServers))
        cutting.result()
    for result in (each, servers):
        assert result.outcome is LoadOutcome.STOPPED
        assert "load2 was lost" in result.reason
        assert "iops.load2" not in result.values
        assert result.window is not None
        assert result.values["lost_after_s.load2"].value > 0
    check_results(each, last_entries(each, "load1"))
    check_results(servers, client_entries(servers, load1="127.83.0.1"))
