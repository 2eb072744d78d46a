"""The sessions of a folder as a list or a table, with what is searched for above."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QStringListModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCompleter,
    QLineEdit,
    QListView,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from app.operations.sessions.query import fields
from app.record.store import SessionSummary
from app.ui.kit.context import Context
from app.ui.kit.focus import lead_focus
from app.ui.kit.folding_row import FoldingRow
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.widgets import column, make_heading, make_note
from app.ui.session.library.table import LibraryTable
from app.ui.session.list import SessionDelegate, SessionModel
from instruments.errors import one_line

_MORE = 1.1
"""So many times as many sessions as are listed are listed anew."""


class SessionBrowser(QWidget):
    """A list or a table with its folder above, and buttons to look elsewhere.

    Args:
        context: What the parts of the window share.
        words: Gets what can be searched for; see `QueryField`.

    Attributes:
        model: What is listed.
        list: The list itself.
        table: The same with columns, in its place while `as_table` is on.
        search: What is searched for.
        place: Which folder it is, and how far it is read.

    Signals:
        chosen: The user chose this session (Path).
        refresh_wanted: The folder is to be listed again.
        folder_wanted: Another folder is to be listed.
        file_wanted: A file from anywhere is to be opened.
        import_wanted: Results made elsewhere are to be imported.
        table_wanted: Whether the table is to take the place of the list.
        published_wanted: Whether published results are to be listed, too.
    """

    chosen = Signal(object)
    refresh_wanted = Signal()
    folder_wanted = Signal()
    file_wanted = Signal()
    import_wanted = Signal()
    table_wanted = Signal(bool)
    published_wanted = Signal(bool)

    def __init__(
        self, context: Context, words: Callable[[], Mapping[str, Sequence[str]]]
    ) -> None:
        super().__init__()
        self._icons = context.icons
        self._found: list[SessionSummary] = []
        self._matching: set[Path] | None = None
        self._where = ""
        self.model = SessionModel(context, self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)  # else each layout asks for all of them
        self.list.setItemDelegate(SessionDelegate(context.theme, self.list))
        self.list.setAccessibleName("Sessions")
        self.list.setMouseTracking(True)
        self.list.selectionModel().selectionChanged.connect(self._choose)
        self.table = LibraryTable(context)
        self.search = SearchBar(context, words)
        self.place = ElidedLabel()
        self.place.setObjectName("muted")
        self._shown = QStackedWidget()
        self._build()

    def _build(self) -> None:
        heading = make_heading("Sessions")
        bar = FoldingRow(self._icons)
        bar.setContentsMargins(12, 8, 8, 2)
        bar.setSpacing(2)
        bar.addWidget(heading, 1)
        buttons: list[QToolButton] = []
        for icon, text, keys, asked in (
            ("table", "Show as a table", "Ctrl+L", self.table_wanted),
            ("file-text", "Published results", "Ctrl+Shift+P", self.published_wanted),
        ):
            switch = QToolButton()
            self._icons.put_on(switch, icon)
            switch.setCheckable(True)
            switch.setAccessibleName(text)
            switch.setToolTip(f"{text} ({keys})")
            switch.setShortcut(keys)
            switch.toggled.connect(asked)
            bar.addWidget(switch)
            if icon == "table":
                self.as_table = switch
        for icon, text, keys, wanted in (
            ("refresh-cw", "Refresh", "F5", self.refresh_wanted),
            ("folder-open", "Choose folder...", "Ctrl+Shift+F", self.folder_wanted),
            ("file-plus", "Open file...", "Ctrl+O", self.file_wanted),
            ("import", "Import results...", "Ctrl+Shift+I", self.import_wanted),
        ):
            button = QToolButton()
            self._icons.put_on(button, icon)
            button.setAccessibleName(text.removesuffix("..."))
            button.setToolTip(f"{text} ({keys})")
            button.setShortcut(keys)
            button.clicked.connect(wanted)
            bar.addWidget(button)
            buttons.insert(0, button)
        bar.fold(*buttons)
        self.place.setContentsMargins(12, 0, 8, 6)
        self._shown.addWidget(self.list)
        self._shown.addWidget(self.table)
        parts = (bar, self.place, self.search, self._shown)
        column(*parts, of=self, grows=self._shown, spacing=0)
        find = QShortcut(QKeySequence("Ctrl+F"), self)
        find.activated.connect(self.search.setFocus)

    def show_as(self, *, table: bool) -> None:
        """Show the table, or the list."""
        self._shown.setCurrentIndex(int(table))

    @property
    def newest(self) -> Path | None:
        """The newest session that can be shown here."""
        usable = (
            summary.path
            for summary in self._found
            if not summary.error and summary.state != "recording"
        )
        return next(usable, None)

    def leave(self, folder: Path) -> None:
        """List nothing until another folder is read."""
        self._found, self._matching = [], None
        self._list()
        self.list.scrollToTop()
        self.place.setText(f"Reading {folder} ...")

    def show_reading(
        self, folder: Path, found: Sequence[SessionSummary], count: int
    ) -> None:
        """List what is known so far, where that is a tenth more than is listed already.

        To list takes as long as there are sessions: each time would be too often.
        """
        if len(found) >= _MORE * len(self._found):
            self._found = list(found)
            self._list()
        self.place.setText(f"Read {len(found)} of {count} in {folder}")

    def show_folder(self, folder: Path, found: Sequence[SessionSummary]) -> None:
        """List all sessions of a folder."""
        self._found, self._where = list(found), str(folder)
        self._list()
        self._count()

    @Slot(object)
    def show_matching(self, files: set[Path] | None) -> None:
        """List those of these files alone; all for None."""
        self._matching = files
        self._list()
        self._count()

    def _count(self) -> None:
        shown, total = self.model.rowCount(), len(self._found)
        counted = "" if total else "No sessions in "
        if self._matching is not None:
            counted = f"{shown} of {total} in "
        if self._where:
            self.place.setText(f"{counted}{self._where}")

    def _list(self) -> None:
        """List what is wanted, and stay where the user has scrolled to."""
        wanted = self._matching
        found = [one for one in self._found if wanted is None or one.path in wanted]
        bar = self.list.verticalScrollBar()
        at = bar.value()
        if self.model.set_summaries(found):
            self.table.show_sessions(found)
            self.list.doItemsLayout()
            bar.setValue(at)

    def select(self, path: Path | None) -> None:
        """Mark a session as the one shown, without a signal; None marks none."""
        place = self.model.row_of(path)
        chosen = self.list.selectionModel()
        chosen.blockSignals(True)
        if place >= 0:
            flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
            chosen.setCurrentIndex(self.model.index(place), flag)
        else:
            chosen.clearSelection()
        chosen.blockSignals(False)
        self.list.viewport().update()

    @Slot(QItemSelection)
    def _choose(self, _selection: QItemSelection) -> None:
        rows = self.list.selectionModel().selectedIndexes()
        if rows:
            self.chosen.emit(self.model.summaries[rows[0].row()].path)


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
