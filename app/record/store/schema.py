"""The schema of a session file, what it was in older versions, and telling others."""

import re
import sqlite3
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path

from instruments.errors import BadInput

VERSION = 10
"""The version of the schema, in the header as user_version."""


def schema_sql() -> str:
    """Get the SQL that makes the tables of a new session."""
    return Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")


_VIEW = schema_sql().partition("CREATE VIEW report_table")
_REPORT_TABLE = _VIEW[1] + _VIEW[2]
_REPORT_TABLE_1 = re.sub(r"coalesce\(.*?AS thin,", "", _REPORT_TABLE, flags=re.DOTALL)

_CRASHED = "the recording program ended without finishing (crash, kill or power cut)"

CAUSE_BEFORE_5 = f"""CASE
    WHEN outcome = 'SKIPPED' AND reason = 'not run, {_CRASHED}' THEN 'crashed'
    WHEN outcome IN ('ERROR', 'VOID') AND instr(reason, '{_CRASHED}') = 1 THEN 'crashed'
    WHEN outcome = 'VOID' AND instr(reason, 'held: ') = 1 THEN 'interlock'
    WHEN outcome = 'ABORTED' THEN 'stopped'
    WHEN outcome <> 'SKIPPED' THEN ''
    WHEN instr(reason, 'not run, stopped by the operator') = 1 THEN 'stopped'
    WHEN instr(reason, 'skipped by the operator') = 1 THEN 'skipped'
    WHEN instr(reason, 'not switched off, the operator') = 1 THEN 'refused'
    WHEN instr(reason, 'not run, it needs ') = 1 THEN 'needs'
    ELSE '' END"""
"""The cause of a step as its sentence told it before version 5 stored it, in SQL."""

_SWITCHES = (
    "('start-up', 'switching off', 'switching on', 'switched off', 'switched on')"
)
ACTION_BEFORE_5 = f"""CASE
    WHEN action NOT IN {_SWITCHES} THEN NULL
    WHEN detail LIKE '%: off: ordered' THEN 'switching off'
    WHEN detail LIKE '%: on: ordered' THEN 'switching on'
    WHEN instr(detail, ': off: ') THEN 'switched off'
    WHEN instr(detail, ': on: ') THEN 'switched on' END"""
"""What a line of the journal called "start-up" was before version 5, in SQL."""

_WITHOUT_ATTEMPT = "rtrim(rtrim(label, ')'), '0123456789')"
ATTEMPT_BEFORE_8 = f"""CASE
    WHEN outcome = 'VOID' AND substr({_WITHOUT_ATTEMPT}, -7) = ' (void '
    THEN CAST(substr(label, length({_WITHOUT_ATTEMPT}) + 1) AS INTEGER) ELSE 0 END"""
"""The attempt of a void row as the end of its label told it before version 8 stored it,
in SQL."""

_TOLD_LABEL = "replace(replace({}, '\\', '\\\\'), '\"', '\\\"')"
_OF_PLAN = (
    f"""instr(char(10) || plan, char(10) || 'label = "' || {_TOLD_LABEL} || '"')"""
)

_IN_ATTEMPT = f"""CASE attempt WHEN 0 THEN label
    ELSE substr(label, 1, length({_WITHOUT_ATTEMPT}) - 7) END"""
_WITHOUT_PASS = f"rtrim(rtrim({_IN_ATTEMPT}, ')'), '0123456789')"
_PASS = f"CAST(substr({_IN_ATTEMPT}, length({_WITHOUT_PASS}) + 1) AS INTEGER)"
_IS_PASS = f"""(substr({_WITHOUT_PASS}, -7) = ' (pass ' AND {_IN_ATTEMPT} GLOB '*[0-9])'
    AND {_PASS} BETWEEN 1 AND 100000 AND NOT {_OF_PLAN.format(_IN_ATTEMPT)})"""
PASS_BEFORE_9 = f"CASE WHEN {_IS_PASS} THEN {_PASS} ELSE 1 END"
"""The pass of a row as the end of its label told it before version 9 stored it."""

_IN_PASS = f"""CASE WHEN {_IS_PASS}
    THEN substr({_IN_ATTEMPT}, 1, length({_WITHOUT_PASS}) - 7)
    ELSE {_IN_ATTEMPT} END"""
