"""Notes, tags and marks: the one thing that is added to a finished session."""

import sqlite3
from pathlib import Path

from app.record.store import database
from app.record.store.errors import StoreError, reading, writing
from instruments.errors import BadInput


def annotate(
    path: Path,
    text: str,
    *,
    author: str,
    realtime_ns: int,
    kind: str = "note",
    start_ns: int | None = None,
    end_ns: int | None = None,
) -> int:
    """Add an annotation to a session, finished or not; return its number.

    Args:
        path: The session file.
        text: What to say.
        author: Who says it.
        realtime_ns: Wall-clock time now.
        kind: "note", "tag" or "mark".
        start_ns: Monotonic time it points at, or None for the whole session.
        end_ns: End of the span it points at, or None.

    Raises:
        BadInput: It is no session, or it lies on a read-only medium.
    """
    connection = _connect(path)
    try:
        with reading(path), writing(path):
            cursor = connection.execute(
                "INSERT INTO annotation (realtime_ns, author, kind, text, start_ns, "
                "end_ns) VALUES (?, ?, ?, ?, ?, ?)",
                (realtime_ns, author, kind, text, start_ns, end_ns),
            )
            return int(cursor.lastrowid or 0)
    except StoreError as error:
        raise BadInput(
            f"the session cannot be annotated ({error.__cause__})",
            where=str(path),
            way_out="Copy it to a folder that can be written.",
        ) from error
    finally:
        connection.close()


def remove_annotation(path: Path, annotation_id: int) -> None:
    """Take an annotation away again.

    Raises:
        BadInput: It is no session.
        BenchError: It cannot be written.
    """
    connection = _connect(path)
    try:
        with reading(path), writing(path):
            connection.execute("DELETE FROM annotation WHERE id = ?", (annotation_id,))
    finally:
        connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    with reading(path):
        database.check_header(path)
        return database.connect_for_changes(path)
