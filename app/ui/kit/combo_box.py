"""A combo box that screen readers call by its name."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel


class ComboBox(QComboBox):
    """On Unix Qt tells the value of a combo box in place of its name.

    It leaves the name to a label beside the box; one that has none gets a label that is
    not seen.
    """

    _caption: QLabel | None = None

    def setAccessibleName(self, name: str) -> None:
        """Be called so."""
        super().setAccessibleName(name)
        if self._caption is not None:
            self._caption.setText(name.replace("&", "&&"))

    def showEvent(self, event: QShowEvent) -> None:
        """See that a label beside it has its name."""
        super().showEvent(event)
        beside = self.parentWidget()
        if beside is None:
            return
        if self._caption is not None:
            self._caption.setParent(beside)
            return
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        labels = beside.findChildren(QLabel, options=direct)
        if not any(label.buddy() is self for label in labels):
            self._caption = QLabel(self.accessibleName().replace("&", "&&"), beside)
            self._caption.hide()
            self._caption.setBuddy(self)