_WITHOUT_NUMBER = f"rtrim(rtrim({_IN_PASS}, ')'), '0123456789/')"
SERIES_BEFORE_9 = f"""CASE WHEN ({_IN_PASS}) LIKE '%)'
    AND substr({_WITHOUT_NUMBER}, -2) = ' ('
    AND {_IN_PASS} GLOB '*([0-9]*)' AND {_IN_PASS} NOT GLOB '*/)'
    AND NOT {_OF_PLAN.format(_IN_PASS)}
    THEN substr({_IN_PASS}, 1, length({_WITHOUT_NUMBER}) - 2)
    ELSE {_IN_PASS} END"""
"""The series of a row as its label, without the number of a repeat, told it; what is
the label in its plan is not a repeat of another one."""

MIGRATIONS: tuple[str, ...] = (
    "ALTER TABLE source ADD COLUMN measures TEXT NOT NULL DEFAULT 'dut'",
    f"DROP VIEW report_table; {_REPORT_TABLE}",
    "ALTER TABLE clock_pair ADD COLUMN offset_ns INTEGER NOT NULL DEFAULT 0",
    f"""
    ALTER TABLE step ADD COLUMN cause TEXT NOT NULL DEFAULT '';
    UPDATE step SET cause = {CAUSE_BEFORE_5};
    UPDATE journal SET action = coalesce({ACTION_BEFORE_5}, action);
    UPDATE journal SET action = 'remark'
    WHERE action = 'gone on with' AND instr(detail, ': ');
    UPDATE gap SET reason = 'missed beats', detail = substr(detail, 15)
    WHERE reason = 'timeout' AND instr(detail, 'missed beats') = 1
    """,
    """
    ALTER TABLE result ADD COLUMN basis TEXT NOT NULL DEFAULT '';
    ALTER TABLE result ADD COLUMN over_range_s REAL NOT NULL DEFAULT 0;
    UPDATE result SET basis = 'mean power'
    WHERE name LIKE '%energy_wh' AND instr(note, 'mean power x time') = 1;
    UPDATE result SET basis = 'one of several'
    WHERE name = 'noise_db' AND instr(note, ', not of ');
    UPDATE result SET
        over_range_s = CAST(substr(note, instr(note, 'over range for ') + 15) AS REAL),
        note = rtrim(substr(note, 1, instr(note, 'over range for ') - 1), '; ')
    WHERE instr(note, 'over range for ')
    """,
    """
    ALTER TABLE result ADD COLUMN u_meter REAL;
    ALTER TABLE result ADD COLUMN u_scatter REAL;
    ALTER TABLE result ADD COLUMN offset_id INTEGER
    """,
    f"""
    ALTER TABLE step ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
    UPDATE step SET attempt = {ATTEMPT_BEFORE_8}
    """,
    f"""
    ALTER TABLE step ADD COLUMN series TEXT NOT NULL DEFAULT '';
    ALTER TABLE step ADD COLUMN pass_number INTEGER NOT NULL DEFAULT 1;
    UPDATE step SET series = {SERIES_BEFORE_9}, pass_number = {PASS_BEFORE_9}
    """,
    "ALTER TABLE result ADD COLUMN formulas INTEGER",
)
"""SQL from version 1 to 2, from 2 to 3, and so on."""

TAKEN_BACK: tuple[str, ...] = (
    "ALTER TABLE source DROP COLUMN measures",
    f"DROP VIEW report_table; {_REPORT_TABLE_1}",
    "ALTER TABLE clock_pair DROP COLUMN offset_ns",
    "ALTER TABLE step DROP COLUMN cause",
    "ALTER TABLE result DROP COLUMN basis; ALTER TABLE result DROP COLUMN over_range_s",
    "ALTER TABLE result DROP COLUMN u_meter; ALTER TABLE result DROP COLUMN u_scatter; "
    "ALTER TABLE result DROP COLUMN offset_id",
    "ALTER TABLE step DROP COLUMN attempt",
    "ALTER TABLE step DROP COLUMN series; ALTER TABLE step DROP COLUMN pass_number",
    "ALTER TABLE result DROP COLUMN formulas",
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
        f"the session claims to have format {version}, and has other tables",
        where=str(path),
        way_out="It was manipulated; fetch a copy from before that.",
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
