"""The one thread that writes: takes readings and orders, makes them durable."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.record.clock import Clock
from app.record.own_key import own_key
from app.record.store import SessionInfo, StoreError, Writer
from instruments.errors import BenchError
from instruments.reading import SECOND, Channel, Reading, Status
from instruments.sizes import counted


@dataclass(slots=True)
class Lost:
    """Readings of the same channels that found no room."""

    channels: tuple[Channel, ...]
    start_ns: int  # start of the first
    end_ns: int  # end of the last
    count: int = 1  # how many there were


class Overflow:
    """Counts the readings under way, and remembers those there was no room for."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._under_way = 0
        self._lost: dict[tuple[Channel, ...], Lost] = {}
        self._lock = threading.Lock()

    def admit(self, reading: Reading) -> bool:
        """Tell whether there is room for a reading; where not, remember its time."""
        with self._lock:
            if self._under_way < self._limit:
                self._under_way += 1
                return True
            lost = self._lost.get(reading.channels)
            if lost is None:
                times = (reading.start_ns, reading.end_ns)
                self._lost[reading.channels] = Lost(reading.channels, *times)
            else:
                lost.end_ns = reading.end_ns
                lost.count += 1
            return False

    def done(self, count: int) -> None:
        """Note that this many readings have been written."""
        with self._lock:
            self._under_way -= count

    def take(self) -> list[Lost]:
        """Get what was lost since the last time."""
        with self._lock:
            lost = list(self._lost.values())
            self._lost.clear()
        return lost


# Often enough to place a step of the wall clock, rarely enough to cost nothing in a
# long file.
_PAIR_NS = 60 * SECOND
# A commit waits for the disk; a batch without end would let the queue run over
# meanwhile.
_BATCH = 2000
_WAIT_SHARE = 0.1
"""The share of its time that the writer waits for a disk, where a commit takes 25 ms at
most. On a slower one it waits longer: it stores every quarter of a second at least."""
_SLOWEST_COMMIT_S = 0.25


@dataclass(frozen=True, slots=True)
class Order:
    """Something to be done by the writer's thread; `done` is set once durable."""

    action: Callable[[Writer], object]
    done: Future[object] | None = None


