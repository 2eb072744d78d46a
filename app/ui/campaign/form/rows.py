"""Small grids on a form whose rows come and go: the frame that all of them share."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.kit.icons import Icons
from app.ui.kit.sentences import SentenceLabel


class EditRow(QWidget):
    """One row: its editors, and a button that takes it away.

    Signals:
        edited: One of its editors has another value.
        left: What comes next is another change.
        removed: The button was pressed.
    """

    edited = Signal()
    left = Signal()
    removed = Signal()

    def __init__(
        self, icons: Icons, editors: Sequence[tuple[QWidget, int]], tip: str
    ) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(5)
        for editor, stretch in editors:
            row.addWidget(editor, stretch)
        self._icons = icons
        self._remove = button = QToolButton()
        self._recolour()
        icons.changed.connect(self._recolour)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(" (")[0])
        button.clicked.connect(self.removed)
        row.addWidget(button)

    @Slot()
    def _recolour(self) -> None:
        self._remove.setIcon(self._icons.get("x", "muted"))

    def begin(self) -> None:
        """Show what a row that was just added begins with: nothing."""


_Row = TypeVar("_Row", bound=EditRow)


class RowsEditor(QWidget, Generic[_Row]):
    """Rows above each other, a button for one more, and what is wrong with them.

    Args:
        icons: Icons of the theme.
        make: Makes an empty row.
        add: What the button says.
        tip: What such a row does.

    Attributes:
        rows: The rows.
        more: The button.
        note: Words beside the button.

    Signals:
        edited: Something is another value.
        left: What comes next is another change.
    """

    edited = Signal()
    left = Signal()

    def __init__(
        self, icons: Icons, make: Callable[[], _Row], *, add: str, tip: str
    ) -> None:
        super().__init__()
        self._icons = icons
        self._make = make
        self.rows: list[_Row] = []
        self.more = QPushButton(f" {add}")
        self._recolour()
        icons.changed.connect(self._recolour)
        self.more.setToolTip(tip)
        self.more.setAutoDefault(False)
        self.more.clicked.connect(self._add_empty)
        self.note = QLabel("")
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        self.mistake = SentenceLabel("mistake")
        self._list = QVBoxLayout()
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(5)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.more)
        below.addWidget(self.note, 1)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        self._layout.addLayout(self._list)
        self._layout.addLayout(below)
        self._layout.addWidget(self.mistake)
        self.mistake.hide()

    @Slot()
    def _recolour(self) -> None:
        self.more.setIcon(self._icons.get("plus"))

    def add_row(self) -> _Row:
        """Add a row at the end."""
        row = self._make()
        row.edited.connect(self.edited)
        row.left.connect(self.left)
        row.removed.connect(lambda: self._take_away(row))
        self.rows.append(row)
        self._list.addWidget(row)
        return row

    def keep_rows(self, count: int) -> None:
        """Have so many rows."""
        while len(self.rows) > count:
            self._drop(self.rows[-1])
        while len(self.rows) < count:
            self.add_row()

    def _drop(self, row: _Row) -> None:
        self.rows.remove(row)
        self._list.removeWidget(row)
        row.hide()
        row.deleteLater()

    @Slot()
    def _add_empty(self) -> None:
        row = self.add_row()
        self.left.emit()
        row.begin()
        row.setFocus()

    def _take_away(self, row: _Row) -> None:
        self.left.emit()
        self._drop(row)
        self.edited.emit()
        self.left.emit()

    def complain(self, sentence: str) -> None:
        """Say what is wrong; "" takes it back."""
        self.mistake.say(sentence)
