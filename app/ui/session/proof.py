"""What is behind the figures of a session: samples of one, and all computed again."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QTabWidget,
    QWidget,
)

from app.operations.sessions.explaining import Explained, explained
from app.operations.sessions.verifying import verified_sentence, verify_session
from app.ui.kit.context import Context
from app.ui.kit.messages import tell
from app.ui.kit.widgets import DIALOG_MARGINS, column, make_note, named
from app.ui.session.kept_page import KeptPage, text_page

_SIZE, _TEXT_HEIGHT = (760, 460), 120
_EXPLANATION = "Explanation"


class ProofDialog(QDialog):
    """Shows what is behind figures: a sentence, and texts in columns.

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
        self.pages = named(QTabWidget(), "Parts of the explanation")
        for name, text in texts:
            page = text_page(text, name, wraps=name.startswith(_EXPLANATION))
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
    """Finds it off the GUI thread, and shows it.

    Signals:
        window_wanted: The charts are to show what a cell was made of (Explanation).
        verified: The session (Path) was computed again, or could not be.
    """

    window_wanted = Signal(object)
    verified = Signal(object)

    def __init__(self, context: Context, page: QWidget) -> None:
        super().__init__(page)
        self._context = context
        self._background = context.background
        self._page = page

    def explain(self, paths: Mapping[str, Path], label: str, name: str) -> None:
        """Show what a cell was made of, in each session by its letter or ""."""
        self._background.run(
            lambda: {mark: explained(paths[mark], label, name) for mark in paths},
            self._show_cell,
        )

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

    def _show_cell(self, answers: Mapping[str, Explained]) -> None:
        found = next(iter(answers.values())).found
        told = [
            (f"{name} {mark}".strip(), text)
            for mark, one in answers.items()
            for name, text in (
                (_EXPLANATION, one.text),
                ("Samples", one.samples),
                ("Raw replies", one.replies),
            )
            if text
        ]
        title = f"{found.step.label}, {found.title}"
        dialog = ProofDialog(title, "", told, self._page.window())
        for mark, one in answers.items():
            if one.found.kept:
                page = KeptPage(one.found, self._context)
                dialog.pages.addTab(page, f"Raw outputs {mark}".strip())
        role = QDialogButtonBox.ButtonRole.AcceptRole
        show = dialog.buttons.addButton("Show in the charts", role)
        show.clicked.connect(lambda: self.window_wanted.emit(found))
        show.clicked.connect(dialog.accept)
        dialog.open()

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
