"""Real round trips: to this machine, and to it over SSH."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BenchError
from instruments.host.clock import Clock, clock_offset
from instruments.ssh.host import SshHost
from instruments.tools.hosts import Host, LocalHost
from tests.sshd import Sshd, sshd

MS = 1_000_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd(tmp_path_factory.mktemp("sshd")) as found:
        yield found


@pytest.fixture(params=["here", "there"])
def host(request: pytest.FixtureRequest, server: Sshd) -> Host:
    there = SshHost("head", server.target)
    return there if request.param == "there" else LocalHost()


def test_the_same_clock_is_not_off(host: Host) -> None:
    offset, spread = clock_offset(host)
    assert abs(offset) <= spread
    assert 0 < spread < 100 * MS


def test_a_clock_that_is_ahead_is_brought_back(host: Host) -> None:
    ahead = 3_600_000 * MS
    offset, spread = clock_offset(host, now=lambda: time.monotonic_ns() - ahead)
    assert abs(offset + ahead) <= spread


def test_the_wall_clock_is_carried_over(host: Host) -> None:
    offset, spread = clock_offset(host, Clock.REALTIME)
    told = time.time_ns() + offset
    assert abs(told - time.monotonic_ns()) <= spread + 5 * MS


def test_perl_serves_where_python_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tool in ("sh", "perl", "setpriv"):
        found = next(
            path for path in map(Path, ("/bin", "/usr/bin")) if (path / tool).exists()
        )
        (tmp_path / tool).symlink_to(found / tool)
    monkeypatch.setenv("PATH", str(tmp_path))
    offset, spread = clock_offset(LocalHost())
    assert abs(offset) <= spread + 1000  # its numbers are floats
    (tmp_path / "perl").unlink()
    with pytest.raises(BenchError, match="neither python3 nor perl"):
        clock_offset(LocalHost())


def test_a_clock_that_was_set_meanwhile() -> None:
    steps = iter(range(0, 10**15, 10**12))
    offset, spread = clock_offset(
        LocalHost(), rounds=3, now=lambda: time.monotonic_ns() + next(steps)
    )
    assert spread >= 10**12 // 2 - 100 * MS
    assert offset > 0
