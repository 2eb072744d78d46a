"""Older session files are brought up to date on opening, one version at a time."""

import sqlite3
from pathlib import Path

from app.record.store import database
from app.record.store.digest import content_digest, fits_hash
from app.record.store.schema import MIGRATIONS


def migrate(path: Path) -> None:
    """Bring a file to the newest version; each step and its number are one commit.

    A file that was unchanged since its recording gets the hash of its new form.

    Raises:
        sqlite3.OperationalError: The file cannot be written.
        BadInput: Its tables are not those of its version.
    """
    connection = database.connect_for_changes(path)
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        due = MIGRATIONS[version - 1 :]
        intact = bool(due) and fits_hash(connection)
        for number, sql in enumerate(due, version + 1):
            try:
                connection.executescript(
                    f"BEGIN IMMEDIATE;{sql};PRAGMA user_version = {number};"
                )
                if intact:
                    connection.execute(
                        "UPDATE session SET sha256 = ?", (content_digest(connection),)
                    )
                connection.execute("COMMIT")
            except sqlite3.Error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
    finally:
        connection.close()
