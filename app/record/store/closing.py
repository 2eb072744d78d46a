"""How a recording ends: the hash, the checkpoint, one file without companions."""

import contextlib
import sqlite3
import time
from collections.abc import Callable

from app.plan.verdict import Cause
from app.record.store.digest import content_digest
from app.record.store.ledger import Ledger
from app.record.store.lock import RecordingLock
from app.record.store.overview import compact

CRASHED = "Bayscope was terminated during the recording (crash, kill or power failure)"

_WORDS = {
    Cause.CRASHED: CRASHED,
    Cause.UNFINISHED: "the recording ended before the step did",
}

READERS_S = 2.0
"""How long readers are given to let go of the file."""


def mark_unfinished_steps(
    ledger: Ledger, cause: Cause, *, ended_ns: int | None = None
) -> None:
    """Give the steps that never ended an outcome."""
    reason = _WORDS[cause]
    left = ledger.execute(
        "UPDATE step SET outcome = 'ERROR', verdict = 'ERROR', reason = ?, "
        "cause = ?, end_ns = coalesce(end_ns, ?) WHERE outcome = 'running'",
        (reason, str(cause), ended_ns),
    )
    if left.rowcount:
        ledger.execute("UPDATE session SET verdict = coalesce(verdict, 'ERROR')")
    ledger.execute(
        "UPDATE step SET outcome = 'SKIPPED', reason = ?, cause = ? "
        "WHERE outcome = 'planned'",
        (f"not run, {reason}", str(cause)),
    )


def finish_file(
    connection: sqlite3.Connection, lock: RecordingLock, announce: Callable[[], None]
) -> None:
    """Mark a session complete and turn it into a single file.

    Readers that still have it open are asked and given a moment to let go. Where one
    does not, the file stays in WAL mode, whole and readable, and whoever opens it next
    puts that right.

    Raises:
        sqlite3.Error: It cannot be stored.
    """
    digest = content_digest(connection)
    connection.execute(
        "UPDATE session SET state = 'complete', sha256 = ? WHERE id = 1", (digest,)
    )
    with contextlib.suppress(sqlite3.OperationalError):
        compact(connection)
        connection.executescript("PRAGMA incremental_vacuum;")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    lock.announce_end()
    announce()
    deadline = time.monotonic() + READERS_S
    while not leave_wal(connection) and time.monotonic() < deadline:
        time.sleep(0.02)


def leave_wal(connection: sqlite3.Connection) -> bool:
    """Checkpoint and set the journal mode back; False where a reader is in the way.

    Raises:
        sqlite3.Error: The checkpoint cannot be stored.
    """
    try:
        mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return False
        raise
    return bool(mode[0] == "delete")
