"""Small grids on a form whose rows come and go: the frame that all of them share."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from app.ui.kit.icons import Icons
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.widgets import column, make_button, make_note, named, row


class EditRow(QWidget):
    """One row: its editors, and a button that takes it away.

    Args:
        editors: The editors, each with its share of the room.
        what: What the button does, such as "Remove this limit".

    Signals:
        edited: One of its editors has another value.
        left: What comes next is another change.
        removed: The button was pressed.
    """

    edited = Signal()
    left = Signal()
    removed = Signal()

    def __init__(
        self, icons: Icons, editors: Sequence[tuple[QWidget, int]], what: str
    ) -> None:
        super().__init__()
        line = row(of=self, spacing=5)
        for editor, stretch in editors:
            line.addWidget(editor, stretch)
        self._icons = icons
        self._remove = button = QToolButton()
        self._recolour()
        icons.changed.connect(self._recolour)
        named(button, what, f"{what} (Space)")
        button.clicked.connect(self.removed)
        line.addWidget(button)

    @Slot()
    def _recolour(self) -> None:
        self._remove.setIcon(self._icons.get("x", "muted"))

    def begin(self) -> None:
        """Show what a row that was just added begins with: nothing."""


_Row = TypeVar("_Row", bound=EditRow)


class RowsEditor(QWidget, Generic[_Row]):
    """Rows above each other, a button for one more, and what is wrong with them.

    Args:
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
        self.more = make_button(f" {add}", tip, self._add_empty)
        self._recolour()
        icons.changed.connect(self._recolour)
        self.note = make_note()
        self.mistake = SentenceLabel("mistake")
        self._list = column(spacing=5)
        below = row(self.more, self.note, grows=self.note, spacing=8)
        said = ReservedLine(self.mistake)
        self._layout = column(self._list, below, said, of=self, spacing=3)

    @Slot()
    def _recolour(self) -> None:
        self.more.setIcon(self._icons.get("plus"))

    def add_row(self) -> _Row:
        """Add a row at the end."""
        added = self._make()
        added.edited.connect(self.edited)
        added.left.connect(self.left)
        added.removed.connect(lambda: self._take_away(added))
        self.rows.append(added)
        self._list.addWidget(added)
        return added

    def keep_rows(self, count: int) -> None:
        """Have this number of rows."""
        while len(self.rows) > count:
            self._drop(self.rows[-1])
        while len(self.rows) < count:
            self.add_row()

    def _drop(self, old: _Row) -> None:
        self.rows.remove(old)
        self._list.removeWidget(old)
        old.hide()
        old.deleteLater()

    @Slot()
    def _add_empty(self) -> None:
        added = self.add_row()
        self.left.emit()
        added.begin()
        added.setFocus()

    def _take_away(self, old: _Row) -> None:
        self.left.emit()
        self._drop(old)
        self.edited.emit()
        self.left.emit()

    def complain(self, sentence: str) -> None:
        """Say what is wrong; "" takes it back."""
        self.mistake.say(sentence)
