"""A session as readers see it: recorded now, complete or crashed."""

import contextlib
import functools
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, TypeVarTuple

from app.record.store import tables
from app.record.store.codec import unpack
from app.record.store.errors import StoreError, reading
from app.record.store.limits import MOST_UNPACKED, READ_S, allow
from app.record.store.lock import is_ending, is_recorded
from app.record.store.model import AlarmRow, GapRow, Result, Window
from app.record.store.notebook import Notebook, amend_file
from app.record.store.opening import Opened, open_copy, open_file
from app.record.store.raw import read_raw
from app.record.store.signature import check_fingerprint, fingerprint, is_signed
from app.record.store.trace import Trace, TraceReader
from instruments.errors import BadInput
from instruments.reading import Channel

_Given = ParamSpec("_Given")
_Parts = TypeVarTuple("_Parts")
_Rows = TypeVar("_Rows")
_Row = TypeVar("_Row")


def _page(
    read: Callable[Concatenate[sqlite3.Connection, _Given], _Rows],
) -> Callable[Concatenate["Session", _Given], _Rows]:
    """Make a method that reads a page of the session in one transaction."""

    @functools.wraps(read)
    def method(self: "Session", /, *args: _Given.args, **keys: _Given.kwargs) -> _Rows:
        with self._reading() as connection:
            return read(connection, *args, **keys)

    return method


def _table(
    read: Callable[[sqlite3.Connection], list[_Row]],
) -> Callable[["Session"], list[_Row]]:
    """Make a method that reads all rows of a table, which a report asks for often."""
    rows = _page(read)

    @functools.wraps(read)
    def method(self: "Session") -> list[_Row]:
        return list(self.once_at_all(rows))

    return method


def _of_judged(
    read: Callable[[sqlite3.Connection], _Rows],
) -> Callable[["Session"], _Rows]:
    """Make a method that reads of judged steps what a live view asks for all the time.

    It is read again only where other steps are judged.
    """
    page = _page(read)

    @functools.wraps(read)
    def method(self: "Session") -> _Rows:
        judged = [step.id for step in self.steps() if step.verdict is not None]
        with self._lock:
            if page not in self._marks or self._marks[page][0] != judged:
                self._marks[page] = judged, page(self)
            found: _Rows = self._marks[page][1]
            return found

    return method


