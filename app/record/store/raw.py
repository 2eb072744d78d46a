"""Raw replies: a compressed stream of its own beside the traces."""

import sqlite3
import struct
import zlib
from collections.abc import Iterator

from app.record.store.buckets import bucket_of
from app.record.store.ledger import Ledger
from app.record.store.limits import MOST_BLOB, MOST_RAW, MOST_UNPACKED, bounded

_HEAD = struct.Struct("<qI")
_PIECE = 2**20
_HELD = 96
"""Bytes of memory that a reply takes beside its own, however short it is."""

_LEVEL = 6
_WINDOW = 14
"""A window of 16 KB keeps the packers of many sources small."""


class _Stream:
    """The replies of one source in one bucket."""

    def __init__(self) -> None:
        self.new: list[tuple[int, bytes]] = []
        self.first = 2**63 - 1
        self.last = 0
        self.count = 0
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, 7)
        self._packed: list[bytes] = []

    def pack_new(self) -> tuple[int, int, int, bytes]:
        """Add what is new to the whole; get its count, ends and its own blob."""
        frames = b"".join(_HEAD.pack(t, len(reply)) + reply for t, reply in self.new)
        count, first, last = len(self.new), self.new[0][0], self.new[-1][0]
        self.new.clear()
        self.first, self.last = min(self.first, first), max(self.last, last)
        self.count += count
        self._packed.append(self._packer.compress(frames))
        return count, first, last, zlib.compress(frames, _LEVEL)

    def whole(self) -> bytes:
        """Get all of it as one blob; what comes later is not in it."""
        return b"".join(self._packed) + self._packer.copy().flush()


class RawBuffer:
    """Replies that are not sealed yet.

    Each commit puts the new ones into the tail of the stream; beside that they go
    into one long packer, which shrinks them far better, for the seal.
    """

    def __init__(self) -> None:
        self._streams: dict[tuple[int, int], _Stream] = {}
        self._rows = 0

    def append(self, source_id: int, t_ns: int, reply: bytes) -> None:
        """Add one reply with the time its reading has in the traces."""
        key = (source_id, bucket_of(t_ns))
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = _Stream()
        stream.new.append((t_ns, reply))

    def write(self, ledger: Ledger) -> None:
        """Put what is new into the tail of the stream."""
        for (source_id, bucket), stream in self._streams.items():
            if stream.new:
                self._rows += 1
                row = (self._rows, source_id, bucket, *stream.pack_new())
                ledger.execute(
                    "INSERT INTO raw_tail (id, source_id, bucket, count, first_ns, "
                    "last_ns, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    row,
                )

    def restore(self, connection: sqlite3.Connection) -> None:
        """Take back what another recording has written and not sealed.

        Raises:
            ValueError: The stream is damaged.
        """
        for row_id, source_id, data in connection.execute(
            "SELECT id, source_id, data FROM raw_tail ORDER BY id"
        ):
            self._rows = row_id
            for t_ns, reply in _frames(data):
                self.append(source_id, t_ns, reply)
        for stream in self._streams.values():
            stream.pack_new()

    def seal(self, connection: sqlite3.Connection, before: int) -> None:
        """Store the streams of all buckets below `before`, in the open transaction.

        All of them have been written; call `forget` after the commit.
        """
        connection.executemany(
            "INSERT INTO raw (source_id, first_ns, last_ns, count, data) "
            "VALUES (?, ?, ?, ?, ?)",
            [
                (source_id, stream.first, stream.last, stream.count, stream.whole())
                for (source_id, bucket), stream in self._streams.items()
                if bucket < before and stream.count
            ],
        )
        connection.execute("DELETE FROM raw_tail WHERE bucket < ?", (before,))

    def forget(self, before: int) -> None:
        """Drop the streams that are sealed, save what came after the last write."""
        for key in [key for key in self._streams if key[1] < before]:
            late = self._streams.pop(key).new
            if late:
                self._streams[key] = _Stream()
                self._streams[key].new = late


def read_raw(
    connection: sqlite3.Connection, source: str, window: tuple[int, int]
) -> list[tuple[int, bytes]]:
    """Get a source's replies as they came, with the time of their readings.

    Raises:
        ValueError: The stream is damaged.
    """
    start, end = window
    where = (
        "WHERE source_id = (SELECT id FROM source WHERE name = ?) "
        "AND first_ns <= ? AND last_ns >= ?"
    )
    rows = connection.execute(
        f"SELECT data FROM raw {where} UNION ALL SELECT data FROM raw_tail {where}",
        (source, end, start) * 2,
    )
    found, left = [], MOST_UNPACKED
    for [data] in bounded(rows, "raw"):
        for t_ns, reply in _frames(data):
            if start <= t_ns <= end:
                found.append((t_ns, reply))
                left -= len(reply) + _HELD
                if left < 0:
                    raise ValueError("there are more raw replies than can be read")
    return sorted(found)


def _frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    rest = b""
    for piece in _pieces(data):
        stream, place = rest + piece, 0
        while place + _HEAD.size <= len(stream):
            t_ns, length = _HEAD.unpack_from(stream, place)
            end = place + _HEAD.size + length
            if length > MOST_BLOB:
                raise ValueError(f"a raw reply of {length} bytes is none")
            if end > len(stream):
                break
            yield t_ns, stream[place + _HEAD.size : end]
            place = end
        rest = stream[place:]
    if rest:
        raise ValueError("the raw stream ends within a reply")


def _pieces(data: bytes) -> Iterator[bytes]:
    """Undo zlib piece by piece: a bucket of many drives is a gigabyte."""
    unpacker = zlib.decompressobj()
    left = MOST_RAW
    try:
        while not unpacker.eof and (piece := unpacker.decompress(data, _PIECE)):
            yield piece
            data = unpacker.unconsumed_tail
            left -= len(piece)
            if left < 0:
                raise ValueError("the raw stream is longer than any recording")
    except zlib.error as error:
        raise ValueError("the raw stream cannot be decoded") from error
    if not unpacker.eof:
        raise ValueError("the raw stream is cut short")
