"""The VXI-11 server by its bytes: records, the port mapper, links, what it refuses."""

import socket
import struct
from collections.abc import Iterator
from contextlib import closing

import pytest

from instruments.errors import BenchError
from instruments.simulated.faults import Faults
from instruments.simulated.meters.vxi11 import (
    CORE,
    PORT_MAPPER,
    Reader,
    Vxi11Server,
    read_record,
    uints,
    write_record,
)

CREATE, WRITE, READ, STATUS, LOCK, DESTROY = 10, 11, 12, 13, 18, 23


def opaque(data: bytes) -> bytes:
    return uints(len(data)) + data + b"\0" * (-len(data) % 4)


class Client:
    """Calls procedures and gives what they answer, without the head."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), 2.0)
        self._stream = self._socket.makefile("rb")
        self._number = 0

    def call(self, program: int, procedure: int, arguments: bytes = b"") -> Reader:
        self._number += 1
        head = uints(self._number, 0, 2, program, 1, procedure, 0, 0, 0, 0)
        write_record(self._socket, head + arguments)
        answer = read_record(self._stream)
        assert answer is not None
        reply = Reader(answer)
        assert reply.uints(5) == (self._number, 1, 0, 0, 0)
        return reply

    def core(self, procedure: int, arguments: bytes = b"") -> Reader:
        reply = self.call(CORE, procedure, arguments)
        assert reply.uints(1) == (0,)
        return reply

    def send(self, content: bytes) -> None:
        self._socket.sendall(content)

    def heard_nothing(self) -> bool:
        return self._stream.read(1) == b""

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


@pytest.fixture
def server() -> Iterator[Vxi11Server]:
    def answer(line: str) -> str | None:
        return line.strip()[::-1] if line.rstrip().endswith("?") else None

    with closing(Vxi11Server(answer, Faults())) as running:
        yield running


@pytest.fixture
def client(server: Vxi11Server) -> Iterator[Client]:
    with closing(Client(server.number)) as made:
        yield made


def test_a_question_is_answered_in_as_many_pieces_as_asked_for(client: Client) -> None:
    reply = client.core(CREATE, uints(1, 0, 0) + opaque(b"inst0"))
    error, number, _, most = reply.uints(4)
    assert (error, most >= 1024) == (0, True)
    # END is set in the second part only.
    for part, flags in ((b"ab", 0), (b"c?", 8)):
        reply = client.core(WRITE, uints(number, 100, 0, flags) + opaque(part))
        assert reply.uints(2) == (0, 2)
    assert client.core(STATUS, uints(number, 0, 0, 0)).uints(2) == (0, 0x10)
    pieces = []
    for size, reason in ((3, 1), (100, 4)):
        reply = client.core(READ, uints(number, size, 100, 0, 0, 0))
        assert reply.uints(2) == (0, reason)
        pieces.append(reply.opaque())
    assert pieces == [b"?cb", b"a\n"]
    assert client.core(STATUS, uints(number, 0, 0, 0)).uints(2) == (0, 0)
    assert client.core(DESTROY, uints(number)).uints(1) == (0,)


def test_reading_without_an_answer_is_a_time_out(client: Client) -> None:
    client.core(CREATE, uints(1, 0, 0) + opaque(b"inst0"))
    assert client.core(READ, uints(1, 10, 20, 0, 0, 0)).uints(1) == (15,)


def test_what_there_is_not(client: Client) -> None:
    assert client.core(READ, uints(7, 10, 20, 0, 0, 0)).uints(1) == (4,)
    client.core(CREATE, uints(1, 0, 0) + opaque(b"inst0"))
    assert client.core(LOCK, uints(1, 0, 0)).uints(1) == (8,)
    assert client.call(99, 1).uints(1) == (1,)  # no such program


def test_the_port_mapper_knows_the_core_channel_only(
    server: Vxi11Server, client: Client
) -> None:
    for program, port in ((CORE, server.number), (CORE + 1, 0)):
        reply = client.call(PORT_MAPPER, 3, uints(program, 1, 6, 0))
        assert reply.uints(2) == (0, port)


def test_nonsense_ends_the_connection_and_no_other(server: Vxi11Server) -> None:
    for content in (
        struct.pack(">I", 0x8000_0004) + b"oops",
        struct.pack(">I", 0xFFFF_FFFF),
        struct.pack(">II", 0x8000_0010, 1),
    ):
        with closing(Client(server.number)) as bad:
            bad.send(content)
            bad._socket.shutdown(socket.SHUT_WR)
            assert bad.heard_nothing()
    with closing(Client(server.number)) as good:
        assert good.core(CREATE, uints(1, 0, 0) + opaque(b"inst0")).uints(1) == (0,)


def test_a_record_may_come_in_fragments(client: Client) -> None:
    call = uints(1, 0, 2, CORE, 1, CREATE, 0, 0, 0, 0, 1, 0, 0) + opaque(b"inst0")
    client.send(struct.pack(">I", 8) + call[:8])
    client.send(struct.pack(">I", 0x8000_0000 | len(call) - 8) + call[8:])
    reply = read_record(client._stream)
    assert reply is not None
    assert Reader(reply).uints(7)[:6] == (1, 1, 0, 0, 0, 0)


def test_a_port_that_is_taken(server: Vxi11Server) -> None:
    with pytest.raises(BenchError, match="cannot be opened"):
        Vxi11Server(lambda _: None, Faults(), server.number)
    with pytest.raises(BenchError, match="cannot be opened"):
        Vxi11Server(lambda _: None, Faults(), 0, server.number)
