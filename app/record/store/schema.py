"""The schema of a session file, what it was in older versions, and telling others."""

import re
import sqlite3
from contextlib import closing
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

from instruments.errors import BadInput

VERSION = 4
"""The version of the schema, in the header as user_version."""


def schema_sql() -> str:
    """Get the SQL that makes the tables of a new session."""
    text = files("app.record.store").joinpath("schema.sql")
    return text.read_text(encoding="utf-8")


_VIEW = schema_sql().partition("CREATE VIEW report_table")
_REPORT_TABLE = _VIEW[1] + _VIEW[2]
_REPORT_TABLE_1 = re.sub(r"coalesce\(.*?AS thin,", "", _REPORT_TABLE, flags=re.DOTALL)

MIGRATIONS: tuple[str, ...] = (
    "ALTER TABLE source ADD COLUMN measures TEXT NOT NULL DEFAULT 'dut'",
    f"DROP VIEW report_table; {_REPORT_TABLE}",
    "ALTER TABLE clock_pair ADD COLUMN offset_ns INTEGER NOT NULL DEFAULT 0",
)
"""SQL from version 1 to 2, from 2 to 3, and so on."""

TAKEN_BACK: tuple[str, ...] = (
    "ALTER TABLE source DROP COLUMN measures",
    f"DROP VIEW report_table; {_REPORT_TABLE_1}",
    "ALTER TABLE clock_pair DROP COLUMN offset_ns",
)
"""SQL from version 2 to 1, from 3 to 2, and so on: how older files look."""

_TOKEN = re.compile(
    r"(?P<none>--[^\n]*|[ \t\n\f\r]+)|'(?:[^']|'')*'|\"[^\"]*\"|\w+|.", re.A | re.S
)

_Known = dict[tuple[object, object], tuple[object, tuple[str, ...]]]


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Make sure that a file has the schema of its version and nothing besides.

    A view, trigger, default, check or generated column of somebody else's making
    would be run by our own queries.

    Raises:
        BadInput: It has another one.
        sqlite3.Error: It cannot be read.
    """
    [version] = connection.execute("PRAGMA user_version").fetchone()
    missing = dict(_known(version)) if 1 <= version <= VERSION else {}
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    for kind, name, table, sql in rows:
        if kind == "index" and sql is None:  # of a UNIQUE or a PRIMARY KEY, as known
            continue
        if missing.pop((kind, name), None) != (table, _plain(kind, sql)):
            raise _foreign(path, version)
    if missing:
        raise _foreign(path, version)


def _foreign(path: Path, version: int) -> BadInput:
    return BadInput(
        f"the session says that it has format {version}, and its tables are others",
        where=str(path),
        way_out="Somebody changed it; fetch a copy from before that.",
    )


@cache
def _known(version: int) -> _Known:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema_sql())
        for sql in reversed(TAKEN_BACK[version - 1 :]):
            connection.executescript(sql)
        rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
        return {
            (kind, name): (table, _plain(kind, sql))
            for kind, name, table, sql in rows
            if sql
        }


@lru_cache(maxsize=256)
def _plain(kind: str, sql: object) -> tuple[str, ...]:
    """Get the definitions of a statement, without blanks and comments.

    Those of a table are sorted: what a migration has added stands last in it.
    """
    found, depth = [""], 0
    for match in _TOKEN.finditer(sql if isinstance(sql, str) else ""):
        if match["none"]:
            continue
        token = match[0]
        depth += (token == "(") - (token == ")")
        if kind == "table" and f"{token}{depth}" in ("(1", ",1", ")0"):
            found.append("")
        else:
            found[-1] += f" {token}"
    return tuple(sorted(found))
