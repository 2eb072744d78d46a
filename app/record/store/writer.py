"""The writer of a session file: one connection, used by one thread."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.plan.verdict import Cause
from app.record.store import database
from app.record.store.closing import finish_file, mark_unfinished_steps
from app.record.store.codec import Codec
from app.record.store.errors import StoreError, writing
from app.record.store.ledger import Ledger
from app.record.store.lock import RecordingLock
from app.record.store.model import SessionInfo
from app.record.store.notebook import Notebook
from app.record.store.registry import Registry
from app.record.store.traces import Traces
from app.record.store.watch import Watch
from instruments.errors import BadInput, plain_words
from instruments.reading import SECOND, Channel, Identity, Reading, Status

NOT_RUNNING = "Bayscope was not running"
"""Why nothing was read between the crash and the resumption."""

_RAN_NS = 5 * SECOND
"""A load whose last reading is older than this at the end of a recording had ended."""


class Writer(Notebook):
    """Writes one session; `commit` makes durable what was handed over before it.

    Every method raises StoreError when the disk is full or fails. The first time the
    disk is full a reserve is given back, what was handed over is stored in it, and
    the error is raised all the same, so that the run is stopped.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        lock: RecordingLock,
        codec: Codec,
        key: bytes = b"",
    ) -> None:
        super().__init__(path, Ledger(connection, lock.give_reserve))
        self._connection = connection
        self._lock = lock
        self._key = key
        self._registry = Registry(self._ledger)
        self._watch = Watch(self._ledger)
        self._traces = Traces(connection, self._ledger, codec)
        self._told_full = False
        self._closed = False

    @classmethod
    def create(
        cls,
        path: Path,
        info: SessionInfo,
        *,
        codec: Codec = Codec.PCO,
        key: bytes = b"",
    ) -> "Writer":
        """Make a session file and begin to record into it.

        Args:
            path: The file.
            info: What the session is.
            codec: How sealed traces are packed.
            key: Signs it, so that it may be continued; b"" signs nothing.

        Raises:
            BadInput: It exists already, or it cannot be written there.
        """
        if path.exists():
            raise BadInput(
                "a file of this name already exists",
                where=str(path),
                way_out="Recordings never overwrite a file; choose another name.",
            )
        lock: RecordingLock | None = None
        try:
            lock = RecordingLock(path)
            lock.reserve()
            connection = database.create(path, info)
        except (OSError, sqlite3.Error) as error:
            if lock is not None:
                lock.release()
                path.unlink(missing_ok=True)
            why = plain_words(error)
            raise BadInput(
                f"a session cannot be stored here ({why})",
                where=str(path),
                way_out="Choose another folder.",
            ) from error
        writer = cls(path, connection, lock, codec, key)
        with writing(path):
            writer._begin(info)
        return writer

    @classmethod
    def resume(
        cls,
        path: Path,
        now_ns: int,
        *,
        codec: Codec = Codec.PCO,
        key: bytes = b"",
        expected: str = "",
    ) -> "Writer":
        """Go on recording into a session that a crash left behind.

        What its recording had not sealed is taken over, the time since its last
        readings is a gap, and the steps that were not run are planned again. It is
        signed as our own from now on: whoever calls this has seen that it is, or
        somebody confirmed it.

        Args:
            path: The file.
            now_ns: When it goes on.
            codec: How sealed traces are packed.
            key: Signs it; b"" signs nothing.
            expected: Its fingerprint when that was seen; "" where nobody looked.

        Raises:
            BadInput: It is recorded at this moment, it did not end in a crash, or it
                is another one than was looked at.
        """
        try:
            lock = RecordingLock(path)
        except OSError as error:
            raise BadInput(
                "the session is being recorded, or cannot be written",
                where=str(path),
                way_out="Stop what records it, or copy it to another folder.",
            ) from error
        with contextlib.ExitStack() as undo:
            undo.callback(lock.release)
            try:
                lock.reserve()
                connection = _reconnect(path)
                undo.callback(connection.close)
                writer = cls(path, connection, lock, codec, key)
                writer._take_over(now_ns, expected)
            except (OSError, sqlite3.Error, ValueError) as error:
                raise BadInput(
                    f"the session cannot be resumed ({error})",
                    where=str(path),
                    way_out="Make room on its disk, or run the rest in a new session.",
                ) from error
            undo.pop_all()
        return writer

    def _take_over(self, now_ns: int, expected: str) -> None:
        groups = self._registry.restore()
        self._traces.restore(self._connection, groups)
        ends = _last_times(self._connection)
        last = max(ends.values(), default=now_ns)
        for group in groups:
            if (since := ends.get(group.id)) is None:
                continue
            # A load that had ended before is known not to have run until the end.
            if group.is_load and last - since > _RAN_NS:
                self._watch.gap(group, since, last, Status.STANDBY, "no load ran")
                since = last
            self._watch.gap(group, since, now_ns, Status.NOT_RECORDED, NOT_RUNNING)
        _plan_again(self._ledger)
        if expected:
            self.check_fingerprint(expected)
        self.journal(now_ns, "resumed", NOT_RUNNING)
        self.sign(self._key)
        self._flush()

    def _begin(self, info: SessionInfo) -> None:
        self.clock_pair(info.monotonic_ns, info.realtime_ns, info.boot_id)
        self.sign(self._key)
        self._ledger.commit()
        self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def add_source(
        self,
        name: str,
        section: str,
        driver: str,
        identity: Identity | None,
        config: str = "",
        *,
        measures: str = "",
    ) -> None:
        """Introduce a source, or write again what it says of itself."""
        with self._writing:
            self._registry.add_source(
                name, section, driver, identity, config, measures=measures
            )

    def introduce_load(self, name: str) -> None:
        """Introduce a workload by its name, unless it is known already."""
        with self._writing:
            if not self._registry.has_source(name):
                self._registry.add_source(name, "load", name, None, "")

    def add_channels(self, channels: Sequence[Channel]) -> None:
        """Introduce channels before their first reading; `append` does it as well."""
        with self._writing:
            for channel in channels:
                self._registry.channel_id(channel)

    def append(self, readings: Sequence[Reading]) -> None:
        """Take readings; those of one source in the order of time."""
        with self._writing:
            for reading in readings:
                group = self._registry.group(reading.channels)
                values = self._watch.check(group, reading)
                self._traces.append(group, reading, values)

    def append_trace(
        self,
        channels: Sequence[Channel],
        starts: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int64],
        values: npt.NDArray[np.float64],
    ) -> None:
        """Take many readings of the same channels at once, best in the order of time.

        Args:
            channels: What was read.
            starts: Start of each read in ns.
            ends: End of each read in ns.
            values: One row a read, one column a channel; NaN is a gap.
        """
        if not len(starts):
            return
        if (np.diff(starts) < 0).any():
            order = np.argsort(starts, kind="stable")
            starts, ends, values = starts[order], ends[order], values[order]
        values = np.where(np.isfinite(values), values, np.float64("nan"))
        with self._writing:
            group = self._registry.group(tuple(channels))
            self._watch.check_trace(group, starts, ends, values)
            self._traces.extend(group, starts, ends, values)

    def gap(
        self,
        channels: Sequence[Channel],
        start_ns: int,
        end_ns: int,
        status: Status,
        detail: str,
    ) -> None:
        """Note that channels delivered nothing; extends the gap that is open."""
        if channels:
            with self._writing:
                group = self._registry.group(tuple(channels))
                self._watch.gap(group, start_ns, end_ns, status, detail)

    def commit(self) -> None:
        """Make durable what was handed over, and go on sealing what is complete.

        Raises:
            StoreError: The disk is full; what was handed over is stored nevertheless
                the first time.
        """
        self._flush()
        if self._ledger.was_full and not self._told_full:
            self._told_full = True
            raise StoreError(
                "the disk is full, the recording cannot go on",
                where=str(self.path),
                way_out="All that was read so far is stored; make room or choose "
                "another folder.",
            )
        if self._told_full or not self._traces.is_seal_due:
            return
        try:
            with writing(self.path):
                self._traces.go_on_sealing()
        except StoreError:
            self._told_full = True
            raise

    def seal(self) -> None:
        """Seal all buckets that are over, now."""
        self._flush()
        with writing(self.path):
            self._traces.seal(all_of_it=False)

    def finish(self, announce: Callable[[], None] = lambda: None) -> None:
        """End the recording: seal all, store the hash, make it a single file.

        May be called twice. When the disk is full as much of this is done as there
        is room for; what was committed is never lost.

        Args:
            announce: Called when readers are asked to let go of the file, which
                they do when they are used.

        Raises:
            StoreError: Something could not be stored.
        """
        if self._closed:
            return
        with self._ending():
            with self._writing:
                mark_unfinished_steps(self._ledger, Cause.UNFINISHED)
                self.sign(self._key)
                self._ledger.commit()
            with contextlib.ExitStack() as last:
                last.callback(self._make_single_file, announce)
                with writing(self.path):
                    self._traces.seal(all_of_it=True)

    def abandon(self) -> None:
        """Store what was handed over and leave the rest to a recovery.

        May be called twice. The session is opened as one that a crash cut off.

        Raises:
            StoreError: Something could not be stored.
        """
        if not self._closed:
            with self._ending():
                pass

    @contextlib.contextmanager
    def _ending(self) -> Iterator[None]:
        """Store what was handed over before the last words, and let go after them."""
        self._closed = True
        try:
            self._lock.give_reserve()
            self._flush()
            yield
        finally:
            self._connection.close()
            self._lock.release()

    def _make_single_file(self, announce: Callable[[], None]) -> None:
        with writing(self.path):
            finish_file(self._connection, self._lock, announce)

    def _flush(self) -> None:
        with self._writing:
            self._traces.flush()
            self._watch.flush()
            if self._acts:
                self.sign(self._key)
            self._ledger.commit()


