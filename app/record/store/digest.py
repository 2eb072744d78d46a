"""The hash of a session's content, annotations left out."""

import hashlib
import sqlite3
from functools import lru_cache

_QUERIES = (
    "SELECT name, campaign, bench, operator, app_version, simulated, dut, boot_id, "
    "monotonic_ns, realtime_ns, ended_ns, outcome, verdict, note FROM session",
    "SELECT * FROM source ORDER BY id",
    "SELECT * FROM channel ORDER BY id",
    "SELECT * FROM channel_group ORDER BY group_id, position",
    "SELECT * FROM step ORDER BY id",
    "SELECT * FROM result ORDER BY step_id, name",
    "SELECT * FROM event ORDER BY id",
    "SELECT * FROM gap ORDER BY id",
    "SELECT * FROM alarm ORDER BY id",
    'SELECT * FROM "offset" ORDER BY id',
    "SELECT * FROM artefact ORDER BY id",
    "SELECT * FROM clock_pair ORDER BY id",
    "SELECT * FROM journal ORDER BY id",
    "SELECT * FROM inventory ORDER BY kind, name, key",
    "SELECT * FROM tail ORDER BY id",
    "SELECT * FROM timeline ORDER BY id",
    "SELECT * FROM segment ORDER BY id",
    "SELECT * FROM overview ORDER BY id",
    "SELECT * FROM raw_tail ORDER BY id",
    "SELECT * FROM raw ORDER BY id",
)

_PIECE = 2**20
"""Bytes that are hashed at once, which other threads do not wait for."""


def fits_hash(connection: sqlite3.Connection) -> bool:
    """Compute the hash again; tell whether it is the one stored at the end."""
    [stored] = connection.execute("SELECT sha256 FROM session").fetchone()
    return stored is not None and stored == content_digest(connection)


def content_digest(connection: sqlite3.Connection) -> str:
    """Compute the SHA-256 of all but the annotations, as hexadecimal digits.

    Each value goes in as its type's letter, its length and its bytes, each row ends
    with a newline; so the hash does not depend on how SQLite lays pages out.
    """
    digest = hashlib.sha256()
    for query in _QUERIES:
        piece = bytearray(f"{query}\n".encode())
        for row in connection.execute(query):
            for value in row:
                data = value if isinstance(value, bytes) else repr(value).encode()
                piece += _head(type(value).__name__, len(data))
                piece += data
            piece += b"\n"
            if len(piece) >= _PIECE:
                digest.update(piece)
                piece.clear()
        digest.update(piece)
    return digest.hexdigest()


@lru_cache(1024)
def _head(kind: str, length: int) -> bytes:
    return f"{kind} {length} ".encode()
