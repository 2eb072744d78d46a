"""Going on with a session that a crash left behind."""

import sqlite3
from pathlib import Path

from app.record.store import database
from app.record.store.ledger import Ledger
from instruments.errors import BadInput

NOT_RUNNING = "Bayscope was not running"
"""Why nothing was read between the crash and the resumption."""


def reconnect(path: Path) -> sqlite3.Connection:
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
                "the run of this session ended in order, there is nothing left of it",
                where=str(path),
                way_out="Run the campaign again for a new session.",
            )
        connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


def plan_again(ledger: Ledger) -> None:
    """Take back what recovery said of the session, and of steps that never began."""
    ledger.execute(
        "UPDATE session SET state = 'recording', verdict = NULL, outcome = '', "
        "ended_ns = NULL WHERE id = 1"
    )
    ledger.execute(
        "UPDATE step SET outcome = 'planned', reason = '', cause = '' "
        "WHERE outcome = 'SKIPPED' AND cause = 'crashed'"
    )


def last_times(connection: sqlite3.Connection) -> dict[int, int]:
    """Get the time of the last reading of each group in ns."""
    return dict(
        connection.execute(
            "SELECT group_id, max(last_ns) FROM (SELECT group_id, last_ns FROM tail "
            "UNION ALL SELECT group_id, last_ns FROM timeline) GROUP BY group_id"
        ).fetchall()
    )
