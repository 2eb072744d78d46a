"""What a session may hold at most: whoever made it, it is hostile until read."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

MOST_ROWS = 500_000
"""Rows of a table that are read at once; a run of weeks stays far below."""

MOST_GAPS = 1_000_000
"""A source that comes and goes leaves far more of these than of anything else."""

# Twice what a campaign may have: a row that is held is stored with each of its
# attempts.
MOST_STEPS = 20_000
MOST_CHANNELS = 10_000

MOST_TEXT = 64 * 2**20
"""Characters of a table that are read at once."""

MOST_BLOB = 64 * 2**20
"""Bytes of one value as it is stored."""

MOST_UNPACKED = 256 * 2**20
"""Bytes of one value when it is unpacked."""

MOST_RAW = 2**31
"""Bytes of the replies of one source in a bucket when they are unpacked."""

MOST_UNSEALED = 128 * 2**20
"""Bytes of the tail of a recording that was cut off: some 17 minutes of readings."""

MOST_IN_BUCKET = 2**22
"""Readings of one group in a bucket of 1024 s: four a millisecond."""

MOST_SAMPLES = 2**24
"""Samples that are read at once: 19 days of a meter that is read ten times a second."""

MOST_LIVE_SAMPLES = 2**26
"""The same of a session that this computer records at this moment."""

MOST_OVERVIEW = 4096
"""Rows of the overview that are read at once; a chart needs some hundred."""

LAST_NS = 2**62
"""No time is further from zero than 146 years; a channel read once says just that."""

READ_S = 5.0
"""Seconds of the processor that a read may take."""

BUSY_S = 2.0
"""How long a reader waits for a lock that another program holds."""

_STEPS = 10_000
"""SQLite's instructions between two looks at the clock, a millisecond's worth."""

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MOST_BLOB + 2**20,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 2**16,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 8,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


def restrict(connection: sqlite3.Connection) -> None:
    """Forbid a connection what no session needs; nothing is read for it."""
    for category, most in _LIMITS.items():
        connection.setlimit(category, most)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA mmap_size = 0")


def allow(
    connection: sqlite3.Connection,
    seconds: float,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Let the queries of a connection take so long from now on, in this thread.

    Counted is the time of the processor, so that a slow disk or a busy machine is no
    reason to give up. What takes longer ends with SQLITE_INTERRUPT.
    """
    end = time.thread_time() + seconds
    connection.set_progress_handler(
        lambda: is_over() or time.thread_time() > end, _STEPS
    )


def whole_file_s(size: int) -> float:
    """Get how many seconds of the processor a look at all of a file may take."""
    return READ_S + size / (16 * 2**20)


def bounded(
    rows: Iterable[tuple[Any, ...]], table: str, most: int = MOST_ROWS
) -> Iterator[tuple[Any, ...]]:
    """Pass rows on, up to this many with so much text.

    Raises:
        ValueError: There are more than any recording makes.
    """
    letters = 0
    for count, row in enumerate(rows):
        for value in row:
            if value.__class__ is str:
                letters += len(value)
        if count >= most or letters > MOST_TEXT:
            what = "text than any recording" if count < most else f"rows than {most}"
            raise ValueError(f"{table} has more {what}")
        yield row
