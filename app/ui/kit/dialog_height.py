"""A dialog that is as high as what it says."""

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QDialog, QWidget

_SETTLED_MS = 20


class DialogHeight(QObject):
    """Fits a dialog to its texts, up to the whole screen; adjustSize stops at 2/3.

    Args:
        dialog: The dialog.
        form: The part of it whose texts wrap, with a grid.
    """

    def __init__(self, dialog: QDialog, form: QWidget) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        self._form = form
        # Not before the layouts know of another text.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_SETTLED_MS)
        self._later.timeout.connect(self._fit)

    def fit(self) -> None:
        """Fit it in a moment."""
        self._later.start()

    @Slot()
    def _fit(self) -> None:
        dialog, form, layout = self._dialog, self._form, self._dialog.layout()
        if layout is None:
            return
        room = dialog.screen().availableSize().height()
        form.setMinimumHeight(0)
        layout.activate()
        height = layout.totalHeightForWidth(dialog.width())
        dialog.resize(dialog.width(), min(height, room))
        # Its grid gives a text that wraps more than it has counted for it.
        missing = form.childrenRect().bottom() + 1 - form.height()
        if missing > 0:
            form.setMinimumHeight(form.height() + missing)
            dialog.resize(dialog.width(), min(height + missing, room))