class Session:
    """A session file, read only; it may be used by several threads in turn.

    While it is recorded every call sees what has been committed by then. Use it as a
    context manager, or call `close`.

    Attributes:
        path: The file.
        info: What the session is, and how it ended where it has.
        state: How it stands: "recording", "complete" or "crashed".
    """

    sources = _table(tables.sources)
    channels = _table(tables.channels)
    steps = _table(tables.steps)
    report_table = _page(tables.report_table)
    events = _page(tables.events)
    offsets = _page(tables.offsets)
    clock_pairs = _page(tables.clock_pairs)
    artefacts = _page(tables.artefacts)
    journal = _page(tables.journal)
    annotations = _page(tables.annotations)
    inventory = _page(tables.inventory)
    unclean_steps = _of_judged(tables.unclean_steps)
    step_marks = _of_judged(tables.step_marks)
    raw = _page(read_raw)
    sha256 = _page(tables.stored_digest)
    is_signed = _page(is_signed)
    fingerprint = _page(fingerprint)

    def __init__(self, path: Path, opened: Opened) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._is_closed = False
        self._offsets = threading.local()
        self._attach(opened)

    def _attach(self, opened: Opened) -> None:
        self._opened = opened
        self._traces = TraceReader(self.path, is_live=opened.is_live)
        self._kept: tuple[int | None, dict[object, Any]] = None, {}
        self._marks: dict[object, tuple[list[int], Any]] = {}

    @classmethod
    def open(cls, path: Path) -> "Session":
        """Open a session file.

        One that is being recorded is read along. One that a crash left behind is
        recovered, in place where that is allowed, else on a temporary copy.

        Raises:
            BadInput: It is missing, foreign, damaged or newer; it is not changed.
        """
        session = cls(path, open_file(path))
        try:
            session.refresh()
        except BaseException:
            session.close()
            raise
        return session

    def follow(self, path: Path) -> None:
        """Go by the name that its file was given; it stays open."""
        with self._lock:
            if self._opened.path == self.path:
                self._opened.path = path
            self.path = self._traces.path = path

    def close(self) -> None:
        """Let go of the file; may be called twice, and ends `is_unchanged`."""
        self._is_closed = True
        with self._lock:
            self._opened.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def refresh(self) -> None:
        """Look for what has been stored since, and whether the recording is over.

        Raises:
            BadInput: The file can no longer be read.
        """
        with self._reading():
            self._load()

    def amend(self, action: Callable[[Notebook], None]) -> None:
        """Store what was found out about a session that a crash left behind.

        In place where that is allowed, else on a temporary copy that is read from
        now on.

        Args:
            action: Does it; called again where the first time could not be stored.

        Raises:
            ValueError: The session is not a crashed one; others are never changed.
            BadInput: There is no room for a copy.
        """
        if self.state != "crashed" or self._opened.is_live:
            raise ValueError(f"{self.path} is not to be changed")
        with self._lock:
            try:
                amend_file(self._opened.path, action)
            except StoreError:
                copy = open_copy(self.path)
                self._opened.close()
                self._attach(copy)
                amend_file(copy.path, action)

    def extent(self) -> tuple[int, int]:
        """Get the first and the last stored time in ns; (0, 0) where it is empty."""
        return self.once_at_all(Session._read_extent)

    def _read_extent(self) -> tuple[int, int]:
        with self._reading() as connection:
            return self._traces.extent(connection)

    @property
    def begin_ns(self) -> int:
        """The moment that charts, tables and reports count the time from.

        It is that of the run, or of a reading before: an import may have those.
        """
        first, last = self.extent()
        return min(first, self.info.monotonic_ns) if last else self.info.monotonic_ns

    def gaps(
        self, channel: Channel | str | None = None, window: Window | None = None
    ) -> list[GapRow]:
        """Get the gaps of a channel, or of all, that touch a window."""
        with self._reading() as connection:
            return tables.gaps(connection, channel, window, self.shown_offsets)

    def alarms(
        self, channel: Channel | str | None = None, window: Window | None = None
    ) -> list[AlarmRow]:
        """Get the alarms of a channel, or of all, that touch a window."""
        with self._reading() as connection:
            return tables.alarms(connection, channel, window, self.shown_offsets)

    @contextlib.contextmanager
    def with_offsets(
        self, after_id: int | None, instead: Mapping[str, int] | None = None
    ) -> Iterator[None]:
        """Show this thread traces, gaps and alarms with other clock offsets.

        Args:
            after_id: The last stored offset that counts, as `Result.offset_id` has it;
                None for all of them.
            instead: Offsets in ns that count in place of the stored ones, by source.
        """
        before = self.shown_offsets
        last = tables.FOREVER if after_id is None else after_id
        self._offsets.shown = tables.Offsets(
            last, tuple(sorted((instead or {}).items()))
        )
        try:
            yield
        finally:
            self._offsets.shown = before

    @property
    def shown_offsets(self) -> tables.Offsets:
        """What this thread is shown traces, gaps and alarms with."""
        found: tables.Offsets = getattr(self._offsets, "shown", tables.ALL_OFFSETS)
        return found

    def results(self, step_id: int | None = None) -> list[Result]:
        """Get the results of one step, or of all."""
        with self._reading() as connection:
            if step_id is not None and self._opened.is_live:
                return tables.results(connection, step_id)
        return list(self.once_at_all(Session._results_by_step).get(step_id, ()))

    def _results_by_step(self) -> dict[int | None, list[Result]]:
        """Get the results of each step, and of None all of them."""
        with self._reading() as connection:
            every = tables.results(connection)
        found: dict[int | None, list[Result]] = {None: every}
        for result in every:
            found.setdefault(result.step_id, []).append(result)
        return found

    def once(
        self, work_out: Callable[["Session", *_Parts], _Rows], *given: *_Parts
    ) -> _Rows:
        """Work something out of the session, once until more is stored in it.

        Whoever asks is given the same value, and must not change it.

        Args:
            work_out: A function of a module, by which the value is known again.
            given: What else it takes, to be hashed.
        """
        return self._once(self.shown_offsets, work_out, *given)

    def once_at_all(
        self, work_out: Callable[["Session", *_Parts], _Rows], *given: *_Parts
    ) -> _Rows:
        """Work out once, as `once` does, what no clock offset changes."""
        return self._once(None, work_out, *given)

    def _once(
        self,
        shown: tables.Offsets | None,
        work_out: Callable[["Session", *_Parts], _Rows],
        *given: *_Parts,
    ) -> _Rows:
        with self._reading() as connection:
            [version] = connection.execute("PRAGMA data_version").fetchone()
            if version != self._kept[0]:
                self._kept = version, {}
            _, kept = self._kept
        key = (work_out, given, shown)
        if key not in kept:
            kept[key] = work_out(self, *given)
        found: _Rows = kept[key]
        return found

    def artefact(self, name: str, step_id: int | None = None) -> bytes:
        """Get the content of a raw output.

        Raises:
            BadInput: There is none of this name.
        """
        with self._reading() as connection:
            packed = tables.artefact(connection, name, step_id)
            if packed is not None:
                return unpack(packed, MOST_UNPACKED, name)
        raise BadInput(
            f'there is no artefact "{name}"',
            where=str(self.path),
            way_out="Expected the name of one of its artefacts.",
        )

    def check_fingerprint(self, expected: str) -> None:
        """Check that this is the session that was looked at; raises BadInput."""
        with self._reading() as connection:
            check_fingerprint(connection, expected, self.path)

    def is_unchanged(self) -> bool | None:
        """Compute the hash again, once; tell whether it is the stored one.

        All of the file is read for it (a second for some 200 MB), so the window calls
        it aside, once all is drawn. It has its own connection: no other call waits
        for it. Whoever asks meanwhile, or later, is given the same answer.

        Returns:
            None where the session was closed meanwhile.

        Raises:
            BadInput: The file is damaged.
        """
        with reading(self.path):
            return self._opened.is_unchanged(lambda: self._is_closed)

    def trace(
        self,
        channel: Channel | str,
        window: Window | None = None,
        points: int | None = None,
    ) -> Trace:
        """Get a trace of a channel: the one read call, live and in replay.

        Args:
            channel: The channel or its printed name.
            window: From and to in ns with the offset applied; None for all of it.
            points: None for every sample; else at most about twice as many rows, each
                with the extremes and the mean of what lies in it.

        Raises:
            BadInput: There is no such channel, or the file is damaged.
        """
        with self._reading() as connection:
            return self._traces.trace(
                connection, channel, window, points, self.shown_offsets
            )

    def parts(self, channel: Channel | str, window: Window, most: int) -> list[Window]:
        """Cut a window into parts in which a channel has about this many samples.

        They follow each other without a gap, and all are of the offset that holds. So
        that traces of any length are read in bounded memory.

        Raises:
            BadInput: There is no such channel, or the file is damaged.
        """
        with self._reading() as connection:
            return self._traces.parts(
                connection, channel, window, most, self.shown_offsets
            )

    def _load(self) -> None:
        self.info, self.state = tables.info(self._opened.connection)
        if self.state == "recording" and not self._opened.is_live:
            self.state = "crashed"

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Read in one transaction; let go of the live file once it is finished."""
        with self._lock, reading(self.path):
            if self._is_closed:  # never open a file again that was let go of
                raise sqlite3.ProgrammingError(f"{self.path} is closed")
            if self._opened.is_live and (
                is_ending(self.path) or not is_recorded(self.path)
            ):
                self._opened.close()
                self._attach(open_file(self.path))
                self._load()
            connection = self._opened.connection
            nested = connection.in_transaction
            if not nested:
                allow(connection, READ_S)
                connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if not nested:
                    connection.execute("ROLLBACK")
