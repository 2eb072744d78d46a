"""A combo box that gives way, and that screen readers call by its name."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QStyle, QStyleOptionComboBox

_NARROWEST = 96
_MOST_SHOWN = 24
"""Qt shows ten, and nothing that says there are more."""


class ComboBox(QComboBox):
    """Where there is little room, what is chosen ends in dots.

    On Unix Qt tells the value of a combo box in place of its name.

    It leaves the name to a label beside the box; one that has none gets a label that is
    not seen.
    """

    _caption: QLabel | None = None

    def minimumSizeHint(self) -> QSize:
        """Qt would ask for the longest of what can be chosen."""
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), _NARROWEST), hint.height())

    def fit(self) -> None:
        """Be as wide as what is chosen, where there is room."""
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.setSizeAdjustPolicy(policy)
        width = self.fontMetrics().horizontalAdvance(self.currentText())
        # Qt counts in letters as wide as an X.
        letter = self.fontMetrics().horizontalAdvance("X")
        self.setMinimumContentsLength(-(-width // letter))

    def showPopup(self) -> None:
        """Show all of what can be chosen, however narrow the box is."""
        view = self.view()
        self.setMaxVisibleItems(_MOST_SHOWN)
        bar = view.verticalScrollBar().sizeHint().width()
        view.setMinimumWidth(view.sizeHintForColumn(0) + bar)
        super().showPopup()

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """Say as much of what is chosen as fits."""
        super().initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        control = QStyle.ComplexControl.CC_ComboBox
        room = self.style().subControlRect(control, option, part, self).width()
        option.currentText = self.fontMetrics().elidedText(
            option.currentText, Qt.TextElideMode.ElideRight, room
        )

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
