import socket
import time
from collections.abc import Iterator

import pytest

from instruments.link.transport import GuardedSocket


@pytest.fixture
def ends() -> Iterator[tuple[GuardedSocket, socket.socket]]:
    ours, peer = socket.socketpair()
    guarded = GuardedSocket(ours, 0.01)
    yield guarded, peer
    guarded.close()
    peer.close()


def test_what_came_while_this_machine_stood_still_is_taken(
    ends: tuple[GuardedSocket, socket.socket],
) -> None:
    guarded, peer = ends
    for _ in range(2):
        guarded.sendall(b"*IDN?\n")
        peer.sendall(b"1\n")
        time.sleep(0.02)
        assert guarded.recv(100) == b"1\n"


def test_nothing_is_waited_for_after_it(
    ends: tuple[GuardedSocket, socket.socket],
) -> None:
    guarded, peer = ends
    guarded.send(b"*IDN?\n")
    peer.sendall(b"11")
    time.sleep(0.02)
    assert guarded.recv(1) == b"1"
    with pytest.raises(TimeoutError):
        guarded.recv(1)