class WriterThread:
    """Owns the writer of a session from its creation to its end."""

    def __init__(
        self,
        path: Path,
        info: SessionInfo,
        *,
        clock: Clock,
        notify: Callable[[int], None],
        commit_s: float,
        queue_length: int,
        resume: str | None = None,
    ) -> None:
        self.started: Future[None] = Future()
        self.failed: BenchError | None = None
        self._path = path
        self._info = info
        self._clock = clock
        self._notify = notify
        self._commit_s = commit_s
        self._resume = resume
        self._abandon = False
        self._queue: queue.Queue[Reading | Order | None] = queue.Queue()
        self._overflow = Overflow(queue_length)
        self._sources: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)

    def start(self) -> None:
        """Begin; `started` tells whether the file could be made."""
        self._thread.start()

    def is_current(self) -> bool:
        """Tell whether the caller is this thread."""
        return threading.current_thread() is self._thread

    def put_reading(self, reading: Reading) -> None:
        """Take a reading; one too many becomes a gap."""
        if self._overflow.admit(reading):
            self._queue.put(reading)

    def put_order(self, order: Order) -> None:
        """Take an order; orders and readings are done as they come."""
        self._queue.put(order)

    def introduce(self, name: str) -> None:
        """Note that a source introduces itself, so that it is not taken for a load."""
        self._sources.add(name)

    def end(self, *, abandon: bool = False) -> None:
        """Do all that was handed over, finish the file or abandon it, and end."""
        self._abandon = abandon
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()

    def _run(self) -> None:
        try:
            writer = self._open()
        except BaseException as error:  # noqa: BLE001  (raised by `start` again)
            self.started.set_exception(error)
            return
        self.started.set_result(None)
        try:
            self._write(writer)
        finally:
            if self._abandon:
                self._guard(writer, writer.abandon)
            else:
                self._guard(writer, partial(self._say_goodbye, writer))
                self._guard(writer, partial(writer.finish, self._tell_now))
            self._tell_now()

    def _open(self) -> Writer:
        if self._resume is not None:
            now = self._clock.monotonic_ns()
            writer = Writer.resume(
                self._path, now, key=own_key(), expected=self._resume
            )
            self._guard(writer, partial(self._pair, writer))
            return writer
        return Writer.create(self._path, self._info, key=own_key())

    def _write(self, writer: Writer) -> None:
        next_pair = self._clock.monotonic_ns() + _PAIR_NS
        deadline = time.monotonic() + self._commit_s
        while True:
            items = self._take(max(0.001, deadline - time.monotonic()))
            stop = bool(items) and items[-1] is None
            self._store(writer, items)
            if time.monotonic() < deadline and not stop:
                continue
            now = self._clock.monotonic_ns()
            if now >= next_pair:
                next_pair = now + _PAIR_NS
                self._guard(writer, partial(self._pair, writer))
            begun = time.monotonic()
            self._guard(writer, writer.commit)
            took = time.monotonic() - begun
            self._tell(now)
            if stop:
                return
            deadline = max(deadline + self._pause_s(took), time.monotonic())

    def _pause_s(self, took: float) -> float:
        """Get how long to gather readings, after a commit that took so long.

        A slow or busy disk is written to more rarely: it may be that under test.
        """
        return max(self._commit_s, min(took / _WAIT_SHARE, _SLOWEST_COMMIT_S))

    def _take(self, seconds: float) -> list[Reading | Order | None]:
        """Wait for something to do, then take what is there, up to the end mark."""
        items: list[Reading | Order | None] = []
        with contextlib.suppress(queue.Empty):
            items.append(self._queue.get(timeout=seconds))
            while items[-1] is not None and len(items) < _BATCH:
                items.append(self._queue.get_nowait())
        return items

    def _store(self, writer: Writer, items: Sequence[Reading | Order | None]) -> None:
        """Hand readings and orders to the writer in the order they came."""
        readings: list[Reading] = []
        for item in items:
            if isinstance(item, Reading):
                readings.append(item)
                continue
            self._store_readings(writer, readings)
            readings = []
            if item is not None:
                self._obey(writer, item)
        self._store_readings(writer, readings)
        for lost in self._overflow.take():
            self._guard(writer, partial(self._store_lost, writer, lost))

    def _store_readings(self, writer: Writer, readings: Sequence[Reading]) -> None:
        if not readings:
            return
        self._overflow.done(len(readings))
        if self.failed is not None:
            return
        for name in {reading.channels[0].source for reading in readings}:
            if name not in self._sources:
                self._sources.add(name)
                self._guard(writer, partial(writer.introduce_load, name))
        self._guard(writer, partial(writer.append, readings))

    def _obey(self, writer: Writer, order: Order) -> None:
        try:
            result = order.action(writer)
            if order.done is not None:
                writer.commit()
                order.done.set_result(result)
        except Exception as error:  # noqa: BLE001  (a bug must not end the recording)
            if isinstance(error, StoreError):
                self._fail(writer, error)
            if order.done is not None:
                order.done.set_exception(error)
            elif not isinstance(error, StoreError):
                self._report_bug(error)

    def _report_bug(self, error: Exception) -> None:
        kind, trace = type(error), error.__traceback__
        threading.excepthook(
            threading.ExceptHookArgs((kind, error, trace, self._thread))
        )

    def _store_lost(self, writer: Writer, lost: Lost) -> None:
        detail = f"the recorder was too busy for {counted(lost.count, 'reading')}"
        writer.gap(lost.channels, lost.start_ns, lost.end_ns, Status.ERROR, detail)
        now = self._clock.monotonic_ns()
        writer.event(now, "error", lost.channels[0].source, detail)

    def _tell_now(self) -> None:
        self._tell(self._clock.monotonic_ns())

    def _tell(self, now: int) -> None:
        """Say how far the session is stored; a listener's bug is not the disk's."""
        try:
            self._notify(now)
        except Exception as error:  # noqa: BLE001  (the recording goes on)
            self._report_bug(error)

    def _pair(self, writer: Writer) -> None:
        clock = self._clock
        writer.clock_pair(
            clock.monotonic_ns(),
            clock.realtime_ns(),
            clock.boot_id(),
            clock.offset_ns(),
        )

    def _say_goodbye(self, writer: Writer) -> None:
        self._pair(writer)
        writer.set_session(ended_ns=self._clock.monotonic_ns())

    def _guard(self, writer: Writer, action: Callable[[], object]) -> None:
        """Do something of our own; what fails is noted, not raised.

        Nothing may end this thread: the runner waits for its answers.
        """
        try:
            action()
        except StoreError as error:
            self._fail(writer, error)
        except Exception as error:  # noqa: BLE001  (the run ends in order)
            self._report_bug(error)
            what = f"internal error of the recorder ({type(error).__name__}: {error})"
            self._fail(writer, BenchError(what, where=str(self._path)))

    def _fail(self, writer: Writer, error: BenchError) -> None:
        """Note the first failure, and store it where there is room."""
        if self.failed is not None:
            return
        self.failed = error
        with contextlib.suppress(StoreError):
            writer.event(self._clock.monotonic_ns(), "error", "recorder", str(error))
            writer.commit()
