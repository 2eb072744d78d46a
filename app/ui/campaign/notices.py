"""Lines beside a campaign: what is wrong with it, and a draft left by a crash."""

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.operations.editing.check import Mistake
from app.operations.editing.drafts import Draft, LeftDraft
from app.ui.kit.widgets import make_button, make_note, row


class MistakeLine(QWidget):
    """Shows the first mistake; hidden while there are none.

    Signals:
        wanted: The user wants to see where this one (Mistake) is.
    """

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._first: Mistake | None = None
        self.text = make_note("", "mistake", name="What is wrong with the campaign")
        tip = "Go to the mistake (Alt+W)"
        self.show_button = make_button("Sho&w", tip, self._want)
        parts = (self.text, self.show_button)
        row(*parts, of=self, grows=self.text, margins=(14, 6, 14, 0), spacing=10)
        self.hide()

    def show_mistakes(self, mistakes: Sequence[Mistake]) -> None:
        """Show the first of these."""
        self._first = mistakes[0] if mistakes else None
        if self._first is not None:
            more = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
            place = f"Line {self._first.line}: " if self._first.line else ""
            self.text.setText(f"{place}{self._first.words}{more}")
        self.setVisible(self._first is not None)

    @Slot()
    def _want(self) -> None:
        if self._first is not None:
            self.wanted.emit(self._first)


class DraftNotice(QWidget):
    """Offers drafts, one after the other; hidden while there are none.

    Signals:
        wanted: This one (Draft) is to be brought back.
    """

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._left: list[LeftDraft] = []
        self.text = make_note(look="")
        tip = "Restore the unsaved campaign (Alt+B)"
        self.back = make_button("&Bring it back", tip, self._want)
        tip = "Discard the unsaved campaign (Alt+I)"
        self.lose = make_button("D&iscard it", tip, self.next)
        parts = (self.text, self.back, self.lose)
        row(*parts, of=self, grows=self.text, margins=(14, 8, 14, 8))
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
