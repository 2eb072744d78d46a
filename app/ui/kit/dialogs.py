"""What every dialog of a page needs, and showing one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtWidgets import QDialog, QWidget

from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.theme import Theme

_Dialog = TypeVar("_Dialog", bound=QDialog)


@dataclass(frozen=True, slots=True)
class Dialogs:
    """The surroundings of a page's dialogs.

    Attributes:
        theme: The look.
        icons: Icons of the theme.
        background: Where slow work is done.
        window: What dialogs belong to.
    """

    theme: Theme
    icons: Icons
    background: Background
    window: QWidget

    @contextmanager
    def shown(self, dialog: _Dialog) -> Iterator[_Dialog]:
        """Show a dialog until it is closed; it can be asked within, and goes then."""
        try:
            dialog.exec()
            yield dialog
        finally:
            dialog.deleteLater()
