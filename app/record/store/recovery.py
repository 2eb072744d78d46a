"""Recovery: what a crash or a power cut left behind becomes one readable file."""

import sqlite3
from pathlib import Path

from app.record.store import database, tables
from app.record.store.closing import CRASHED, leave_wal, mark_unfinished_steps
from app.record.store.ledger import Ledger
from app.record.store.lock import RecordingLock


def recover(path: Path) -> None:
    """Take over the write-ahead log, say that the recording was cut off, tidy up.

    A file that is complete and only could not be tidied at its end stays complete.
    Everything that was committed is kept, in the tail as it is.

    Raises:
        OSError: The folder cannot be written, or somebody else is at it.
        sqlite3.Error: The file cannot be written, or it is damaged.
        ValueError: Its content is none of a session.
    """
    lock = RecordingLock(path)
    try:
        connection = database.connect_for_changes(path)
        try:
            info, state = tables.info(connection)
            if state == "recording":
                _mark_crashed(connection, info.verdict)
            leave_wal(connection)
        finally:
            connection.close()
    finally:
        lock.release()


def _mark_crashed(connection: sqlite3.Connection, verdict: str | None) -> None:
    ledger = Ledger(connection, lambda: None)
    _, last = tables.extent(connection)
    mark_unfinished_steps(ledger, ended_ns=last, reason=CRASHED)
    ledger.execute(
        "UPDATE session SET state = 'crashed', verdict = ?, ended_ns = "
        "coalesce(ended_ns, ?), outcome = 'ERROR' WHERE id = 1",
        (verdict or "ERROR", last),
    )
    ledger.execute(
        "INSERT INTO journal (t_ns, action, detail) VALUES (?, 'recovered', ?)",
        (last, f"{CRASHED}; found on opening"),
    )
    ledger.execute(
        "INSERT INTO event (t_ns, level, source, message) VALUES (?, 'error', ?, ?)",
        (last, "recorder", CRASHED),
    )
    ledger.commit()
