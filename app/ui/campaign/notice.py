"""The line that offers a campaign that was not saved when Bayscope ended."""

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.operations.editing.drafts import Draft, LeftDraft


class DraftNotice(QWidget):
    """Offers drafts, one after the other; hidden while there is none.

    Signals:
        wanted: This one (Draft) is to be brought back.
    """

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._left: list[LeftDraft] = []
        self.text = QLabel("")
        self.text.setWordWrap(True)
        self.back = QPushButton("&Bring it back")
        self.back.setToolTip("Go on with the campaign that was not saved (Alt+B)")
        self.back.clicked.connect(self._want)
        self.lose = QPushButton("D&iscard it")
        self.lose.setToolTip("Forget the campaign that was not saved (Alt+I)")
        self.lose.clicked.connect(self.next)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 14, 8)
        row.addWidget(self.text, 1)
        row.addWidget(self.back)
        row.addWidget(self.lose)
        self.setObjectName("notice")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    @property
    def draft(self) -> Draft | None:
        """The one that is offered."""
        return self._left[0].draft if self._left else None

    def offer(self, found: Sequence[LeftDraft]) -> None:
        """Offer these, the newest first."""
        self._left = list(found)
        self._show()

    def shut(self) -> None:
        """Leave what was not decided to the next program."""
        for left in self._left:
            left.release()

    @Slot()
    def next(self) -> None:
        """Forget the one that is offered, and offer the next."""
        if self._left:
            self._left.pop(0).drop()
        self._show()

    @Slot()
    def _want(self) -> None:
        if self.draft is not None:
            self.wanted.emit(self.draft)

    def _show(self) -> None:
        draft = self.draft
        self.setVisible(draft is not None)
        if draft is not None:
            kept = datetime.fromtimestamp(draft.kept_s, UTC).astimezone()
            self.text.setText(
                f'The campaign "{draft.name}" of {kept:%d %b, %H:%M} was not saved '
                "when Bayscope ended."
            )
