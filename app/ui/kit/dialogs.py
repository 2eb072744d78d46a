"""Showing a dialog."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from PySide6.QtWidgets import QDialog

_Dialog = TypeVar("_Dialog", bound=QDialog)


@contextmanager
def shown(dialog: _Dialog) -> Iterator[_Dialog]:
    """Show a dialog until it is closed; it can be asked within, and goes then."""
    try:
        dialog.exec()
        yield dialog
    finally:
        dialog.deleteLater()  # else it lives as long as the window, its parent
