"""What is behind the figures of a session: samples of one, and all computed again."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabWidget,
    QWidget,
)
from shiboken6 import isValid

from app.operations.sessions.explaining import Explained, explained
from app.operations.sessions.kept_document import KeptDocument, kept_document
from app.operations.sessions.verifying import verified_sentence, verify_session
from app.report.explanation import Explanation
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.messages import tell
from app.ui.kit.sentences import SentenceLabel
from app.ui.kit.widgets import DIALOG_MARGINS, column, make_note, named, row, search_in
from instruments.errors import BenchError

_SIZE, _TEXT_HEIGHT = (760, 460), 120
_EXPLANATION = "Explanation"


def text_page(text: str, name: str, *, wraps: bool = False) -> QPlainTextEdit:
    """Make a text that is only read, in letters of one width."""
    page = named(QPlainTextEdit(text, readOnly=True), name)
    page.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    mode = QPlainTextEdit.LineWrapMode
    page.setLineWrapMode(mode.WidgetWidth if wraps else mode.NoWrap)
    page.setTabChangesFocus(True)
    return page


class KeptPage(QWidget):
    """Shows a raw output that a figure was read from, at its place.

    Args:
        found: The figure.
        context: What the parts of the window share.

    Attributes:
        choice: The names of the outputs.
        search: What is looked for in the text.
        text: The one that is chosen, read off the GUI thread.
        note: What is not shown of it.
        error: Why it cannot be shown.
    """

    def __init__(self, found: Explanation, context: Context) -> None:
        super().__init__()
        self._found = found
        self._background = context.background
        self.choice = named(ComboBox(), "Raw output", "Which raw output is shown")
        self.choice.addItems(list(found.kept))
        origin = found.stored.origin if found.stored is not None else ""
        own = [name for name in found.kept if origin.startswith(name)]
        outputs = [name for name in found.kept if "output" in name]
        first = next(iter((*own, *outputs)), "")
        self.choice.setCurrentIndex(max(0, self.choice.findText(first)))
        self.search = named(QLineEdit(), "Search", "Enter goes to the next place")
        self.search.setPlaceholderText("Search")
        self.text = text_page("", "Text of the raw output", wraps=True)
        self.text.setPlaceholderText("Reading ...")
        search_in(self.text, self.search)
        self.note = make_note()
        self.error = named(SentenceLabel("mistake"), "Why it cannot be shown")
        label = QLabel("&Output")
        label.setBuddy(self.choice)
        head = row(label, self.choice, self.search, grows=self.search, spacing=8)
        column(
            head,
            self.text,
            self.note,
            self.error,
            of=self,
            margins=(0, 8, 0, 0),
            grows=self.text,
            spacing=8,
        )
        self.choice.currentTextChanged.connect(self._read)
        self._read(self.choice.currentText())

    @Slot(str)
    def _read(self, name: str) -> None:
        found = self._found
        self._background.run(
            lambda: kept_document(found.path, found.step.id, name, found.value),
            partial(self._show, name),
            partial(self._fail, name),
        )

    def _show(self, name: str, document: KeptDocument, error: str = "") -> None:
        if not isValid(self) or name != self.choice.currentText():
            return  # it was closed, or another one chosen, since
        self.error.say(error)
        self.text.setPlaceholderText("")
        self.text.setPlainText(document.text)
        self.search.setText(document.figure)
        self.note.setText(
            f"Its end; {document.omitted} bytes before are not shown."
            if document.omitted
            else ""
        )
        self.note.setVisible(bool(document.omitted))
        if document.figure:
            self._select(document)

    def _fail(self, name: str, error: Exception) -> None:
        if not isinstance(error, BenchError):
            self._background.failed.emit(error)
        self._show(name, KeptDocument(""), str(error))

    def _select(self, document: KeptDocument) -> None:
        """Mark the figure; Qt counts in units of UTF-16."""
        before, figure = document.text[: document.place], document.figure
        at = len(before.encode("utf-16-le")) // 2
        cursor = self.text.textCursor()
        cursor.setPosition(at)
        cursor.setPosition(at + len(figure), QTextCursor.MoveMode.KeepAnchor)
        self.text.setTextCursor(cursor)
        self.text.centerCursor()


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
