"""Older session files are brought up to date on opening, one version at a time."""

import sqlite3
from pathlib import Path

from app.record.store import database, tables
from app.record.store.digest import content_digest

MIGRATIONS: tuple[str, ...] = (
    "ALTER TABLE source ADD COLUMN measures TEXT NOT NULL DEFAULT 'dut'",
)
"""SQL from version 1 to 2, from 2 to 3, and so on."""


def migrate(path: Path, migrations: tuple[str, ...] | None = None) -> None:
    """Bring a file to the newest version; each step and its number are one commit.

    A file that was unchanged since its recording gets the hash of its new form.

    Raises:
        sqlite3.OperationalError: The file cannot be written.
    """
    connection = database.connect_for_changes(path)
    try:
        steps = MIGRATIONS if migrations is None else migrations
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        due = steps[version - 1 :]
        intact = bool(due) and _is_intact(connection)
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


def _is_intact(connection: sqlite3.Connection) -> bool:
    stored = tables.stored_digest(connection)
    return stored is not None and stored == content_digest(connection)
