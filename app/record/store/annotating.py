"""What is added to a session after it has ended: its annotations."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.record.store import database
from app.record.store.errors import StoreError, reading, writing
from app.record.store.ledger import Ledger
from app.record.store.notebook import Notebook
from instruments.errors import BadInput


def amend_file(path: Path, action: Callable[[Notebook], None]) -> None:
    """Write into the plain tables of a session file, in one transaction.

    Raises:
        StoreError: It cannot be stored there.
        BadInput: It is damaged.
    """
    with reading(path), writing(path):
        connection = database.connect_for_changes(path)
        try:
            ledger = Ledger(connection, lambda: None)
            action(Notebook(path, ledger))
            ledger.commit()
        finally:
            connection.close()


def annotate(
    path: Path,
    text: str,
    *,
    author: str,
    realtime_ns: int,
    kind: str = "note",
    start_ns: int | None = None,
) -> None:
    """Add an annotation to a session, the one thing that is added to a finished one.

    Args:
        path: The session file.
        text: The annotation.
        author: Who writes it.
        realtime_ns: Wall-clock time now.
        kind: "note", "tag" or "mark".
        start_ns: Monotonic time it points at, or None for the whole session.

    Raises:
        BadInput: It is not a session, or it lies on a read-only medium.
    """
    _amend(path, lambda book: book.annotate(realtime_ns, author, kind, text, start_ns))


def _amend(path: Path, write: Callable[[Notebook], None]) -> None:
    with reading(path):
        database.check_header(path)
    try:
        amend_file(path, write)
    except StoreError as error:
        raise BadInput(
            f"the session cannot be annotated ({error.__cause__})",
            where=str(path),
            way_out="Copy it to a folder that can be written.",
        ) from error


LABELS = ("star", "tag", "note")
"""Kinds of annotations that say something of the whole session, to be changed later."""


def label(
    path: Path, labels: Mapping[str, Sequence[str]], *, author: str, realtime_ns: int
) -> None:
    """Give a finished session other labels, in place of those of the same kind.

    They are annotations, so that they travel with the file, and its hash is as before.

    Args:
        path: The session file.
        labels: Texts of each of these of LABELS; none takes them away.
        author: Who says it.
        realtime_ns: Wall-clock time now.

    Raises:
        BadInput: It is not a session, or it lies on a read-only medium.
    """

    def write(book: Notebook) -> None:
        for kind, texts in labels.items():
            book.forget_annotations(kind)
            for text in texts:
                book.annotate(realtime_ns, author, kind, text, None)

    _amend(path, write)
