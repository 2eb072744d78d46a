"""Older session files are brought up to date on opening, one version at a time."""

import sqlite3
from pathlib import Path

from app.record.store import database

MIGRATIONS: tuple[str, ...] = ()
"""SQL from version 1 to 2, from 2 to 3, and so on."""


def migrate(path: Path, migrations: tuple[str, ...] | None = None) -> None:
    """Bring a file to the newest version; each step and its number are one commit.

    Raises:
        sqlite3.OperationalError: The file cannot be written.
    """
    connection = database.connect_for_changes(path)
    try:
        steps = MIGRATIONS if migrations is None else migrations
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        for number, sql in enumerate(steps[version - 1 :], version + 1):
            try:
                connection.executescript(
                    f"BEGIN IMMEDIATE;{sql};PRAGMA user_version = {number};COMMIT;"
                )
            except sqlite3.Error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
    finally:
        connection.close()
