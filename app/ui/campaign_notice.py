"""The line that offers a campaign that was not saved when Bayscope ended."""

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.operations.campaign_drafts import Draft


class DraftNotice(QWidget):
    """Offers drafts, one after the other; hidden while there is none.

    Signals:
        wanted: This one (Draft) is to be brought back.
    """

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._drafts: list[Draft] = []
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
        return self._drafts[0] if self._drafts else None

    def offer(self, drafts: Sequence[Draft]) -> None:
        """Offer these, the newest first."""
        self._drafts = list(drafts)
        self._show()

    @Slot()
    def next(self) -> None:
        """Forget the one that is offered, and offer the next."""
        self._drafts = self._drafts[1:]
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
