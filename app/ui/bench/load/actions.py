"""What a user does with the load hosts of a bench."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.ui.bench.file import BenchFile
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown


class LoadActions(QObject):
    """Opens the dialog of [load], and changes the bench in hand.

    Args:
        file: The bench in hand.
        context: What the parts of the window share.
        window: What the dialog belongs to.
    """

    def __init__(
        self,
        file: BenchFile,
        context: Context,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._file = file
        self._context = context
        self._window = window

    @Slot()
    def edit(self) -> None:
        """Say where loads come from, and what they run on there."""
        # Only now: it takes all that reaches hosts.
        from app.ui.bench.load.dialog import LoadDialog  # noqa: PLC0415

        with shown(LoadDialog(self._file.bench, self._context, self._window)) as dialog:
            if dialog.bench is not None:
                self._file.change(dialog.bench)
