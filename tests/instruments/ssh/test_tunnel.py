"""A tunnel to servers of another machine, through a real sshd on loopback."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from instruments.errors import BenchError
from instruments.ssh.tunnel import tunnel
from tests.sshd import Sshd, sshd


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    (tmp_path / "sshd").mkdir()
    with sshd(tmp_path / "sshd") as found:
        yield found


@contextmanager
def listening(there: str | int) -> Iterator[socket.socket]:
    family = socket.AF_UNIX if isinstance(there, str) else socket.AF_INET
    with socket.socket(family) as found:
        found.bind(there if isinstance(there, str) else ("127.0.0.1", there))
        found.listen()
        yield found


def greeted(at: tuple[str, int], by: socket.socket) -> bytes:
    with socket.create_connection(at, 60) as ours:
        theirs, _ = by.accept()
        with theirs:
            theirs.sendall(b"hello\n")
            return ours.recv(100)


def test_it_leads_to_a_socket_or_a_port_there(server: Sshd, tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    with listening(path) as there, tunnel(server.target, path, "127.0.0.9") as at:
        assert at[0] == "127.0.0.9"
        assert greeted(at, there) == b"hello\n"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(at, 60)
    with (
        listening(0) as there,
        tunnel(server.target, there.getsockname()[1]) as at,
    ):
        assert greeted(at, there) == b"hello\n"


def test_a_machine_that_is_gone_is_a_sentence(server: Sshd) -> None:
    server.stop()
    with (
        pytest.raises(BenchError, match=r"127\.0\.0\.1:\d+: "),
        tunnel(server.target, 1),
    ):
        pass
