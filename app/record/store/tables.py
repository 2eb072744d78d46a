"""The plain tables of a session, read as values."""

import sqlite3
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from app.record.store.limits import (
    LAST_NS,
    MOST_CHANNELS,
    MOST_GAPS,
    MOST_ROWS,
    MOST_STEPS,
    bounded,
)
from app.record.store.model import (
    AlarmRow,
    AnnotationRow,
    ArtefactRow,
    ClockPair,
    EventRow,
    GapRow,
    InventoryRow,
    JournalRow,
    OffsetRow,
    Result,
    SessionInfo,
    SourceRow,
    StepRow,
    Window,
)
from instruments.reading import Channel

_EXTENT = """
SELECT min(first), max(last) FROM (
    SELECT min(first_ns) AS first, max(last_ns) AS last FROM timeline
    UNION ALL SELECT min(start_ns), max(coalesce(end_ns, start_ns)) FROM step
    UNION ALL SELECT min(start_ns), max(end_ns) FROM gap
)
"""
_SPANS = """
WITH moved AS (
    SELECT source.id AS source_id, coalesce((
        SELECT offset_ns FROM "offset" AS stored
        WHERE stored.source = source.name ORDER BY stored.id DESC LIMIT 1
    ), 0) AS shift FROM source
)
SELECT channel.name, start_ns + shift AS begin_ns, end_ns + shift, reason, detail
FROM {table} JOIN channel ON channel.id = channel_id
JOIN moved ON moved.source_id = channel.source_id
WHERE (:name IS NULL OR channel.name = :name)
AND start_ns <= :end - shift AND end_ns >= :start - shift
ORDER BY begin_ns, {table}.id
"""
"""Gaps or alarms with the offset of their source applied, as traces have it."""

_FOREVER = 2**62
_STATES = ("recording", "complete", "crashed")
_Row = TypeVar("_Row")
_Value = TypeVar("_Value")


def info(connection: sqlite3.Connection) -> tuple[SessionInfo, str]:
    """Get what the session is, and its stored state."""
    rows = connection.execute(
        "SELECT name, campaign, bench, operator, app_version, simulated, dut, boot_id, "
        "monotonic_ns, realtime_ns, outcome, verdict, ended_ns, note FROM session"
    )
    [found] = _rows(SessionInfo, rows, "session")
    [state] = connection.execute("SELECT state FROM session").fetchone()
    if state not in _STATES:
        raise ValueError("its state is none that a session has")
    return replace(found, simulated=bool(found.simulated)), state


def extent(
    connection: sqlite3.Connection, tail: tuple[int | None, int | None] | None = None
) -> tuple[int, int]:
    """Get the first and last time of all readings, gaps and steps, in ns.

    Args:
        connection: The file.
        tail: First and last time of the tail where they are known; else it is read.
    """
    if tail is None:
        tail = connection.execute(
            "SELECT min(first_ns), max(last_ns) FROM tail"
        ).fetchone()
    ends = [*tail, *connection.execute(_EXTENT).fetchone()]
    known = [end for end in ends if end is not None]
    for end in known:
        _check(end, (int,), LAST_NS, "a time")
    return (min(known), max(known)) if known else (0, 0)


def sources(connection: sqlite3.Connection) -> list[SourceRow]:
    """Get the sources, in the order they were introduced."""
    rows = connection.execute(
        "SELECT name, section, driver, maker, model, serial, firmware, address, "
        "simulated, config, measures FROM source ORDER BY id"
    )
    found = _rows(SourceRow, rows, "source", MOST_CHANNELS)
    return [replace(row, simulated=bool(row.simulated)) for row in found]


