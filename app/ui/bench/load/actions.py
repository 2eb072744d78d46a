"""What a user does with the load hosts of a bench."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.ui.bench.file import BenchFile
from app.ui.bench.load.dialog import LoadDialog
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.theme import Theme


class LoadActions(QObject):
    """Opens the dialog of [load], and changes the bench in hand.

    Args:
        file: The bench in hand.
        theme: The look.
        icons: Icons of the theme.
        background: Where hosts are tried.
        window: What the dialog belongs to.
    """

    def __init__(
        self,
        file: BenchFile,
        theme: Theme,
        icons: Icons,
        background: Background,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._file = file
        self._parts = (theme, icons, background)
        self._window = window

    @Slot()
    def edit(self) -> None:
        """Say where loads come from, and what they run on there."""
        dialog = LoadDialog(self._file.bench, *self._parts, self._window)
        try:
            dialog.exec()
            if dialog.bench is not None:
                self._file.change(dialog.bench)
        finally:
            dialog.deleteLater()
