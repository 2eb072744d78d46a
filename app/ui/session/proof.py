"""Whether the figures of a session come out of its samples again."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTabWidget, QWidget

from app.operations.sessions.verifying import verified_sentence, verify_session
from app.ui.kit.context import Context
from app.ui.kit.messages import tell
from app.ui.kit.widgets import DIALOG_MARGINS, column, make_note, named
from app.ui.session.raw_page import text_page

_SIZE, _TEXT_HEIGHT = (760, 460), 120


class ProofDialog(QDialog):
    """Shows how a check went: a sentence, and texts in columns.

    Args:
        title: Of the window.
        sentence: What there is to say; "" where the texts say all.
        texts: Each with its title.
        parent: The window that waits.

    Attributes:
        buttons: Those below.
        pages: The texts.
    """

    def __init__(
        self,
        title: str,
        sentence: str,
        texts: Sequence[tuple[str, str]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.buttons.rejected.connect(self.reject)
        self.pages = named(QTabWidget(), "Parts of the answer")
        for name, text in texts:
            page = text_page(text, name)
            page.setMinimumHeight(_TEXT_HEIGHT)
            self.pages.addTab(page, name)
        self.pages.setVisible(bool(texts))
        note = make_note(sentence, "")
        note.setVisible(bool(sentence))
        column(
            *(note, self.pages, self.buttons),
            of=self,
            margins=DIALOG_MARGINS,
            grows=self.pages,
            spacing=12,
        )
        if texts:
            self.resize(*_SIZE)
        else:
            self.setMinimumWidth(_SIZE[0] // 2)


class SessionProof(QObject):
    """Finds it out off the GUI thread, and shows it.

    Signals:
        verified: The session (Path) was computed again, or could not be.
    """

    verified = Signal(object)

    def __init__(self, context: Context, page: QWidget) -> None:
        super().__init__(page)
        self._background = context.background
        self._page = page

    def verify(self, path: Path) -> None:
        """Compute all results of a session again, and say what differs."""
        tell(self._page, f"Computing {path.name} again ...")
        self._background.run(
            lambda: (path, verify_session(path)),
            self._show_verified,
            partial(self._give_up, path),
            lasting=True,
            reads=True,
        )

    def _show_verified(
        self, answer: tuple[Path, tuple[str, dict[str, Any], bool]]
    ) -> None:
        path, (text, values, is_good) = answer
        tell(self._page, "")
        self.verified.emit(path)
        sentence = verified_sentence(values) if is_good else ""
        texts = [] if is_good else [("What differs", text)]
        ProofDialog(f"Verify {path.name}", sentence, texts, self._page.window()).open()

    def _give_up(self, path: Path, error: Exception) -> None:
        tell(self._page, "")
        self.verified.emit(path)
        self._background.failed.emit(error)
