"""The text of the campaign in hand, edited in place, with the numbers of its lines."""

import re
from collections.abc import Iterable
from itertools import takewhile

from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from app.ui.kit.marks import with_marks, without_marks
from app.ui.kit.theme import Theme

_HEADER = re.compile(r"^\s*\[\[?[^\]]*\]\]?")
_KEY = re.compile(r"""^\s*(?:"[^"]*"|[A-Za-z0-9_.-]+)(?=\s*=)""")
_TEXT = re.compile(r"""\"(?:[^\"\\]|\\.)*\"|'[^']*'""")
_COMMENT = re.compile(r"#.*$")
_QUOTES = '"""'
_WITHIN = 1
"""State of a line that ends within a text of several lines."""


class TomlColours(QSyntaxHighlighter):
    """Colours TOML in the tokens of the theme; states and words tell it, too."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._renew()
        theme.changed.connect(self._renew)
        theme.changed.connect(self.rehighlight)

    @Slot()
    def _renew(self) -> None:
        """Make the formats again; a large campaign has thousands of them."""
        tokens = self._theme.tokens
        self._quoted, self._key = _form(tokens.trace(2)), _form(tokens.trace(0))
        self._muted, self._header = _form(tokens.muted), _form(tokens.accent)
        self._header.setFontWeight(QFont.Weight.Bold)

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        quoted = self._quoted
        start = 0
        if self.previousBlockState() == _WITHIN:
            end = text.find(_QUOTES)
            if end < 0:
                self.setFormat(0, len(text), quoted)
                self.setCurrentBlockState(_WITHIN)
                return
            start = end + len(_QUOTES)
            self.setFormat(0, start, quoted)
        self.setCurrentBlockState(0)
        opened = text.find(_QUOTES, start)
        if opened >= 0 and text.find(_QUOTES, opened + 3) < 0:
            self.setCurrentBlockState(_WITHIN)
        if start == 0 and (header := _HEADER.match(text)):
            self.setFormat(0, header.end(), self._header)
        elif start == 0 and (key := _KEY.match(text)):
            self.setFormat(0, key.end(), self._key)
        self._colour_rest(text, opened)

    def _colour_rest(self, text: str, opened: int) -> None:
        """Colour texts, and the comment that is in none of them."""
        if opened >= 0:
            self.setFormat(opened, len(text) - opened, self._quoted)
            return
        bare = text
        for match in _TEXT.finditer(text):
            if not text[match.end() :].lstrip().startswith("="):
                self.setFormat(match.start(), len(match[0]), self._quoted)
            bare = f"{bare[: match.start()]}{' ' * len(match[0])}{bare[match.end() :]}"
        if comment := _COMMENT.search(bare):
            self.setFormat(comment.start(), len(text) - comment.start(), self._muted)


def _form(colour: QColor | str) -> QTextCharFormat:
    found = QTextCharFormat()
    found.setForeground(QColor(colour))
    return found


_GAP = 10


class CampaignText(QPlainTextEdit):
    """Edits campaign.toml; what is undone here is undone in the campaign.

    While it is not seen it takes no text: to lay out thousands of steps takes a while.

    Attributes:
        wrong: The lines that are marked, counted from 1.

    Signals:
        edited: Another text (str) was typed.
        undo_wanted: Undo was asked for.
        redo_wanted: Redo was asked for.
    """

    edited = Signal(str)
    undo_wanted = Signal()
    redo_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.wrong: tuple[int, ...] = ()
        self._wanted: str | None = None
        self.setObjectName("raw")
        self.setAccessibleName("Text of the campaign")
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.colours = TomlColours(self.document(), theme)
        self._numbers = _Numbers(self)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scroll_numbers)
        self.textChanged.connect(self._tell_edited)
        self.cursorPositionChanged.connect(self._numbers.update)
        theme.changed.connect(self._mark)
        self.installEventFilter(self)
        self._make_room()

    def _tell_edited(self) -> None:
        if self._wanted is None:  # other colours count as a change of the text
            self.edited.emit(without_marks(self.toPlainText()))

    def show_text(self, text: str) -> None:
        """Show another version; only what differs is replaced, so the cursor stays."""
        if not self.isVisible():
            self._wanted = text
            return
        self._wanted = None
        old, text = self.toPlainText(), with_marks(text)
        if text == old:
            return
        with QSignalBlocker(self):
            cursor = QTextCursor(self.document())
            cursor.beginEditBlock()
            start, end, new = _change(old, text)
            cursor.setPosition(_units(old[:start]))
            cursor.setPosition(_units(old[:end]), QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(new)
            cursor.endEditBlock()
        self._make_room()
        self.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        """Take what was to be shown meanwhile."""
        super().showEvent(event)
        if self._wanted is not None:
            self.show_text(self._wanted)
            self._mark()

    def mark_lines(self, lines: tuple[int, ...]) -> None:
        """Mark lines that have a mistake, counted from 1."""
        self.wrong = lines
        self._mark()

    def go_to(self, line: int) -> None:
        """Put the cursor at the begin of a line, counted from 1."""
        block = self.document().findBlockByNumber(max(0, line - 1))
        self.setTextCursor(QTextCursor(block))
        self.centerCursor()

    def go_to_step(self, row: int) -> None:
        """Put the cursor at the begin of a step, counted from 0."""
        lines = enumerate(self.toPlainText().split("\n"), 1)
        steps = [n for n, line in lines if line.strip().startswith("[[step]]")]
        if 0 <= row < len(steps):
            self.go_to(steps[row])

    def _mark(self) -> None:
        marks = []
        colour = QColor(self._theme.tokens.error)
        colour.setAlpha(38)
        for line in self.wrong:
            mark = QTextEdit.ExtraSelection()
            block = self.document().findBlockByNumber(line - 1)
            mark.cursor = QTextCursor(block)
            form = mark.format
            form.setBackground(colour)
            form.setProperty(QTextFormat.Property.FullWidthSelection, True)
            marks.append(mark)
        self.setExtraSelections(marks)
        self._numbers.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep undo and redo from the widget's own ones."""
        keys = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if watched is self and event.type() in keys and isinstance(event, QKeyEvent):
            for sequence, wanted in (
                (QKeySequence.StandardKey.Undo, self.undo_wanted),
                (QKeySequence.StandardKey.Redo, self.redo_wanted),
            ):
                if event.matches(sequence):
                    event.accept()
                    if event.type() == QEvent.Type.KeyPress:
                        wanted.emit()
                    return True
        return super().eventFilter(watched, event)

    def _make_room(self) -> None:
        self.setViewportMargins(self.numbers_width(), 0, 0, 0)

    def numbers_width(self) -> int:
        """Get the room of the numbers in pixels."""
        digits = len(str(max(100, self.blockCount())))
        return digits * self.fontMetrics().horizontalAdvance("9") + 2 * _GAP

    def _scroll_numbers(self, room: QRect, by: int) -> None:
        if by:
            self._numbers.scroll(0, by)
        else:
            self._numbers.update(0, room.y(), self._numbers.width(), room.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the numbers as high as the text."""
        super().resizeEvent(event)
        room = self.contentsRect()
        self._numbers.setGeometry(
            QRect(room.left(), room.top(), self.numbers_width(), room.height())
        )

    def paint_numbers(self, event: QPaintEvent) -> None:
        """Draw the numbers of the lines that are seen."""
        tokens = self._theme.tokens
        painter = QPainter(self._numbers)
        painter.fillRect(event.rect(), QColor(tokens.raised))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        width = self._numbers.width() - _GAP
        current = self.textCursor().blockNumber()
        while block.isValid():
            room = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if room.top() > event.rect().bottom():
                break
            number = block.blockNumber() + 1
            colour = tokens.text if number - 1 == current else tokens.muted
            painter.setPen(QColor(tokens.error if number in self.wrong else colour))
            painter.drawText(
                0,
                round(room.top()),
                width,
                round(room.height()),
                int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
                str(number),
            )
            block = block.next()


class _Numbers(QWidget):
    """The column at the left of the text."""

    def __init__(self, editor: CampaignText) -> None:
        super().__init__(editor)
        self._editor = editor

    def paintEvent(self, event: QPaintEvent) -> None:
        """Let the editor draw them: it knows its lines."""
        self._editor.paint_numbers(event)


def _change(old: str, new: str) -> tuple[int, int, str]:
    """Find what to replace, from and to, and by what: all between what is the same."""
    start = _alike(old, new)
    most = min(len(old), len(new)) - start
    end = min(most, _alike(reversed(old), reversed(new)))
    return start, len(old) - end, new[start : len(new) - end]


def _units(text: str) -> int:
    """Count what Qt counts: an emoji is two."""
    return len(text.encode("utf-16-le")) // 2


def _alike(first: Iterable[str], second: Iterable[str]) -> int:
    """Count the characters at the begin that are the same in both."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
