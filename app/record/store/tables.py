"""The plain tables of a session, read as values."""

import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from app.plan.cleanness import MOST_FOREIGN, is_clean, marks_of
from app.plan.limits import NEAR
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
        SELECT value FROM json_each(:instead) WHERE key = source.name
    ), (
        SELECT offset_ns FROM "offset" AS stored
        WHERE stored.source = source.name AND stored.id <= :until
        ORDER BY stored.id DESC LIMIT 1
    ), 0) AS shift FROM source
)
SELECT channel.name, start_ns + shift AS begin_ns, end_ns + shift, reason, detail
FROM {table} JOIN channel ON channel.id = channel_id
JOIN moved ON moved.source_id = channel.source_id
WHERE {which}
AND start_ns <= :end - shift AND end_ns >= :start - shift
ORDER BY begin_ns, {table}.id
"""
"""Gaps or alarms with the offset of their source applied, as traces have it."""

_OF_CHANNEL = "channel_id = (SELECT id FROM channel WHERE name = :name)"
"""Finds its rows by their index, which a look at the names of all would not."""

FOREVER = 2**62
"""Later than any time, and after any number."""

_STATES = ("recording", "complete", "crashed")
_Row = TypeVar("_Row")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Offsets:
    """Which clock offsets traces and gaps are shown with."""

    last: int = FOREVER  # the last stored one that counts, by its number
    # sources and ns: those that count in place of the stored ones
    instead: tuple[tuple[str, int], ...] = ()


ALL_OFFSETS = Offsets()
"""Those that are stored, of each source the last one."""


def info(connection: sqlite3.Connection) -> tuple[SessionInfo, str]:
    """Get what the session is, and its stored state."""
    [found] = _select(connection, SessionInfo, "session", "")
    [state] = connection.execute("SELECT state FROM session").fetchone()
    if state not in _STATES:
        raise ValueError("its state is none that a session has")
    return replace(found, simulated=bool(found.simulated)), state


def extent(
    connection: sqlite3.Connection, tail: tuple[int | None, int | None] | None = None
) -> tuple[int, int]:
    """Get the first and last time of all readings, gaps and steps, in ns."""
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
    found = _select(connection, SourceRow, "source", most=MOST_CHANNELS)
    return [replace(row, simulated=bool(row.simulated)) for row in found]


def channels(connection: sqlite3.Connection) -> list[Channel]:
    """Get the channels as recorded."""
    return [channel for _, channel in numbered_channels(connection)]


def numbered_channels(
    connection: sqlite3.Connection,
) -> list[tuple[int, Channel]]:
    """Get the channels with their numbers."""
    rows = connection.execute(
        "SELECT channel.id, source.name, quantity, unit, location, period_ns, "
        "latency_ns, window_ns FROM channel JOIN source ON source.id = source_id "
        "ORDER BY channel.id"
    ).fetchmany(MOST_CHANNELS + 1)
    found = _rows(Channel, [row[1:] for row in rows], "channel", MOST_CHANNELS)
    return [(row[0], channel) for row, channel in zip(rows, found, strict=True)]


def unclean_steps(connection: sqlite3.Connection) -> frozenset[int]:
    """Find the steps whose disk had another user, by their numbers.

    One without a verdict is neither clean nor not: another row stands for it.
    """
    values = _marking(connection).items()
    return frozenset(step for step, own in values if not is_clean(own))


def step_marks(connection: sqlite3.Connection) -> dict[int, str]:
    """Get what follows the verdicts of steps, by their numbers; "" of most."""
    return {step: marks_of(own) for step, own in _marking(connection).items()}


def _marking(connection: sqlite3.Connection) -> dict[int, dict[str, object]]:
    """Read the results of judged steps that mark their verdicts."""
    names = (*MOST_FOREIGN, NEAR)
    values: dict[int, dict[str, object]] = {}
    cursor = connection.execute(
        "SELECT step_id, name, value FROM result "
        f"WHERE name IN ({', '.join('?' * len(names))}) "
        "AND step_id IN (SELECT id FROM step WHERE verdict IS NOT NULL LIMIT ?)",
        (*names, MOST_STEPS),
    )
    for step_id, name, value in bounded(cursor, "result", len(names) * MOST_STEPS):
        values.setdefault(step_id, {})[name] = value
    return values


def results(connection: sqlite3.Connection, step_id: int | None = None) -> list[Result]:
    """Get the results of one step, or of all."""
    if connection.execute(
        "SELECT 1 FROM result WHERE step_id NOT IN (SELECT id FROM step) LIMIT 1"
    ).fetchone():
        raise ValueError("a result belongs to no step")
    more = "WHERE :id IS NULL OR step_id = :id ORDER BY step_id, name"
    return _select(connection, Result, "result", more, {"id": step_id})


def report_table(connection: sqlite3.Connection) -> list[dict[str, object]]:
    """Get the rows of the view, named by its columns."""
    cursor = connection.execute("SELECT * FROM report_table")
    names = [column[0] for column in cursor.description]
    rows = bounded(cursor, "report_table", MOST_STEPS)
    return [dict(zip(names, row, strict=True)) for row in rows]


def events(connection: sqlite3.Connection, after_id: int = 0) -> list[EventRow]:
    """Get the events with numbers above `after_id`."""
    more = "WHERE id > ? ORDER BY id"
    return _select(connection, EventRow, "event", more, (after_id,))


def gaps(
    connection: sqlite3.Connection,
    channel: Channel | str | None,
    window: Window | None,
    offsets: Offsets,
) -> list[GapRow]:
    """Get the gaps of a channel, or of all, that touch a window; see `offset_of`."""
    found = _spans(connection, "gap", channel, window, offsets)
    return _rows(GapRow, found, "gap", MOST_GAPS)


def alarms(
    connection: sqlite3.Connection,
    channel: Channel | str | None,
    window: Window | None,
    offsets: Offsets,
) -> list[AlarmRow]:
    """Get when devices called a value of a channel, or of all, warn or crit.

    Their times are as those of traces, see `offset_of`.
    """
    found = _spans(connection, "alarm", channel, window, offsets)
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


def offset_of(connection: sqlite3.Connection, source: str, offsets: Offsets) -> int:
    """Get the offset of a source in ns: the last one that counts."""
    instead = dict(offsets.instead)
    if source in instead:
        return instead[source]
    row = connection.execute(
        'SELECT offset_ns FROM "offset" WHERE source = ? AND id <= ? '
        "ORDER BY id DESC LIMIT 1",
        (source, offsets.last),
    ).fetchone()
    shift: int = row[0] if row else 0
    return _check(shift, (int,), LAST_NS, "an offset")


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


def stored_digest(connection: sqlite3.Connection) -> str | None:
    """Get the hash stored at the end."""
    row = connection.execute("SELECT sha256 FROM session").fetchone()
    return row[0] if row else None


def _select(
    connection: sqlite3.Connection,
    kind: Callable[..., _Row],
    table: str,
    more: str = "ORDER BY id",
    parameters: Sequence[object] | Mapping[str, object] = (),
    *,
    most: int = MOST_ROWS,
) -> list[_Row]:
    """Get rows as values, whose fields have the names of the columns."""
    columns = ", ".join(name for name, *_ in _fields(kind))
    rows = connection.execute(f'SELECT {columns} FROM "{table}" {more}', parameters)
    return _rows(kind, rows, table, most)


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
    rows_read = []
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
        rows_read.append(kind(*row))
    return rows_read


@cache
def _fields(kind: Any) -> tuple[tuple[str, tuple[type, ...], float], ...]:
    """Get name, types and greatest number of each field that is a column."""
    columns = []
    hints = get_type_hints(kind)
    for name in (one.name for one in fields(kind) if not one.kw_only):
        hint = hints[name]
        types = set(get_args(hint) or (hint,))
        if bool in types or float in types:
            types.add(int)
        columns.append(
            (name, tuple(types), sys.float_info.max if float in types else LAST_NS)
        )
    return tuple(columns)


def _check(value: _Value, types: tuple[type, ...], last: float, what: str) -> _Value:
    if type(value) not in types:
        raise ValueError(f"{what} is a {type(value).__name__}")
    if isinstance(value, int | float) and not -last <= value <= last:
        raise ValueError(f"{what} is {value:g}")
    return value


def _spans(
    connection: sqlite3.Connection,
    table: str,
    channel: Channel | str | None,
    window: Window | None,
    offsets: Offsets,
) -> sqlite3.Cursor:
    start, end = window or (-FOREVER, FOREVER)
    wanted = {
        "name": name_of(channel),
        "start": start,
        "end": end,
        "until": offsets.last,
        "instead": json.dumps(dict(offsets.instead)),
    }
    which = "TRUE" if wanted["name"] is None else _OF_CHANNEL
    return connection.execute(_SPANS.format(table=table, which=which), wanted)


def name_of(channel: Channel | str | None) -> str | None:
    """Get the printed name of a channel, whichever way it is given."""
    return channel.name if isinstance(channel, Channel) else channel


def _reader(
    kind: Callable[..., _Row],
    table: str,
    more: str = "ORDER BY id",
    most: int = MOST_ROWS,
) -> Callable[[sqlite3.Connection], list[_Row]]:
    """Make what reads all rows of a table."""
    return lambda connection: _select(connection, kind, table, more, most=most)


steps = _reader(StepRow, "step", "ORDER BY position, id", MOST_STEPS)
offsets = _reader(OffsetRow, "offset")
"""Of one source the last one is applied."""
clock_pairs = _reader(ClockPair, "clock_pair")
"""At the start, each minute and at the end."""
artefacts = _reader(ArtefactRow, "artefact")
"""The raw outputs that were kept, without their content."""
journal = _reader(JournalRow, "journal")
annotations = _reader(AnnotationRow, "annotation")
inventory = _reader(
    InventoryRow,
    "inventory",
    "WHERE kind <> 'session' ORDER BY kind, name, key",  # that is its signature
)
