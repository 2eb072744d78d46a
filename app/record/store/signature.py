"""The signature of a recording: by it the program knows its own session again.

A session that was cut off carries what going on with it does: commands, addresses, what
is to be unmounted. The signature is over all of that, by a key that is not in the file,
and is renewed with each change in the same transaction, so that a kill leaves it whole.
What a recovery writes, on whatever computer, is left out of it.
"""

import hashlib
import hmac
import sqlite3
from pathlib import Path

from app.record.store.ledger import Ledger
from app.record.store.model import Action
from app.record.store.schema import (
    ACTION_BEFORE_5,
    ATTEMPT_BEFORE_8,
    CAUSE_BEFORE_5,
    PASS_BEFORE_9,
    SERIES_BEFORE_9,
)
from instruments.errors import BadInput

ACTS = (
    Action.SET_UP,
    Action.UNDONE,
    Action.SWITCHING_OFF,
    Action.SWITCHING_ON,
    Action.SWITCHED_OFF,
    Action.SWITCHED_ON,
)
"""Lines of the journal that going on with the session acts upon."""

_PLACE = ("session", "recorded here", "signature")
"""Kind, name and key of its fact in the inventory."""

_STEP = "id, position, label, engine, plan"
_END = f"{_STEP}, outcome, reason, verdict, start_ns, end_ns"
_QUERIES = (
    "SELECT json_array(name, campaign, bench, boot_id, monotonic_ns, realtime_ns) "
    "FROM session",
    # How a row stands that has not ended is left out: a recovery changes it.
    "SELECT CASE WHEN outcome IN ('planned', 'running') "
    "OR outcome IN ('ERROR', 'SKIPPED') AND cause = 'crashed' "
    f"THEN json_array({_STEP}) "
    f"WHEN cause = {CAUSE_BEFORE_5} THEN json_array({_END}) "
    f"ELSE json_array({_END}, cause) END "
    f"|| CASE attempt WHEN {ATTEMPT_BEFORE_8} THEN '' ELSE attempt END "
    # Most labels are those of the plan, and need no look at how they end.
    "|| CASE WHEN series = label AND pass_number = 1 AND substr(label, -1) <> ')' "
    f"OR series = {SERIES_BEFORE_9} AND pass_number = {PASS_BEFORE_9} "
    "THEN '' ELSE json_array(series, pass_number) END "
    "FROM step ORDER BY id",
    f"SELECT json_array(t_ns, CASE {ACTION_BEFORE_5} WHEN action THEN 'start-up' "
    "ELSE CASE action WHEN 'start-up' THEN '' ELSE action END END, detail) "
    f"FROM journal WHERE action IN {('start-up', *map(str, ACTS))} ORDER BY id",
)
"""What is signed; SQLite writes the rows, of which there may be thousands each time.

A row that a migration gave the code which its sentence stood for is signed as it was
before, so that the signature of an older session holds; any other code is signed too.
"""


def sign(ledger: Ledger, key: bytes) -> None:
    """Sign what is written, in the open transaction; nothing without a key."""
    if key:
        value = _signature(ledger.connection, key)
        ledger.execute(
            "INSERT OR REPLACE INTO inventory VALUES (?, ?, ?, ?)", (*_PLACE, value)
        )


def is_signed(connection: sqlite3.Connection, key: bytes) -> bool:
    """Tell whether a session is as the owner of this key recorded it."""
    row = connection.execute(
        "SELECT value FROM inventory WHERE kind = ? AND name = ? AND key = ?", _PLACE
    ).fetchone()
    told = str(row[0]) if row is not None else ""
    return bool(key) and hmac.compare_digest(
        told.encode(), _signature(connection, key).encode()
    )


def fingerprint(connection: sqlite3.Connection) -> str:
    """Get a hash over what is signed, by which a session that was looked at is known.

    It stays so when the session is recovered, and when its rows are planned again.
    """
    return _signature(connection, b"")


def check_fingerprint(
    connection: sqlite3.Connection, expected: str, path: Path
) -> None:
    """Check that this is the session that was looked at, and not one in its place.

    Before what follows from the look is written or signed, in the same transaction.

    Raises:
        BadInput: It was changed or replaced since.
    """
    if fingerprint(connection) != expected:
        raise BadInput(
            "the session was changed or replaced since it was looked at",
            where=str(path),
            way_out="Make sure that nobody else writes to its folder, then resume it.",
        )


def _signature(connection: sqlite3.Connection, key: bytes) -> str:
    digest = hmac.new(key, b"bayscope session 1\n", hashlib.sha256)
    for query in _QUERIES:
        for [row] in connection.execute(query):
            digest.update(f"{row}\n".encode())
        digest.update(b"\n")
    return digest.hexdigest()
