"""A meter's VXI-11 way in: the core channel over ONC RPC, and a port mapper.

Source: VXI-11 (VXIbus Consortium, 1995), RFC 5531 (RPC), RFC 1833 (port mapper).
Locks, aborts, triggers and service requests are not simulated.
"""

import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import BinaryIO

from instruments.simulated.faults import Faults, HangUp, Port
from instruments.simulated.listener import Answer, Listener

# Record marking of RPC: the top bit marks the last fragment (RFC 5531).
_LAST = 0x8000_0000
_LONGEST = 1 << 20


class Reader:
    """Takes values from the front of a message; raises struct.error at its end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def uints(self, count: int) -> tuple[int, ...]:
        """Take unsigned integers of 32 bits."""
        values = struct.unpack_from(f">{count}I", self._data, self._at)
        self._at += 4 * count
        return values

    def opaque(self) -> bytes:
        """Take bytes that are led by their count and filled up to a word."""
        (size,) = self.uints(1)
        data = self._data[self._at : self._at + size]
        if len(data) < size:
            raise struct.error("the message ends in the middle of its bytes")
        self._at += size + -size % 4
        return data


def uints(*values: int) -> bytes:
    """Write unsigned integers of 32 bits."""
    return struct.pack(f">{len(values)}I", *values)


def read_record(stream: BinaryIO) -> bytes | None:
    """Read one record of RPC over TCP; None at the end of the stream."""
    record = b""
    while True:
        head = stream.read(4)
        if len(head) < 4:
            return None
        (mark,) = struct.unpack(">I", head)
        size = mark & ~_LAST
        if len(record) + size > _LONGEST:
            return None
        fragment = stream.read(size)
        if len(fragment) < size:
            return None
        record += fragment
        if mark & _LAST:
            return record


def write_record(connection: socket.socket, record: bytes) -> None:
    """Send one record in one fragment."""
    connection.sendall(struct.pack(">I", _LAST | len(record)) + record)


# Program numbers: of the VXI-11 core channel, and of the port mapper (RFC 1833).
CORE = 0x0607AF
PORT_MAPPER = 100000
# Bytes that the device takes in one write (maxRecvSize).
LARGEST = 65_536
_SLOW_S = 0.7


class _Core(IntEnum):
    CREATE_LINK = 10
    WRITE = 11
    READ = 12
    READ_STATUS = 13
    CLEAR = 15
    REMOTE = 16
    LOCAL = 17
    DESTROY_LINK = 23


class _Failed(IntEnum):
    NOTHING = 0
    INVALID_LINK = 4
    NOT_SUPPORTED = 8
    TIMEOUT = 15


# PMAPPROC_GETPORT; then a flag of device_write, and two reasons of device_read.
_GET_PORT = 3
_END_OF_WRITE = 8
_END_OF_READ = 4
_COUNT_REACHED = 1


@dataclass
class _Link:
    """What one client has sent so far, and what waits for it."""

    heard: bytes = b""
    waiting: bytes = b""


@dataclass
class _Client:
    links: dict[int, _Link] = field(default_factory=dict)


class _RpcPort(Listener):
    """Answers calls of RPC, each client with its own links."""

    def __init__(
        self, number: int, faults: Faults, reply: Callable[[_Client, Reader], bytes]
    ) -> None:
        self._reply = reply
        super().__init__(Port.METER, number, faults)

    def converse(self, connection: socket.socket) -> None:
        client = _Client()
        with connection.makefile("rb") as stream:
            while (call := read_record(stream)) is not None:
                write_record(connection, self._reply(client, Reader(call)))


class Vxi11Server:
    """Serves one meter; the lines are those of its socket.

    Args:
        answer: Gives the answer to a line, None for no answer.
        faults: What goes wrong at the meter: silence, drop, garbage and slow.
        number: TCP port of the core channel; 0 takes a free one.
        mapper: TCP port of the port mapper, which has to be 111 for most clients;
            None is without one.

    Raises:
        BenchError: A port is taken, or not ours to take.
    """

    kind = "vxi11"

    def __init__(
        self, answer: Answer, faults: Faults, number: int = 0, mapper: int | None = None
    ) -> None:
        self._answer = answer
        self._faults = faults
        self._closing = threading.Event()
        self._ports = [_RpcPort(number, faults, self._reply)]
        self.number: int = self._ports[0].number
        try:
            if mapper is not None:
                self._ports.append(_RpcPort(mapper, faults, self._reply))
        except BaseException:
            self.close()
            raise

    @property
    def resource(self) -> str:
        """VISA resource string; the port after a comma is how pyvisa-py takes it."""
        return f"TCPIP::127.0.0.1,{self.number}::INSTR"

    def close(self) -> None:
        """Stop listening and cut off every client."""
        self._closing.set()
        for port in self._ports:
            port.close()

    def _reply(self, client: _Client, call: Reader) -> bytes:
        number, _kind, _rpc, program, _version, procedure = call.uints(6)
        for _ in range(2):  # credential and verifier, which nobody looks at
            call.uints(1)
            call.opaque()
        head = uints(number, 1, 0, 0, 0)
        if program == PORT_MAPPER and procedure == _GET_PORT:
            wanted = call.uints(4)[0]
            return head + uints(0, self.number if wanted == CORE else 0)
        if program != CORE:
            return head + uints(1)  # program unavailable
        return head + uints(0) + self._core(client, procedure, call)

    def _core(self, client: _Client, procedure: int, call: Reader) -> bytes:
        if procedure == _Core.CREATE_LINK:
            number = len(client.links) + 1
            client.links[number] = _Link()
            return uints(_Failed.NOTHING, number, 0, LARGEST)
        link = client.links.get(call.uints(1)[0])
        if link is None:
            return uints(_Failed.INVALID_LINK, 0, 0)
        if procedure == _Core.WRITE:
            return self._write(link, call)
        if procedure == _Core.READ:
            return self._read(link, call)
        return uints(*_simple(link, procedure))

    def _write(self, link: _Link, call: Reader) -> bytes:
        _timeout, _lock, flags = call.uints(3)
        data = call.opaque()
        link.heard += data
        if flags & _END_OF_WRITE:
            message, link.heard = link.heard, b""
            answer = self._answer(message.decode("utf-8", "replace"))
            if answer is not None:
                link.waiting += self._under_fault(answer.encode() + b"\n")
        return uints(_Failed.NOTHING, len(data))

    def _under_fault(self, answer: bytes) -> bytes:
        match self._faults.at(Port.METER):
            case "silence" | "late":
                return b""
            case "drop" | "reset" | "refuse" | "reboot":
                raise HangUp
            case "garbage":
                return b"\xff#?" + answer[::-1].strip() + b"\n"
            case "slow":
                time.sleep(_SLOW_S)
        return answer

    def _read(self, link: _Link, call: Reader) -> bytes:
        size, timeout_ms = call.uints(2)
        if not link.waiting:
            self._closing.wait(timeout_ms / 1000.0)
            return uints(_Failed.TIMEOUT, 0, 0)
        data, link.waiting = link.waiting[:size], link.waiting[size:]
        reason = _COUNT_REACHED if link.waiting else _END_OF_READ
        padding = b"\0" * (-len(data) % 4)
        return uints(_Failed.NOTHING, reason, len(data)) + data + padding


def _simple(link: _Link, procedure: int) -> tuple[int, ...]:
    """Answer what needs nothing but the link."""
    match procedure:
        case _Core.READ_STATUS:
            return _Failed.NOTHING, 0x10 if link.waiting else 0
        case _Core.CLEAR:
            link.heard = link.waiting = b""
            return (_Failed.NOTHING,)
        case _Core.REMOTE | _Core.LOCAL | _Core.DESTROY_LINK:
            return (_Failed.NOTHING,)
    return _Failed.NOT_SUPPORTED, 0, 0
