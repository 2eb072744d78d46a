"""What is known of many sessions, beside them: a cache that may go at any time.

A line of it counts only while the file has the very size and times it was read with;
whatever is not whole and finished is read from its file each time. Nothing is kept here
that is not in the sessions.
"""

import contextlib
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from app.record.store.looks import WHOLE, Look
from app.record.store.model import SessionSummary
from instruments.metric import BY_NAME

T = TypeVar("T")

# The index can be made again, so nobody waits long for another window that writes it.
_BUSY_S = 2.0
_SCHEMA = """
CREATE TABLE session (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    folder BLOB NOT NULL,
    file   BLOB NOT NULL,
    stamp  TEXT NOT NULL,
    line   TEXT NOT NULL,                -- its summary, JSON
    UNIQUE (folder, file)
);
CREATE TABLE word (
    id    INTEGER PRIMARY KEY,
    field TEXT NOT NULL,
    text  TEXT NOT NULL,                 -- as it is written in the session
    folded TEXT NOT NULL,                -- as it is searched
    UNIQUE (field, text)
);
CREATE TABLE said (
    word    INTEGER NOT NULL,
    session INTEGER NOT NULL,
    row     INTEGER NOT NULL,            -- step of the session, 0 for all of it
    PRIMARY KEY (word, session, row)
) WITHOUT ROWID;
CREATE TABLE measured (
    metric  TEXT NOT NULL,
    session INTEGER NOT NULL,
    row     INTEGER NOT NULL,
    value   REAL NOT NULL,
    PRIMARY KEY (metric, session, row)
) WITHOUT ROWID;
"""
_LEFT_BEHIND = 20_000
"""Lines of files that changed or went; with more of them it is begun again."""