def source_id(connection: sqlite3.Connection, name: str) -> int | None:
    """Get the number of a source, None where there is none of this name."""
    row = connection.execute("SELECT id FROM source WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else None


def channels(connection: sqlite3.Connection) -> list[tuple[int, Channel]]:
    """Get the channels with their numbers."""
    rows = connection.execute(
        "SELECT channel.id, source.name, quantity, unit, location, period_ns, "
        "latency_ns, window_ns FROM channel JOIN source ON source.id = source_id "
        "ORDER BY channel.id"
    ).fetchmany(MOST_CHANNELS + 1)
    found = _rows(Channel, [row[1:] for row in rows], "channel", MOST_CHANNELS)
    return [(row[0], channel) for row, channel in zip(rows, found, strict=True)]


def steps(connection: sqlite3.Connection) -> list[StepRow]:
    """Get the steps in the order of the campaign."""
    rows = connection.execute(
        "SELECT id, position, label, engine, plan, start_ns, window_start_ns, "
        "window_end_ns, end_ns, outcome, verdict, reason, cause FROM step "
        "ORDER BY position, id"
    )
    return _rows(StepRow, rows, "step", MOST_STEPS)


def count_steps(connection: sqlite3.Connection) -> int:
    """Get how many steps there are, without the void ones that were planned again.

    SQLite counts all of a table without a look at the clock, so that a table that
    leads back into itself is counted for ever: it is told of no more than there may be.
    """
    # One that is planned again is called after the new row, with "(void 1)" behind.
    [steps, replaced] = connection.execute(
        "SELECT count(*), count(*) FILTER "
        "(WHERE outcome = 'VOID' AND instr(label, ' (void ')) "
        "FROM (SELECT label, outcome FROM step LIMIT ?)",
        (MOST_STEPS + 1,),
    ).fetchone()
    counted: int = _check(steps, (int,), MOST_STEPS, "the number of its steps")
    return counted - int(replaced)


def results(connection: sqlite3.Connection, step_id: int | None) -> list[Result]:
    """Get the results of one step, or of all."""
    if connection.execute(
        "SELECT 1 FROM result WHERE step_id NOT IN (SELECT id FROM step) LIMIT 1"
    ).fetchone():
        raise ValueError("a result belongs to no step")
    rows = connection.execute(
        "SELECT name, value, unit, start_ns, end_ns, n_valid, n_expected, origin, "
        "note, basis, over_range_s, step_id FROM result "
        "WHERE :id IS NULL OR step_id = :id ORDER BY step_id, name",
        {"id": step_id},
    )
    return _rows(Result, rows, "result")


def report_table(connection: sqlite3.Connection) -> list[dict[str, object]]:
    """Get the rows of the view, named by its columns."""
    cursor = connection.execute("SELECT * FROM report_table")
    names = [column[0] for column in cursor.description]
    rows = bounded(cursor, "report_table", MOST_STEPS)
    return [dict(zip(names, row, strict=True)) for row in rows]


def events(connection: sqlite3.Connection, after_id: int) -> list[EventRow]:
    """Get the events after one."""
    rows = connection.execute(
        "SELECT id, t_ns, level, source, message FROM event WHERE id > ? ORDER BY id",
        (after_id,),
    )
    return _rows(EventRow, rows, "event")


def gaps(
    connection: sqlite3.Connection, name: str | None, window: Window | None
) -> list[GapRow]:
    """Get the gaps of a channel, or of all, that touch a window."""
    return _rows(GapRow, _spans(connection, "gap", name, window), "gap", MOST_GAPS)


def alarms(
    connection: sqlite3.Connection, name: str | None, window: Window | None
) -> list[AlarmRow]:
    """Get the alarms of a channel, or of all, that touch a window."""
    found = _spans(connection, "alarm", name, window)
    return _rows(AlarmRow, (row[:4] for row in found), "alarm", MOST_GAPS)


def gap_spans(
    connection: sqlite3.Connection, channel_id: int, start: int, end: int, shortest: int
) -> npt.NDArray[np.int64]:
    """Get start and end of the gaps in a window that last at least `shortest` ns."""
    rows = connection.execute(
        "SELECT start_ns, end_ns FROM gap WHERE channel_id = ? AND start_ns <= ? "
        "AND end_ns >= ? AND end_ns - start_ns >= ? ORDER BY start_ns",
        (channel_id, end, start, shortest),
    )
    found = list(bounded(rows, "gap", MOST_GAPS))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def offsets(connection: sqlite3.Connection) -> list[OffsetRow]:
    """Get all offsets in the order they were stored."""
    rows = connection.execute(
        'SELECT source, offset_ns, spread_ns, method FROM "offset" ORDER BY id'
    )
    return _rows(OffsetRow, rows, "offset")


def offset_of(connection: sqlite3.Connection, source: str) -> int:
    """Get the offset of a source in ns that holds."""
    row = connection.execute(
        'SELECT offset_ns FROM "offset" WHERE source = ? ORDER BY id DESC LIMIT 1',
        (source,),
    ).fetchone()
    shift: int = row[0] if row else 0
    return _check(shift, (int,), LAST_NS, "an offset")


def clock_pairs(connection: sqlite3.Connection) -> list[ClockPair]:
    """Get the clock pairs in the order of time."""
    rows = connection.execute(
        "SELECT boot_id, monotonic_ns, realtime_ns, offset_ns "
        "FROM clock_pair ORDER BY id"
    )
    return _rows(ClockPair, rows, "clock_pair")


def artefacts(connection: sqlite3.Connection) -> list[ArtefactRow]:
    """Get what was kept, without the content."""
    rows = connection.execute(
        "SELECT step_id, name, media_type, size FROM artefact ORDER BY id"
    )
    return _rows(ArtefactRow, rows, "artefact")


def artefact(
    connection: sqlite3.Connection, name: str, step_id: int | None
) -> bytes | None:
    """Get the packed content of the last artefact of a name."""
    row = connection.execute(
        "SELECT content FROM artefact WHERE name = :name "
        "AND (:step IS NULL OR step_id = :step) ORDER BY id DESC LIMIT 1",
        {"name": name, "step": step_id},
    ).fetchone()
    return bytes(row[0]) if row else None


def journal(connection: sqlite3.Connection) -> list[JournalRow]:
    """Get the journal in its order."""
    rows = connection.execute("SELECT t_ns, action, detail FROM journal ORDER BY id")
    return _rows(JournalRow, rows, "journal")


def annotations(connection: sqlite3.Connection) -> list[AnnotationRow]:
    """Get the annotations in the order they were written."""
    rows = connection.execute(
        "SELECT id, realtime_ns, author, kind, text, start_ns, end_ns "
        "FROM annotation ORDER BY id"
    )
    return _rows(AnnotationRow, rows, "annotation")


def inventory(connection: sqlite3.Connection) -> list[InventoryRow]:
    """Get the facts about hosts and devices."""
    rows = connection.execute(
        "SELECT kind, name, key, value FROM inventory "
        "WHERE kind <> 'session' ORDER BY kind, name, key"  # that is its signature
    )
    return _rows(InventoryRow, rows, "inventory")


def stored_digest(connection: sqlite3.Connection) -> str | None:
    """Get the hash stored at the end."""
    row = connection.execute("SELECT sha256 FROM session").fetchone()
    return row[0] if row else None


def _rows(
    kind: Callable[..., _Row],
    rows: Iterable[tuple[Any, ...]],
    table: str,
    most: int = MOST_ROWS,
) -> list[_Row]:
    """Make values of rows.

    SQLite lets any value be in any column, so each is compared with its field.

    Raises:
        ValueError: A value is of another type, a time is beyond any run, or there are
            more rows than any run makes.
    """
    fields = _fields(kind)
    usual: tuple[type, ...] = ()
    numbers: list[int] = []
    found = []
    for row in bounded(rows, table, most):
        kinds = tuple(map(type, row))
        if kinds != usual:
            for value, (name, types, last) in zip(row, fields, strict=True):
                _check(value, types, last, f"{name} of {table}")
            usual = kinds
            numbers = [place for place, one in enumerate(kinds) if one in (int, float)]
        for place in numbers:
            name, _, last = fields[place]
            if not -last <= row[place] <= last:
                raise ValueError(f"{name} of {table} is {row[place]:g}")
        found.append(kind(*row))
    return found


@cache
def _fields(kind: Any) -> tuple[tuple[str, tuple[type, ...], float], ...]:
    """Get name, types and greatest number of each field that is a column."""
    found = []
    hints = get_type_hints(kind)
    for name in (field.name for field in fields(kind) if not field.kw_only):
        hint = hints[name]
        types = set(get_args(hint) or (hint,))
        if bool in types or float in types:
            types.add(int)
        found.append(
            (name, tuple(types), sys.float_info.max if float in types else LAST_NS)
        )
    return tuple(found)


def _check(value: _Value, types: tuple[type, ...], last: float, what: str) -> _Value:
    if type(value) not in types:
        raise ValueError(f"{what} is a {type(value).__name__}")
    if isinstance(value, int | float) and not -last <= value <= last:
        raise ValueError(f"{what} is {value:g}")
    return value


def _spans(
    connection: sqlite3.Connection, table: str, name: str | None, window: Window | None
) -> sqlite3.Cursor:
    start, end = window or (-_FOREVER, _FOREVER)
    return connection.execute(
        _SPANS.format(table=table), {"name": name, "start": start, "end": end}
    )
