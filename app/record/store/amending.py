"""Amending: what is found out later about a session that a crash left behind."""

from collections.abc import Callable
from pathlib import Path

from app.record.store import database
from app.record.store.errors import reading, writing
from app.record.store.ledger import Ledger
from app.record.store.notebook import Notebook


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
