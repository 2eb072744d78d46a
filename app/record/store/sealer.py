"""From the tail to compressed segments: what is sealed is never changed again."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.record.store.buckets import BUCKET_NS, middles
from app.record.store.codec import Codec, encode
from app.record.store.overview import OverviewWriter
from app.record.store.raw import seal_raw
from app.record.store.registry import Group

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(slots=True)
class Block:
    """Readings of one group in one bucket."""

    starts: Ints
    durations: Ints
    values: Floats

    @property
    def times(self) -> Ints:
        """The x of the readings in ns."""
        return middles(self.starts, self.durations)

    def sorted(self) -> "Block":
        """Get the readings in the order of time."""
        times = self.times
        if (np.diff(times) >= 0).all():
            return self
        order = np.argsort(times, kind="stable")
        return Block(self.starts[order], self.durations[order], self.values[order])


class Sealer:
    """Writes segments, timelines and overview rows, and clears the tail."""

    def __init__(self, connection: sqlite3.Connection, codec: Codec) -> None:
        self._connection = connection
        self._codec = codec
        self._overview = OverviewWriter(connection)

    def seal(self, groups: Mapping[int, Group], before: int) -> None:
        """Seal all buckets below `before`, in a transaction of their own.

        Raises:
            sqlite3.Error: It could not be stored; the tail is as it was.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for (group_id, bucket), block in self._read_tail(groups, before).items():
                self.write(groups[group_id], bucket, block.sorted())
            self._connection.execute("DELETE FROM tail WHERE bucket < ?", (before,))
            seal_raw(self._connection, before)
            self._connection.execute("UPDATE session SET seals = seals + 1")
            self._connection.execute("COMMIT")
        except BaseException:
            self._overview.forget()
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def write(self, group: Group, bucket: int, block: Block) -> None:
        """Store the readings of a group in a bucket, in the order of time."""
        times = block.times
        first, last = int(times[0]), int(times[-1])
        cursor = self._connection.execute(
            "INSERT INTO timeline (group_id, bucket, count, first_ns, last_ns, codec, "
            "starts, durations) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                group.id,
                bucket,
                times.size,
                first,
                last,
                int(self._codec),
                encode(block.starts, self._codec),
                encode(block.durations, self._codec),
            ),
        )
        for column, (channel_id, channel) in enumerate(
            zip(group.channel_ids, group.channels, strict=True)
        ):
            values = np.ascontiguousarray(block.values[:, column])
            valid = values[~np.isnan(values)]
            some = valid.size > 0
            self._connection.execute(
                "INSERT INTO segment (channel_id, timeline_id, first_ns, last_ns, "
                "count, n_valid, min, max, mean, codec, data) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    channel_id,
                    cursor.lastrowid,
                    first,
                    last,
                    values.size,
                    valid.size,
                    float(valid.min()) if some else None,
                    float(valid.max()) if some else None,
                    float(valid.mean()) if some else None,
                    int(self._codec),
                    encode(values, self._codec),
                ),
            )
            if some:
                self._overview.add(channel_id, channel.period_ns, times, values)

    def write_all(self, group: Group, blocks: Mapping[int, Block]) -> None:
        """Store whole buckets that never were in the tail, in one transaction."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for bucket, block in blocks.items():
                self.write(group, bucket, block.sorted())
            self._connection.execute("UPDATE session SET seals = seals + 1")
            self._connection.execute("COMMIT")
        except BaseException:
            self._overview.forget()
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _read_tail(
        self, groups: Mapping[int, Group], before: int
    ) -> dict[tuple[int, int], Block]:
        found: dict[tuple[int, int], list[tuple[bytes, bytes, bytes]]] = {}
        rows = self._connection.execute(
            'SELECT group_id, bucket, starts, durations, "values" FROM tail '
            "WHERE bucket < ? ORDER BY id",
            (before,),
        )
        for group_id, bucket, starts, durations, values in rows:
            found.setdefault((group_id, bucket), []).append((starts, durations, values))
        blocks = {}
        for (group_id, bucket), parts in found.items():
            width = len(groups[group_id].channels)
            blocks[group_id, bucket] = Block(
                np.frombuffer(b"".join(part[0] for part in parts), "<i8"),
                np.frombuffer(b"".join(part[1] for part in parts), "<i8"),
                np.frombuffer(b"".join(part[2] for part in parts), "<f8").reshape(
                    -1, width
                ),
            )
        return blocks


def bucket_edges(times: Ints) -> tuple[Ints, Ints]:
    """Find which buckets rising times fall into, and where each begins."""
    buckets, firsts = np.unique(times // BUCKET_NS, return_index=True)
    return buckets, np.append(firsts, times.size)
