"""The little of XDR and of RPC's records that a simulated instrument needs.

Source: RFC 4506 (XDR), RFC 5531 section 11 (record marking).
"""

import socket
import struct
from typing import BinaryIO

_LAST = 0x8000_0000
_LONGEST = 1 << 20


class Reader:
    """Takes values from the front of a message; raises struct.error at its end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def uints(self, count: int) -> tuple[int, ...]:
        """Take unsigned integers of 32 bits."""
        found = struct.unpack_from(f">{count}I", self._data, self._at)
        self._at += 4 * count
        return found

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
