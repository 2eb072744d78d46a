"""The signature of a recording: by it the program knows its own session again.

A session that was cut off carries what going on with it does: commands, addresses, what
is to be unmounted. The signature is over all of that, by a key that is not in the file,
and is renewed with each change in the same transaction, so that a kill leaves it whole.
What a recovery writes, on whatever computer, is left out of it.
"""

import hashlib
import hmac
import json
import sqlite3
from typing import Any

from app.record.store.closing import CRASHED
from app.record.store.ledger import Ledger

ACTS = ("set up", "set-up undone", "start-up")
"""Lines of the journal that going on with the session acts upon."""

_PLACE = ("session", "recorded here", "signature")
"""Kind, name and key of its fact in the inventory."""

_ENDED = 5
"""Columns at the front that tell how a row ended."""


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


def _signature(connection: sqlite3.Connection, key: bytes) -> str:
    digest = hmac.new(key, b"bayscope session 1\n", hashlib.sha256)
    acts = f"WHERE action IN ({', '.join('?' * len(ACTS))})"
    for rows in (
        connection.execute(
            "SELECT name, campaign, bench, boot_id, monotonic_ns, realtime_ns "
            "FROM session"
        ),
        map(
            _step,
            connection.execute(
                "SELECT outcome, reason, verdict, start_ns, end_ns, "
                "id, position, label, engine, plan FROM step ORDER BY id"
            ),
        ),
        connection.execute(
            f"SELECT t_ns, action, detail FROM journal {acts} ORDER BY id", ACTS
        ),
    ):
        for row in rows:
            digest.update(json.dumps(row, default=repr).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def _step(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Leave out how a row stands that has not ended, which a recovery changes."""
    outcome, reason, *_ = map(str, row)
    is_open = (
        outcome in ("planned", "running")
        or (outcome == "ERROR" and reason.startswith(CRASHED))
        or (outcome == "SKIPPED" and reason == f"not run, {CRASHED}")
    )
    return row[_ENDED:] if is_open else row