Stamp = tuple[int, int, int]
"""Size, and times of the last change of content and of anything, in ns."""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that is wanted of a session.

    Attributes:
        field: A field of text, a metric, or "" for any text.
        text: What a text contains, folded; "" where a number is wanted.
        low: The least number.
        high: The greatest number.
        without: Whether it must not be so.
    """

    field: str
    text: str = ""
    low: float = float("-inf")
    high: float = float("inf")
    without: bool = False

    @property
    def is_of_row(self) -> bool:
        """Whether it is said of a step, and not of the session as a whole."""
        return self.field in ROWS or self.field in BY_NAME


ROWS = frozenset({"step", "engine", "option"})
"""Fields of text that are said of steps; results are, too."""

SAID: Mapping[str, tuple[str, Callable[[SessionSummary], Sequence[str]]]] = {
    "file": ("the name of its file", lambda one: [one.path.stem]),
    "verdict": (
        "PASS, FAIL, ERROR, ABORTED; or crashed, recording, unreadable",
        lambda one: ["unreadable" if one.error else one.judged],
    ),
    "is": (
        "starred, simulated, published or unclean",
        lambda one: [word for word, holds in _flags(one).items() if holds],
    ),
}
"""What is searched of the line of a session: about it, and its texts."""


def _flags(one: SessionSummary) -> dict[str, bool]:
    return {
        "starred": one.starred,
        "simulated": one.simulated,
        "published": one.published,
        "unclean": bool(one.unclean),
    }


NUMBERS: Mapping[str, tuple[str, Callable[[SessionSummary], float]]] = {
    "date": (
        "when it was started, as 2026, 2026-03 or 2026-03-21",
        lambda one: one.started / 1e9,
    ),
    "duration": ("how long it lasted, as 90s or 2h", lambda one: one.duration_s),
    "size": ("bytes of its file", lambda one: one.size),
    "steps": ("how many steps it has", lambda one: one.steps),
}
"""Numbers of a session as a whole: about each, and where it is from."""

_LINE = get_type_hints(SessionSummary)
del _LINE["path"]
"""What a line holds: the fields of a summary in their order, and their types."""

_VERSION = zlib.crc32(f"{_SCHEMA}{_LINE}".encode()) & 0x7FFF_FFFF or 1
"""Another one wherever tables or fields are others: it is begun again then."""


class Index:
    """The cache in a file, or in memory where none can be kept.

    Args:
        path: The file; it is made, and made again where it is damaged, of another
            version or left with much that is no more. None for memory.

    Attributes:
        losses: How often all that was known was lost, as the file failed.
    """

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.Lock()
        self._connection = _connected(path)
        self.losses = 0

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def known(
        self, folder: Path, stamps: Mapping[str, Stamp | None]
    ) -> dict[str, SessionSummary]:
        """Get what is known of files that are as they were when they were read.

        Args:
            folder: Their folder.
            stamps: Of each file by its name; None for one that is to be read again.
        """
        rows = self._use(
            lambda connection: connection.execute(
                "SELECT file, stamp, line FROM session WHERE folder = ?",
                (_bytes(folder),),
            ).fetchall()
        )
        summaries = {}
        for name, stamp, line in rows:
            file = os.fsdecode(name)
            now = stamps.get(file)
            if now is not None and _stamp(now) == stamp:
                one = _summary(folder / file, line)
                if one is not None:
                    summaries[file] = one
        return summaries

    def keep(
        self, folder: Path, looks: Sequence[tuple[str, Stamp | None, Look]]
    ) -> None:
        """Remember what was read, in place of what was known of these files.

        What is not whole and finished can be searched, and is read again next time.
        """

        def do(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                for file, stamp, look in looks:
                    lasts = look.summary.state == "complete" and stamp is not None
                    text = _stamp(stamp) if stamp and lasts else ""
                    _keep(connection, folder, file, text, look)

        self._use(do)

    def search(self, folder: Path, terms: Sequence[Term]) -> set[str]:
        """Find the sessions of a folder for which all terms hold, by their files.

        Terms of steps and their results have to hold for one and the same step.
        """
        of_rows = [one for one in terms if one.is_of_row and not one.without]
        sql = "SELECT file FROM session WHERE folder = ?"
        values: list[object] = [_bytes(folder)]
        if of_rows:
            parts = [_find(one, "session, row") for one in of_rows]
            inner = " INTERSECT ".join(part for part, _ in parts)
            sql += f" AND id IN (SELECT session FROM ({inner}))"
            values += [value for _, own in parts for value in own]
        for one in terms:
            if one not in of_rows:
                part, own = _find(one, "session")
                sql += f" AND id {'NOT ' * one.without}IN ({part})"
                values += own
        rows = self._use(lambda one: one.execute(sql, values).fetchall())
        return {os.fsdecode(file) for (file,) in rows}

    def words(self, folder: Path, most: int = 200) -> dict[str, list[str]]:
        """Get texts that the sessions of a folder have of each field, to be offered."""
        words: dict[str, list[str]] = {}
        sql = (
            "SELECT field, text FROM word WHERE EXISTS (SELECT 1 FROM said "
            "JOIN session ON session.id = said.session "
            "WHERE said.word = word.id AND folder = ?) ORDER BY field, folded"
        )
        place = (_bytes(folder),)
        for field, text in self._use(lambda one: one.execute(sql, place).fetchall()):
            own = words.setdefault(field, [])
            if len(own) < most:
                own.append(text)
        return words

    def _use(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """Use the connection alone; where the file fails, go on in memory, empty."""
        with self._lock:
            try:
                return do(self._connection)
            except sqlite3.ProgrammingError:
                raise
            except sqlite3.Error:
                self._connection.close()
                self._connection = _checked(None)
                self.losses += 1
                return do(self._connection)


def _summary(path: Path, line: str) -> SessionSummary | None:
    """Read a line; None where it is damaged, so that the file is read again."""
    try:
        values = dict(zip(_LINE, json.loads(line), strict=True))
        values["tags"] = tuple(values["tags"])
    except (TypeError, ValueError, RecursionError):
        return None
    if not all(_is_of(value, _LINE[name]) for name, value in values.items()):
        return None
    return SessionSummary(path, **values)


def _is_of(value: object, kind: Any) -> bool:
    if kind == tuple[str, ...]:
        return isinstance(value, tuple) and all(isinstance(one, str) for one in value)
    return isinstance(value, float | int if kind is float else kind)


def _stamp(stamp: Stamp) -> str:
    return " ".join(map(str, stamp))


def _bytes(folder: Path) -> bytes:
    """Write a folder as the index has it: names of files may be any bytes."""
    return os.fsencode(folder.absolute())


def _plain(text: str) -> str:
    """Write a text as SQLite takes it."""
    return text.encode("utf-8", "backslashreplace").decode()


def _connected(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        for _ in range(2):
            with contextlib.suppress(sqlite3.Error, OSError):
                return _checked(path)
            for end in ("", "-wal", "-shm"):
                with contextlib.suppress(OSError):
                    path.with_name(path.name + end).unlink()
    return _checked(None)


def _checked(path: Path | None) -> sqlite3.Connection:
    """Connect to the file, and make its tables where it has none.

    Raises:
        sqlite3.DatabaseError: It is not such a file, or is not worth its room any more.
        OSError: Its folder cannot be made.
    """
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(
        path or ":memory:",
        timeout=_BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        # It is a cache: a power cut may take it, and a reader never waits for a writer.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            connection.executescript(
                f"BEGIN IMMEDIATE;PRAGMA user_version = {_VERSION};{_SCHEMA}COMMIT;"
            )
        elif version != _VERSION:
            raise sqlite3.DatabaseError(f"version {version}")
        [count, last] = connection.execute(
            "SELECT count(*), coalesce(max(id), 0) FROM session"
        ).fetchone()
        if last - count > count + _LEFT_BEHIND:
            raise sqlite3.DatabaseError("most of it is no more")
    except BaseException:
        connection.close()
        raise
    return connection


def _keep(
    connection: sqlite3.Connection, folder: Path, file: str, stamp: str, look: Look
) -> None:
    line: list[Any] = [getattr(look.summary, name) for name in _LINE]
    number = connection.execute(
        "INSERT OR REPLACE INTO session (folder, file, stamp, line) "
        "VALUES (?, ?, ?, ?)",
        (_bytes(folder), os.fsencode(file), stamp, json.dumps(line)),
    ).lastrowid
    said = [(field, _plain(text), row) for field, row, text in look.texts]
    for field, (_, get) in SAID.items():
        said += [(field, _plain(text), WHOLE) for text in get(look.summary)]
    connection.executemany(
        "INSERT OR IGNORE INTO word (field, text, folded) VALUES (?, ?, ?)",
        [(field, text, text.casefold()) for field, text, _ in said],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO said SELECT id, ?, ? FROM word "
        "WHERE field = ? AND text = ?",
        [(number, row, field, text) for field, text, row in said],
    )
    numbers = list(look.values)
    if not look.summary.error:
        numbers += [
            (name, WHOLE, float(get(look.summary)))
            for name, (_, get) in NUMBERS.items()
        ]
    connection.executemany(
        "INSERT OR IGNORE INTO measured VALUES (?, ?, ?, ?)",
        [(name, number, row, value) for name, row, value in numbers],
    )


def _find(term: Term, columns: str) -> tuple[str, list[object]]:
    """Write what finds a term, as SQL and its values."""
    if not term.text:
        return (
            f"SELECT {columns} FROM measured "
            "WHERE metric = ? AND value BETWEEN ? AND ?",
            [term.field, term.low, term.high],
        )
    of_field = "field = ? AND " if term.field else ""
    return (
        f"SELECT {columns} FROM said WHERE word IN "
        f"(SELECT id FROM word WHERE {of_field}instr(folded, ?))",
        [*([term.field] if term.field else []), _plain(term.text)],
    )