def _reconnect(path: Path) -> sqlite3.Connection:
    """Connect to a crashed session for writing, in WAL mode.

    The caller holds the recording lock, and has opened the file for reading before,
    which recovers it.

    Raises:
        BadInput: It did not end in a crash.
    """
    connection = database.connect_for_recording(path)
    try:
        [state] = connection.execute("SELECT state FROM session").fetchone()
        if state != "crashed":
            raise BadInput(
                "the run of this session is complete, nothing is left to run",
                where=str(path),
                way_out="Run the campaign again for a new session.",
            )
        connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _plan_again(ledger: Ledger) -> None:
    """Take back what recovery said of the session, and of steps that never began."""
    ledger.execute(
        "UPDATE session SET state = 'recording', verdict = NULL, outcome = '', "
        "ended_ns = NULL WHERE id = 1"
    )
    ledger.execute(
        "UPDATE step SET outcome = 'planned', reason = '', cause = '' "
        "WHERE outcome = 'SKIPPED' AND cause = 'crashed'"
    )


def _last_times(connection: sqlite3.Connection) -> dict[int, int]:
    """Get the time of the last reading of each group in ns."""
    return dict(
        connection.execute(
            "SELECT group_id, max(last_ns) FROM (SELECT group_id, last_ns FROM tail "
            "UNION ALL SELECT group_id, last_ns FROM timeline) GROUP BY group_id"
        ).fetchall()
    )
