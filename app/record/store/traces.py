"""The traces of a session that is written: into the tail, then into segments."""

import sqlite3
import time
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from app.record.store.buckets import BUCKET_NS, bucket_of, middles
from app.record.store.buffer import Block, GroupBuffer
from app.record.store.codec import Codec, encode
from app.record.store.ledger import Ledger
from app.record.store.limits import MOST_IN_BUCKET
from app.record.store.overview import OverviewMaker
from app.record.store.raw import RawBuffer
from app.record.store.registry import Group
from instruments.reading import SECOND, Reading

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


Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

GRACE_NS = 10 * SECOND
"""How long after its end a bucket is sealed, so that late readings join it."""

DIRECT_SAMPLES = 256
"""From this many readings on, whole buckets of a bulk are sealed without the tail."""

SLICE_S = 0.05
"""How long a commit may be followed by compressing what is to be sealed: all of it at
once held up the writer for half a second with 400 channels."""


class Traces:
    """All readings that are not sealed yet, and what seals them."""

    def __init__(
        self, connection: sqlite3.Connection, ledger: Ledger, codec: Codec
    ) -> None:
        self._ledger = ledger
        self._sealer = Sealer(connection, codec)
        self._buffers: dict[int, GroupBuffer] = {}
        self._raw = RawBuffer()
        self._last_tail_id = 0
        self._newest = 0
        self._sealed_before = -1

    def restore(self, connection: sqlite3.Connection, groups: Iterable[Group]) -> None:
        """Take back what another recording has left in the tail.

        Raises:
            ValueError: The raw stream is damaged.
        """
        known = {group.id: group for group in groups}
        for row_id, number, bucket, last, *blobs in connection.execute(
            "SELECT id, group_id, bucket, last_ns, starts, durations, "
            '"values" FROM tail ORDER BY id'
        ):
            starts, durations, values = blobs
            self._buffer(known[number]).restore(bucket, (starts, durations, values))
            self._last_tail_id = row_id
            self._newest = max(self._newest, last)
        self._raw.restore(connection)

    def append(self, group: Group, reading: Reading, values: tuple[float, ...]) -> None:
        """Take one reading with its values as they were checked, and its reply."""
        start, end = reading.start_ns, reading.end_ns
        self._buffer(group).append(start, end, values)
        if reading.raw:
            middle = start + (end - start) // 2
            self._raw.append(group.source_id, middle, reading.raw)

    def extend(self, group: Group, starts: Ints, ends: Ints, values: Floats) -> None:
        """Take many readings in the order of time; whole buckets are sealed at once.

        Raises:
            sqlite3.Error: They could not be stored.
        """
        durations = ends - starts
        buckets, firsts = np.unique(
            middles(starts, durations) // BUCKET_NS, return_index=True
        )
        edges = np.append(firsts, starts.size)
        whole: dict[int, Block] = {}
        for place, bucket in enumerate(buckets.tolist()):
            part = slice(int(edges[place]), int(edges[place + 1]))
            block = Block(starts[part], durations[part], values[part])
            is_last = place + 1 == len(buckets)
            if is_last or part.stop - part.start < DIRECT_SAMPLES:
                self._buffer(group).extend(block)
            else:
                whole[bucket] = block
        if whole:
            self._ledger.commit()
            self._sealer.write(group, whole)

    def flush(self) -> None:
        """Put what came since the last time into the tail, in the open transaction.

        Raises:
            sqlite3.Error: It could not be stored.
        """
        for buffer in self._buffers.values():
            if len(buffer):
                newest = buffer.write(self._ledger, self._next_tail_id)
                self._newest = max(self._newest, newest)
        self._raw.write(self._ledger)
        if self._sealed_before < 0:  # What was read first is not complete.
            self._sealed_before = self._complete_before

    @property
    def is_seal_due(self) -> bool:
        """Whether a bucket is complete, or a seal has begun and is not stored yet."""
        return self._complete_before > self._sealed_before or self._sealer.is_busy

    def go_on_sealing(self) -> None:
        """Begin to seal what is complete, or go on with it for a moment.

        Raises:
            sqlite3.Error: There is no room for it; the tail is as it was.
        """
        if self._complete_before > self._sealed_before:
            self._sealer.step(float("inf"))
            self._begin(self._complete_before)
        self._sealer.step(SLICE_S)

    @property
    def _complete_before(self) -> int:
        """The first bucket that late readings may still join."""
        return bucket_of(self._newest - GRACE_NS)

    def seal(self, *, all_of_it: bool) -> None:
        """Seal all buckets that are over, or really all.

        Raises:
            sqlite3.Error: There is no room for it; the tail is as it was.
        """
        self._sealer.step(float("inf"))
        self._begin(bucket_of(self._newest) + int(all_of_it))
        self._sealer.step(float("inf"))

    def _begin(self, before: int) -> None:
        blocks = [
            (buffer.group, bucket, block)
            for buffer in self._buffers.values()
            for bucket, block in buffer.take(before).items()
        ]
        self._sealer.begin(blocks, self._raw, before, self._last_tail_id)
        self._sealed_before = before

    def _buffer(self, group: Group) -> GroupBuffer:
        buffer = self._buffers.get(group.id)
        if buffer is None:
            buffer = self._buffers[group.id] = GroupBuffer(group)
        return buffer

    def _next_tail_id(self) -> int:
        self._last_tail_id += 1
        return self._last_tail_id
