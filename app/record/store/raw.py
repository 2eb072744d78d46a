"""Raw replies: a compressed stream of its own beside the traces."""

import sqlite3
import struct
import zlib
from collections.abc import Iterator

from app.record.store.buckets import bucket_of
from app.record.store.ledger import Ledger

_HEAD = struct.Struct("<qI")


class RawBuffer:
    """Replies since the last commit."""

    def __init__(self) -> None:
        self._replies: dict[tuple[int, int], list[tuple[int, bytes]]] = {}

    def append(self, source_id: int, t_ns: int, reply: bytes) -> None:
        """Add one reply with the time its reading has in the traces."""
        key = (source_id, bucket_of(t_ns))
        self._replies.setdefault(key, []).append((t_ns, reply))

    def write(self, ledger: Ledger) -> None:
        """Put what has gathered into the tail of the stream, and start anew."""
        for (source_id, bucket), replies in self._replies.items():
            times = [t_ns for t_ns, _ in replies]
            data = zlib.compress(b"".join(_frame(*reply) for reply in replies), 6)
            ledger.execute(
                "INSERT INTO raw_tail (source_id, bucket, count, first_ns, last_ns, "
                "data) VALUES (?, ?, ?, ?, ?, ?)",
                (source_id, bucket, len(replies), min(times), max(times), data),
            )
        self._replies.clear()


def seal_raw(connection: sqlite3.Connection, before: int) -> None:
    """Merge the replies of all buckets below `before`, in the open transaction."""
    found: dict[tuple[int, int], list[tuple[int, int, int, bytes]]] = {}
    rows = connection.execute(
        "SELECT source_id, bucket, count, first_ns, last_ns, data FROM raw_tail "
        "WHERE bucket < ? ORDER BY id",
        (before,),
    )
    for source_id, bucket, *row in rows:
        found.setdefault((source_id, bucket), []).append(tuple(row))
    for (source_id, _), parts in found.items():
        count = sum(part[0] for part in parts)
        first, last = min(part[1] for part in parts), max(part[2] for part in parts)
        packer = zlib.compressobj(6)
        data = b"".join(packer.compress(zlib.decompress(part[3])) for part in parts)
        connection.execute(
            "INSERT INTO raw (source_id, first_ns, last_ns, count, data) "
            "VALUES (?, ?, ?, ?, ?)",
            (source_id, first, last, count, data + packer.flush()),
        )
    connection.execute("DELETE FROM raw_tail WHERE bucket < ?", (before,))


def read_raw(
    connection: sqlite3.Connection, source_id: int, start: int, end: int
) -> list[tuple[int, bytes]]:
    """Read the replies of a source between two times in ns, both included.

    Raises:
        ValueError: The stream is damaged.
    """
    where = "WHERE source_id = ? AND first_ns <= ? AND last_ns >= ?"
    rows = connection.execute(
        f"SELECT data FROM raw {where} UNION ALL SELECT data FROM raw_tail {where}",
        (source_id, end, start) * 2,
    ).fetchall()
    replies = [reply for [data] in rows for reply in _frames(data)]
    return sorted(reply for reply in replies if start <= reply[0] <= end)


def _frame(t_ns: int, reply: bytes) -> bytes:
    return _HEAD.pack(t_ns, len(reply)) + reply


def _frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    try:
        stream = zlib.decompress(data)
        place = 0
        while place < len(stream):
            t_ns, length = _HEAD.unpack_from(stream, place)
            place += _HEAD.size
            yield t_ns, stream[place : place + length]
            place += length
    except (zlib.error, struct.error) as error:
        raise ValueError(f"the raw stream cannot be decoded ({error})") from error
