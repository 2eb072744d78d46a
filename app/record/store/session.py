"""A session as readers see it: recorded now, complete or crashed."""

import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import numpy as np

from app.record.store import tables
from app.record.store.digest import content_digest
from app.record.store.errors import reading
from app.record.store.lock import is_ending, is_recorded
from app.record.store.model import (
    AlarmRow,
    AnnotationRow,
    ArtefactRow,
    ClockPair,
    EventRow,
    GapRow,
    InventoryRow,
    JournalRow,
    OffsetRow,
    ResultRow,
    SessionInfo,
    SourceRow,
    StepRow,
    Window,
)
from app.record.store.opening import Opened, open_file
from app.record.store.raw import read_raw
from app.record.store.samples import SampleReader
from app.record.store.tail import TailCache
from app.record.store.trace import Trace, broken_at
from instruments.errors import BadInput
from instruments.reading import Channel

_FOREVER = 2**62


class Session:
    """A session file, read only; it may be used by several threads in turn.

    While it is recorded every call sees what has been committed by then. Use it as a
    context manager, or call `close`.
    """

    def __init__(self, path: Path, opened: Opened) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._channels: dict[str, tuple[int, Channel]] = {}
        self._attach(opened)

    @classmethod
    def open(cls, path: Path) -> "Session":
        """Open a session file.

        One that is being recorded is read along. One that a crash left behind is
        recovered, in place where that is allowed, else on a temporary copy.

        Raises:
            BadInput: It is missing, foreign, damaged or newer; it is not changed.
        """
        path = Path(path)
        session = cls(path, open_file(path))
        try:
            with session._reading():
                session._load()
        except BaseException:
            session.close()
            raise
        return session

    @property
    def info(self) -> SessionInfo:
        """What the session is, and how it ended where it has."""
        return self._info

    @property
    def state(self) -> str:
        """How it stands: "recording", "complete" or "crashed"."""
        return self._state

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        with self._lock:
            self._opened.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def refresh(self) -> None:
        """Look for what has been stored since, and whether the recording is over.

        Raises:
            BadInput: The file can no longer be read.
        """
        with self._reading():
            self._load()

    def extent(self) -> tuple[int, int]:
        """Get the first and the last stored time in ns; (0, 0) where it is empty."""
        with self._reading() as connection:
            return tables.extent(connection)

    def sources(self) -> list[SourceRow]:
        """Get the sources, in the order they were introduced."""
        with self._reading() as connection:
            return tables.sources(connection)

    def channels(self) -> list[Channel]:
        """Get the channels as recorded."""
        with self._reading() as connection:
            return [channel for _, channel in tables.channels(connection)]

    def steps(self) -> list[StepRow]:
        """Get the steps of the campaign, in its order."""
        with self._reading() as connection:
            return tables.steps(connection)

    def results(self, step_id: int | None = None) -> list[ResultRow]:
        """Get the results of one step, or of all."""
        with self._reading() as connection:
            return tables.results(connection, step_id)

    def report_table(self) -> list[dict[str, object]]:
        """Get the report's table: one row a step, the columns of the view."""
        with self._reading() as connection:
            return tables.report_table(connection)

    def events(self, after_id: int = 0) -> list[EventRow]:
        """Get the events with numbers above `after_id`."""
        with self._reading() as connection:
            return tables.events(connection, after_id)

    def gaps(
        self, channel: Channel | str | None = None, window: Window | None = None
    ) -> list[GapRow]:
        """Get the gaps of a channel, or of all, that touch a window."""
        with self._reading() as connection:
            return tables.gaps(connection, _name(channel), window)

    def alarms(
        self, channel: Channel | str | None = None, window: Window | None = None
    ) -> list[AlarmRow]:
        """Get when devices called values of their own warn or crit."""
        with self._reading() as connection:
            return tables.alarms(connection, _name(channel), window)

    def offsets(self) -> list[OffsetRow]:
        """Get the offsets; the last of a source is the one applied."""
        with self._reading() as connection:
            return tables.offsets(connection)

    def clock_pairs(self) -> list[ClockPair]:
        """Get what the wall clock said, at start, each minute and at the end."""
        with self._reading() as connection:
            return tables.clock_pairs(connection)

    def artefacts(self) -> list[ArtefactRow]:
        """Get the raw outputs that were kept, without their content."""
        with self._reading() as connection:
            return tables.artefacts(connection)

    def artefact(self, name: str, step_id: int | None = None) -> bytes:
        """Get the content of a raw output.

        Raises:
            BadInput: There is none of this name.
        """
        with self._reading() as connection:
            packed = tables.artefact(connection, name, step_id)
            if packed is not None:
                try:
                    return zlib.decompress(packed)
                except zlib.error as error:
                    raise ValueError(f"{name} cannot be unpacked: {error}") from error
        raise BadInput(
            f'there is no artefact "{name}"',
            where=str(self.path),
            way_out="List them with: bayscope show --json.",
        )

    def journal(self) -> list[JournalRow]:
        """Get what the program did to the bench and to the file."""
        with self._reading() as connection:
            return tables.journal(connection)

    def annotations(self) -> list[AnnotationRow]:
        """Get the notes, tags and marks."""
        with self._reading() as connection:
            return tables.annotations(connection)

    def inventory(self) -> list[InventoryRow]:
        """Get the facts about hosts and devices."""
        with self._reading() as connection:
            return tables.inventory(connection)

    def raw(self, source: str, window: Window) -> list[tuple[int, bytes]]:
        """Get a source's replies as they came, with the time of their readings."""
        with self._reading() as connection:
            source_id = tables.source_id(connection, source)
            if source_id is None:
                return []
            return read_raw(connection, source_id, *window)

    def sha256(self) -> str | None:
        """Get the hash that was stored at the end; None before and after a crash."""
        with self._reading() as connection:
            return tables.stored_digest(connection)

    def is_unchanged(self) -> bool:
        """Compute the hash anew; tell whether it is the stored one."""
        with self._reading() as connection:
            return tables.stored_digest(connection) == content_digest(connection)

    def trace(
        self,
        channel: Channel | str,
        window: Window | None = None,
        points: int | None = None,
    ) -> Trace:
        """Get a trace of a channel; see the function `trace`."""
        with self._reading() as connection:
            self._tail.update(connection)
            channel_id, known = self._channel(connection, channel)
            shift = tables.offset_of(connection, known.source)
            start, end = window or (-_FOREVER, _FOREVER)
            start, end = max(start - shift, -_FOREVER), min(end - shift, _FOREVER)
            reader = SampleReader(connection, self._tail)
            count, first, last = reader.extent(channel_id, start, end)
            exact = points is None or count <= 2 * points
            if points is None or exact:
                times, values = reader.samples(channel_id, start, end)
                columns: tuple[np.ndarray, ...] = (values, values, values)
                shortest = 0
            else:
                cells, shortest = reader.cells(
                    channel_id, known.period_ns, (start, end), (first, last), points
                )
                middle = cells.starts + shortest // 2
                times = np.clip(middle, first, last)
                columns = (cells.low, cells.high, cells.mean)
            gaps = tables.gap_spans(connection, channel_id, start, end, shortest)
            times, columns = broken_at(times, columns, gaps, end, shortest)
            low, high, mean = columns
            return Trace(known, times + shift, low, high, mean, exact)

    def _channel(
        self, connection: sqlite3.Connection, channel: Channel | str
    ) -> tuple[int, Channel]:
        name = _name(channel) or ""
        if name not in self._channels:
            self._channels.update(
                (one.name, (number, one)) for number, one in tables.channels(connection)
            )
        found = self._channels.get(name)
        if found is None:
            raise BadInput(
                f"there is no channel {name} in this session",
                where=str(self.path),
                way_out="Its channels are in the table channel.",
            )
        return found

    def _attach(self, opened: Opened) -> None:
        self._opened = opened
        self._tail = TailCache()
        self._channels.clear()

    def _load(self) -> None:
        self._info, self._state = tables.info(self._opened.connection)
        if self._state == "recording" and not self._opened.is_live:
            self._state = "crashed"

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Read in one transaction; let go of the live file once it is finished."""
        with self._lock, reading(self.path):
            if self._opened.is_live and (
                is_ending(self.path) or not is_recorded(self.path)
            ):
                self._opened.close()
                self._attach(open_file(self.path))
                self._load()
            connection = self._opened.connection
            nested = connection.in_transaction
            if not nested:
                connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if not nested:
                    connection.execute("ROLLBACK")


def trace(
    session: Session,
    channel: Channel | str,
    window: Window | None = None,
    points: int | None = None,
) -> Trace:
    """Get a trace of a channel: the one read call, live and in replay.

    Args:
        session: Where from.
        channel: The channel or its printed name.
        window: From and to in ns with the offset applied; None for all of it.
        points: None for every sample; else at most about twice as many rows, each
            with the extremes and the mean of what lies in it.

    Raises:
        BadInput: There is no such channel, or the file is damaged.
    """
    return session.trace(channel, window, points)


def _name(channel: Channel | str | None) -> str | None:
    return channel.name if isinstance(channel, Channel) else channel
