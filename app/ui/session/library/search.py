"""The field in which sessions are searched for, with what can be written there."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QStringListModel, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from app.operations.sessions.query import fields
from app.ui.kit.context import Context
from app.ui.kit.focus import lead_focus
from app.ui.kit.widgets import column, make_note
from instruments.errors import one_line

_TIP = (
    "Words, or fields: device:jbod verdict:pass power_w>500 date:2026-03 tag:good, "
    "-verdict:fail to exclude those (Ctrl+F)"
)
_MOST = 60


class QueryField(QLineEdit):
    """A line of terms; offers fields, and after a colon the texts that there are.

    Args:
        context: What the parts of the window share.
        words: Gets the texts that there are by field, off the GUI thread.
    """

    def __init__(
        self, context: Context, words: Callable[[], Mapping[str, Sequence[str]]]
    ) -> None:
        super().__init__()
        self._background = context.background
        self._read_words = words
        self._words: Mapping[str, Sequence[str]] = {}
        self._waits = False
        self._offered = QStringListModel(self)
        self.setPlaceholderText("Search: words, device:..., power_w>500")
        self.setAccessibleName("Search sessions")
        self.setToolTip(_TIP)
        self.setClearButtonEnabled(True)
        self.setMaxLength(1000)
        completer = QCompleter(self._offered, self)
        completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        completer.setWidget(self)
        completer.activated.connect(self._complete)
        self._completer = completer
        self.textEdited.connect(self._offer)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Read what there is, for what will be offered."""
        super().focusInEvent(event)
        self._look()

    def _look(self) -> None:
        self._background.run(lambda: dict(self._read_words()), self._take)

    @Slot(object)
    def _take(self, words: Mapping[str, Sequence[str]]) -> None:
        self._words = words
        if self._waits:
            self._waits = False
            self._offer()

    def _begun(self) -> str:
        """Get the term at the cursor, as far as it is written."""
        text = self.text()[: self.cursorPosition()]
        if text.count('"') % 2:
            start = text.rfind(" ", 0, text.rfind('"')) + 1
        else:
            start = text.rfind(" ") + 1
        return text[start:]

    def offers(self) -> list[str]:
        """List what the term at the cursor may become."""
        begun = self._begun()
        plain = begun.lstrip("-").casefold()
        sign = begun[: len(begun) - len(begun.lstrip("-"))]
        field, colon, part = plain.partition(":")
        if colon:
            words = self._words_with(field, part.strip('"'))
            return [f"{sign}{field}:{_quoted(word)}" for word in words[:_MOST]]
        if not plain:
            return []
        names = [name for name in fields() if name.startswith(plain)]
        return [f"{sign}{name}{self._relation(name)}" for name in names[:_MOST]]

    def _words_with(self, field: str, part: str) -> list[str]:
        return [word for word in self._words.get(field, ()) if part in word.casefold()]

    def _relation(self, field: str) -> str:
        """Get what follows a field: of words one is named, numbers are compared."""
        return ":" if field in self._words else ">"

    @Slot()
    def _offer(self) -> None:
        if not self._words and not self._waits:
            self._waits = True
            self._look()
        found = self.offers()
        self._offered.setStringList(found)
        if found and found != [self._begun()]:
            self._completer.complete()
        else:
            self._hide()

    @Slot(str)
    def _complete(self, chosen: str) -> None:
        """Put what was chosen in place of what was begun."""
        at, begun = self.cursorPosition(), self._begun()
        is_whole = not chosen.endswith((":", ">"))
        text = f"{chosen} " if is_whole else chosen
        self.setText(self.text()[: at - len(begun)] + text + self.text()[at:])
        self.setCursorPosition(at - len(begun) + len(text))
        self.textEdited.emit(self.text())

    def _hide(self) -> None:
        popup = self._completer.popup()
        if popup is not None:
            popup.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape empties it; Enter takes what is offered and chosen."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self._hide()
            self.clear()
            self.textEdited.emit("")
            return
        super().keyPressEvent(event)


def _quoted(text: str) -> str:
    shown = one_line(text).replace('"', "")
    return f'"{shown}"' if " " in shown else shown


class SearchBar(QWidget):
    """The field, and below it what is wrong with it.

    Signals:
        wanted: Something else is searched for (its text).
    """

    wanted = Signal(str)

    def __init__(
        self, context: Context, words: Callable[[], Mapping[str, Sequence[str]]]
    ) -> None:
        super().__init__()
        self.field = QueryField(context, words)
        self.field.textEdited.connect(self.wanted)
        self.mistake = make_note(look="mistake", name="What is wrong with the search")
        self.mistake.hide()
        column(self.field, self.mistake, of=self, margins=(12, 0, 8, 6), spacing=3)
        lead_focus(self, self.field)

    @Slot(str)
    def say(self, text: str) -> None:
        """Say what is wrong with what is searched for; "" for nothing."""
        self.mistake.setText(text)
        self.mistake.setVisible(bool(text))
