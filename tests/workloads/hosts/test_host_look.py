"""Servers that are looked at: beside each other, and never left without a guard."""

import threading
from collections.abc import Callable

import pytest

from instruments.errors import BenchError
from instruments.host.clock import Clock
from instruments.tools.hosts import LocalHost
from workloads.hosts.place import Place
from workloads.hosts.server import FioServer
from workloads.hosts.servers import HostLook
from workloads.hosts.site import Site


class OwnSite(Site):
    """A host of which a test says what is seen there."""

    def __init__(self, name: str, see: Callable[[], str]) -> None:
        super().__init__(Place(name, LocalHost(), ("x",), 1), Clock.MONOTONIC)
        self._see = see

    def check(self, pid: int, *, destroys: bool) -> str:
        assert (pid, destroys) == (7, True)
        return self._see()


class OwnServer(FioServer):
    """A server that only tells that it was ended."""

    def __init__(self, name: str, see: Callable[[], str]) -> None:
        self.site = OwnSite(name, see)
        self.ended = threading.Event()

    @property
    def pid(self) -> int:
        return 7

    def close(self) -> None:
        self.ended.set()


def test_a_host_that_hangs_delays_no_other() -> None:
    hangs, goes_on = threading.Event(), threading.Event()

    def hang() -> str:
        hangs.set()
        goes_on.wait(60)
        return ""

    def see() -> str:
        assert hangs.wait(60)
        return "it has /dev/sda open"

    servers = [OwnServer("load1", hang), OwnServer("load2", see)]
    look = HostLook(servers, destroys=True)
    try:
        assert servers[1].ended.wait(60)
        assert look.trouble == "load2: it has /dev/sda open"
        assert not servers[0].ended.is_set()
    finally:
        goes_on.set()
        look.close()


@pytest.mark.parametrize("error", [ValueError("odd"), BenchError("gone", where="a")])
def test_only_a_host_that_does_not_answer_may_go_on_unseen(error: Exception) -> None:
    looks = threading.Semaphore(0)

    def see() -> str:
        looks.release()
        raise error

    server = OwnServer("load1", see)
    look = HostLook([server], destroys=True)
    if isinstance(error, BenchError):
        assert all(looks.acquire(timeout=60) for _ in range(2))
        assert look.trouble == ""
    else:
        assert server.ended.wait(60)
        assert "load1: what it has open cannot be looked at" in look.trouble
        assert "odd" in look.trouble
    look.close()
