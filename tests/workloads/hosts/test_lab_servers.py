"""Servers of fio that the lab runs: real ones at one address, and one that differs."""

import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from instruments.errors import BenchError
from instruments.tools.hosts import LocalHost
from tests.workloads.hosts.documents import (
    check_logs,
    check_results,
    client_entries,
)
from tests.workloads.hosts.rack import SIZE, Rack, wait_for
from workloads.base import LoadOutcome
from workloads.hosts.place import Place
from workloads.hosts.servers import FioServers


@contextmanager
def lab_server(folder: Path) -> Iterator[int]:
    """Run a server in a folder; yields its port."""
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    with subprocess.Popen(
        ["fio", f"--server=ip:127.0.0.1,{port}"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        wait_for("127.0.0.1", port)
        try:
            yield port
        finally:
            process.kill()


def place(name: str, target: Path, port: int) -> Place:
    return Place(
        name, LocalHost(name), (str(target),), SIZE, address="127.0.0.1", port=port
    )


def test_two_servers_at_one_address_are_kept_apart(tmp_path: Path) -> None:
    rack = Rack(tmp_path, {})
    with ExitStack() as stack:
        ports = [
            stack.enter_context(lab_server(tmp_path / name)) for name in ("one", "two")
        ]
        places = [
            place("one", tmp_path / "first.bin", ports[0]),
            place("two", tmp_path / "second.bin", ports[1]),
        ]
        load = FioServers(rack.job(2, rate_iops="200"), places, start=False)
        result = rack.run(load)
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    one, two = (f"127.0.0.1:{port}" for port in ports)
    entries = client_entries(result, one=one, two=two)
    check_results(result, entries)
    check_logs(rack, entries)
    jobs = [a.content.decode() for a in result.artefacts if a.name == "one.fio"]
    assert f"filename={tmp_path}/first.bin\n" in jobs[0]


def crc16(data: bytes) -> int:
    """Compute the checksum of fio's messages (crc/crc16.c: polynomial 0xA001)."""
    found = 0
    for byte in data:
        found ^= byte
        for _ in range(8):
            found = (found >> 1) ^ 0xA001 if found & 1 else found >> 1
    return found


@contextmanager
def other_release() -> Iterator[int]:
    """Stand in for a server of another release: its messages have another number."""
    header = struct.pack("<HHIQI", 101, 11, 0, 0, 0)
    answer = header + struct.pack("<HH", crc16(header), crc16(b""))
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()

        def serve() -> None:
            client, _ = server.accept()
            # fio hangs up as soon as it sees the number, with much unread.
            with client, suppress(ConnectionError):
                client.recv(65_536)
                client.sendall(answer)
                while client.recv(65_536):
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def test_a_server_of_another_release_is_said_before_the_start(tmp_path: Path) -> None:
    rack = Rack(tmp_path, {})
    with other_release() as port:
        load = FioServers(
            rack.job(1), [place("one", tmp_path / "x.bin", port)], start=False
        )
        with pytest.raises(BenchError, match="version mismatch") as caught:
            rack.run(load)
    assert "101 != " in str(caught.value)
    assert "of the very release of fio-" in str(caught.value)
    assert not rack.readings


def test_a_server_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    rack = Rack(tmp_path, {})
    load = FioServers(rack.job(1), [place("one", tmp_path / "x.bin", 1)], start=False)
    with pytest.raises(BenchError, match=r"cannot be used .*Connection refused"):
        rack.run(load)
