"""What a session is found by: one table of fields, read from its file at one look."""

import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.record.store.limits import MOST_CHANNELS, MOST_STEPS, bounded
from app.record.store.model import SessionInfo, SessionSummary
from instruments.files.foreign_text import stored_toml
from instruments.metric import BY_NAME

WHOLE = 0
"""Stands for the row of what is said of the whole session."""

_MOST_LETTERS = 200
"""A text is searched so far."""

_MOST_FOUND = 5_000
"""This many texts of a session are searched."""

Rows = Mapping[str, list[tuple[Any, ...]]]
"""Rows of tables of the file, by the name of the table."""

Found = tuple[str, int, str]
"""A field, the row it is said of or WHOLE, and a text."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that a session can be searched by.

    Attributes:
        about: What it is, for help and completion.
        read: Yields row (or WHOLE) and text, from what the session is and its tables.
    """

    about: str
    read: Callable[[SessionInfo, Rows], Iterable[tuple[int, str]]]


TEXTS = {
    "device": Field("the device under test", lambda info, _: [(WHOLE, info.dut)]),
    "name": Field("the name of the session", lambda info, _: [(WHOLE, info.name)]),
    "step": Field("label of a step", lambda _, t: ((r[0], r[1]) for r in t["step"])),
    "engine": Field("what made a step's load", lambda _, t: _engines(t)),
    "option": Field("an option of a step, as bs=4k", lambda _, t: _options(t)),
    "firmware": Field("firmware of a device or source", lambda _, t: _firmware(t)),
    "source": Field(
        "a source, its maker, model or serial number", lambda _, t: _sources(t)
    ),
    "bench": Field("name of the bench", lambda info, _: [(WHOLE, _bench(info))]),
    "operator": Field("who ran it", lambda info, _: [(WHOLE, info.operator)]),
    "tag": Field("a tag it was given", lambda _, t: _said(t, "tag")),
    "note": Field("its note", lambda info, t: [(WHOLE, info.note), *_said(t, "note")]),
}
"""The fields of text; a further one is a line here."""

_TABLES = {
    "step": ("SELECT id, label, engine, plan FROM step ORDER BY id", MOST_STEPS),
    "result": ("SELECT step_id, name, value FROM result", 20 * MOST_STEPS),
    "source": ("SELECT name, maker, model, serial, firmware FROM source", 1000),
    "inventory": (
        "SELECT key, value FROM inventory WHERE key LIKE '%firmware%'",
        MOST_CHANNELS,
    ),
    "annotation": (
        "SELECT kind, text FROM annotation WHERE start_ns IS NULL ORDER BY id",
        MOST_CHANNELS,
    ),
}


@dataclass(frozen=True, slots=True)
class Look:
    """One session as it is listed, and what it is found by.

    Attributes:
        summary: Its line of the list.
        texts: What is said of it.
        values: Metric, row and value of its results.
    """

    summary: SessionSummary
    texts: tuple[Found, ...] = ()
    values: tuple[tuple[str, int, float], ...] = ()


def read_tables(connection: sqlite3.Connection) -> Rows:
    """Read what sessions are found by; of versions 1 to the present one.

    Raises:
        ValueError: There is more of it than any recording makes.
    """
    return {
        name: list(bounded(connection.execute(sql), name, most))
        for name, (sql, most) in _TABLES.items()
    }


def texts_of(info: SessionInfo, rows: Rows) -> tuple[Found, ...]:
    """List what a session says of itself, field by field."""
    found = {
        (name, row, str(text)[:_MOST_LETTERS])
        for name, field in TEXTS.items()
        for row, text in field.read(info, rows)
        if text
    }
    return tuple(sorted(found))[:_MOST_FOUND]


def values_of(rows: Rows) -> tuple[tuple[str, int, float], ...]:
    """List the results of its rows that are metrics, as numbers."""
    return tuple(
        (name, row, float(value))
        for row, name, value in rows["result"]
        if name in BY_NAME and isinstance(value, int | float) and math.isfinite(value)
    )[:_MOST_FOUND]


def labelled(rows: Rows) -> tuple[tuple[str, ...], str, bool]:
    """Get the tags, the note and the star it was given."""
    tags = tuple(text for _, text in _said(rows, "tag"))
    note = "\n".join(text for _, text in _said(rows, "note"))
    return tags, note, bool(list(_said(rows, "star")))


def _said(rows: Rows, kind: str) -> Iterator[tuple[int, str]]:
    return ((WHOLE, str(text)) for own, text in rows["annotation"] if own == kind)


def _engines(rows: Rows) -> Iterator[tuple[int, str]]:
    return ((row, engine) for row, _, engine, _ in rows["step"])


def _options(rows: Rows) -> Iterator[tuple[int, str]]:
    for row, _, engine, plan in rows["step"]:
        own = stored_toml(plan).get(engine)
        if isinstance(own, Mapping):
            yield from ((row, f"{key}={value}") for key, value in own.items())


def _sources(rows: Rows) -> Iterator[tuple[int, str]]:
    return ((WHOLE, text) for *said, _ in rows["source"] for text in said)


def _firmware(rows: Rows) -> Iterator[tuple[int, str]]:
    yield from ((WHOLE, firmware) for *_, firmware in rows["source"])
    yield from ((WHOLE, value) for _, value in rows["inventory"])


def _bench(info: SessionInfo) -> str:
    return str(stored_toml(info.bench).get("name", "")) if info.bench else ""
