"""From the tail to compressed segments: what is sealed is never changed again."""

import sqlite3
import time
from collections.abc import Iterable, Mapping

import numpy as np

from app.record.store.buffer import Block
from app.record.store.codec import Codec, encode
from app.record.store.limits import MOST_IN_BUCKET
from app.record.store.overview import OverviewMaker
from app.record.store.raw import RawBuffer
from app.record.store.registry import Group

_TIMELINE = (
    "INSERT INTO timeline (group_id, bucket, count, first_ns, last_ns, codec, starts, "
    "durations) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_SEGMENT = (
    "INSERT INTO segment (timeline_id, channel_id, first_ns, last_ns, count, n_valid, "
    "min, max, mean, codec, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_Parameters = tuple[object, ...]


class Sealer:
    """Compresses complete buckets bit by bit, then stores them at one stroke.

    Compressing is the long part and needs no transaction; it is done in slices
    between commits, so that no commit waits for it. Segments and overview go in, and
    the tail goes out, in one transaction: a reader sees either.
    """

    def __init__(self, connection: sqlite3.Connection, codec: Codec) -> None:
        self._connection = connection
        self._codec = codec
        self._overview = OverviewMaker(connection)
        self._waiting: list[tuple[Group, int, Block]] = []
        self._ready: list[tuple[_Parameters, list[_Parameters]]] = []
        self._raw: RawBuffer | None = None
        self._before = 0
        self._last_id = 0

    @property
    def is_busy(self) -> bool:
        """Whether a seal has begun and is not stored yet."""
        return bool(self._waiting or self._ready or self._raw)

    def begin(
        self,
        blocks: Iterable[tuple[Group, int, Block]],
        raw: RawBuffer,
        before: int,
        last_id: int,
    ) -> None:
        """Begin to seal.

        Args:
            blocks: All readings of the buckets below `before`, by group and bucket.
            raw: The raw stream; its replies of these buckets are sealed as well.
            before: The first bucket that is not sealed.
            last_id: The last row of the tail that may be among them.
        """
        self._waiting.extend(blocks)
        self._raw, self._before, self._last_id = raw, before, last_id

    def step(self, seconds: float) -> None:
        """Go on for about so long; store all once all is compressed.

        Raises:
            sqlite3.Error: It could not be stored; it is tried again the next time.
        """
        deadline = time.perf_counter() + seconds
        while self._waiting and time.perf_counter() < deadline:
            self._compress(*self._waiting.pop(0))
        if self.is_busy and not self._waiting:
            self._store()

    def write(self, group: Group, blocks: Mapping[int, Block]) -> None:
        """Store whole buckets that never were in the tail.

        Raises:
            sqlite3.Error: It could not be stored.
        """
        self.step(float("inf"))
        for bucket, block in blocks.items():
            self._compress(group, bucket, block)
        self._store()

    def _compress(self, group: Group, bucket: int, block: Block) -> None:
        block = block.sorted()
        if len(block) > MOST_IN_BUCKET:
            self._compress(group, bucket, block[:MOST_IN_BUCKET])
            self._compress(group, bucket, block[MOST_IN_BUCKET:])
            return
        times = block.times
        first, last = int(times[0]), int(times[-1])
        codec = int(self._codec)
        timeline = (
            *(group.id, bucket, times.size, first, last, codec),
            encode(block.starts, self._codec),
            encode(block.durations, self._codec),
        )
        segments: list[_Parameters] = []
        for column, channel_id in enumerate(group.channel_ids):
            values = np.ascontiguousarray(block.values[:, column])
            valid = values[~np.isnan(values)]
            low, high, mean = None, None, None
            if valid.size:
                low, high = float(valid.min()), float(valid.max())
                mean = float(valid.mean())
            counts = (values.size, valid.size)
            data = encode(values, self._codec)
            segments.append(
                (channel_id, first, last, *counts, low, high, mean, codec, data)
            )
        self._ready.append((timeline, segments))
        self._overview.add(group, times, block.values)

    def _store(self) -> None:
        run = self._connection
        rows = self._overview.take()
        try:
            run.execute("BEGIN IMMEDIATE")
            for timeline, segments in self._ready:
                number = run.execute(_TIMELINE, timeline).lastrowid
                run.executemany(_SEGMENT, [(number, *segment) for segment in segments])
            run.executemany(
                "INSERT OR REPLACE INTO overview VALUES (?, ?, ?, ?, ?)", rows
            )
            if self._raw is not None:
                run.execute(
                    "DELETE FROM tail WHERE id <= ? AND bucket < ?",
                    (self._last_id, self._before),
                )
                self._raw.seal(run, self._before)
            run.execute("UPDATE session SET seals = seals + 1")
            run.execute("COMMIT")
        except sqlite3.Error:
            self._overview.give_back(rows)
            if run.in_transaction:
                run.execute("ROLLBACK")
            raise
        if self._raw is not None:
            self._raw.forget(self._before)
        self._ready.clear()
        self._raw = None
