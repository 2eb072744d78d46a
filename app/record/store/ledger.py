"""The writer's transaction, kept as statements until it is durable."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from app.record.store.errors import StoreError, writing

_Parameters = Sequence[object]


class Ledger:
    """One write connection whose open transaction survives a full disk.

    SQLite rolls a transaction back when the disk is full. The statements since the
    last commit are therefore remembered; the first time it happens `make_room` is
    called and they are run again, so that nothing that was handed over is lost.
    """

    def __init__(
        self, connection: sqlite3.Connection, make_room: Callable[[], None]
    ) -> None:
        self.connection = connection
        self.was_full = False
        self._make_room = make_room
        self._statements: list[tuple[str, _Parameters]] = []

    def execute(self, sql: str, parameters: _Parameters = ()) -> sqlite3.Cursor:
        """Run one statement that writes, in the open transaction."""
        self._statements.append((sql, parameters))
        try:
            if not self.connection.in_transaction:
                self.connection.execute("BEGIN IMMEDIATE")
            return self.connection.execute(sql, parameters)
        except sqlite3.Error as error:
            if not _is_full(error):
                self._statements.pop()
                raise
            return self._again(error)

    def executemany(self, sql: str, rows: Iterable[_Parameters]) -> None:
        """Run one statement for each of many rows."""
        for row in rows:
            self.execute(sql, row)

    def fetch(self, sql: str, parameters: _Parameters = ()) -> list[tuple[Any, ...]]:
        """Read rows, those of the open transaction among them."""
        return self.connection.execute(sql, parameters).fetchall()

    def commit(self) -> None:
        """Make all statements durable.

        Raises:
            sqlite3.Error: They could not be stored, though room was made.
        """
        if not self._statements:
            return
        try:
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            if not _is_full(error):
                raise
            self._again(error)
            self.connection.execute("COMMIT")
        self._statements.clear()

    def discard(self) -> None:
        """Give up what is not committed."""
        self._statements.clear()
        self._roll_back()

    def _again(self, error: sqlite3.Error) -> sqlite3.Cursor:
        """Make room and run the statements of the transaction again."""
        if self.was_full:
            raise error
        self.was_full = True
        self._make_room()
        self._roll_back()
        cursor = self.connection.execute("BEGIN IMMEDIATE")
        for sql, parameters in self._statements:
            cursor = self.connection.execute(sql, parameters)
        return cursor

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")


class Guard:
    """What is written is written within it: once that failed for good, nothing more is.

    A class rather than a generator, as every commit passes through it some times.
    """

    def __init__(self, path: Path, ledger: Ledger) -> None:
        self._path = path
        self._ledger = ledger
        self._failure: StoreError | None = None

    def __enter__(self) -> None:
        if self._failure is not None:
            raise self._failure

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        if error is None:
            return
        try:
            with writing(self._path):
                raise error
        except StoreError as failure:
            self._failure = failure
            self._ledger.discard()
            raise


def _is_full(error: sqlite3.Error) -> bool:
    name = getattr(error, "sqlite_errorname", "")
    return name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR")
