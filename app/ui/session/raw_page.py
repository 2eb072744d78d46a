"""Texts of what a figure was read from: one that is only read, and raw outputs."""

from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QFontDatabase, QShowEvent, QTextCursor
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QWidget
from shiboken6 import isValid

from app.operations.sessions.kept_document import KeptDocument, kept_document
from app.report.explanation import Explanation
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.sentences import SentenceLabel
from app.ui.kit.widgets import column, make_note, named, row, search_in
from instruments.errors import BenchError


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
        label = QLabel("Out&put")
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
        self._is_read = False

    def showEvent(self, event: QShowEvent) -> None:
        """Read it only now: who looks at cell after cell waits for no output."""
        super().showEvent(event)
        if not self._is_read:
            self._is_read = True
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
