"""The sessions of a folder as a list or a table, the chosen one beside."""

from pathlib import Path

from PySide6.QtCore import (
    QEvent,
    QObject,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QStackedWidget,
    QWidget,
)

from app.record.store import SessionSummary
from app.ui.chart.layout.layouts import Layouts
from app.ui.imports.drop import SUFFIX, dropped_files
from app.ui.kit.background import nothing
from app.ui.kit.context import Context
from app.ui.kit.empty import EmptyState
from app.ui.kit.focus import lead_focus
from app.ui.kit.widgets import row, split
from app.ui.session.browser import SessionBrowser
from app.ui.session.folder import SessionFolder
from app.ui.session.library.actions import Actions
from app.ui.session.library.preview import Preview
from app.ui.session.opener import SessionOpener
from app.ui.session.page import SessionPage
from app.ui.session.record import Record
from instruments.errors import BenchError, one_line

_NONE = (
    "No session is open",
    "Choose one at the left, open a .bayscope file from elsewhere, or drop results "
    "here that were made without Bayscope.",
)
_LIST_SIZES, _PREVIEW = [300, 890, 0], 350
"""Pixels of the list and a session beside it, and of the preview beside the table."""

_REPLAY_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Right)


class SessionsView(QWidget):
    """Lists, opens and shows sessions.

    Signals:
        session_opened: The session file that is shown from now on (Path).
        session_closed: No session is shown any more.
        live_wanted: This session (Path) is being recorded and wants the Live view.
        folder_chosen: Another folder (Path) holds the sessions from now on.
        import_wanted: Results made elsewhere (list of Path) are to be imported.
        compare_wanted: These sessions (list of Path) are to be compared.
    """

    session_opened = Signal(object)
    session_closed = Signal()
    live_wanted = Signal(object)
    folder_chosen = Signal(object)
    import_wanted = Signal(object)
    compare_wanted = Signal(object)

    def __init__(
        self, context: Context, folder: Path, layouts: Layouts | None = None
    ) -> None:
        super().__init__()
        self._background = context.background
        self._listing = SessionFolder(context.background, folder, self)
        self._listing.reading.connect(self._show_reading)
        self._listing.listed.connect(self._take_list)
        self._listing.lost.connect(self._show_lost)
        self._listing.looked.connect(self._mark_changed)
        self._listing.matched.connect(self._show_matching)
        self._opener = SessionOpener(context.background, self)
        self._opener.late.connect(self._show_late)
        self._opener.opened.connect(self._take_record)
        self._opener.live.connect(self.live_wanted)
        self._opener.failed.connect(self._give_up)
        self._next: Path | None = None
        self._is_untouched = True
        self._look_turn = object()
        self._keep_focus = False
        self.browser = SessionBrowser(context, self._listing.words)
        self._listing.mistaken.connect(self.browser.search.say)
        self.browser.search.wanted.connect(self._listing.search)
        self.browser.published_wanted.connect(self._listing.show_published)
        self.browser.table_wanted.connect(self._show_table)
        self.tools = Actions(context)
        self.tools.open_wanted.connect(self.open)
        self.tools.compare_wanted.connect(self.compare_wanted)
        self.tools.renamed.connect(self._follow_file)
        self.tools.changed.connect(self.refresh)
        self.tools.serve(self.browser.table)
        self.preview = Preview(context, self.tools)
        self.browser.table.opened.connect(self.open)
        self.browser.table.picked.connect(self._preview)
        self.browser.chosen.connect(self.open)
        self.browser.refresh_wanted.connect(self.refresh)
        self.browser.folder_wanted.connect(self.choose_folder)
        self.browser.file_wanted.connect(self.open_file)
        self.browser.import_wanted.connect(lambda: self.import_wanted.emit([]))
        self.model, self.list = self.browser.model, self.browser.list
        self.list.installEventFilter(self)
        self.page = SessionPage(context, layouts or Layouts())
        self._empty = EmptyState(
            context.icons,
            "history",
            *_NONE,
            button="Open file...",
            tip="A session file anywhere (Ctrl+O)",
        )
        self._empty.wanted.connect(self.open_file)
        self._stack = QStackedWidget()
        self._build()
        self.browser.leave(folder)

    def _build(self) -> None:
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.page)
        parts = (self.browser, self._stack, self.preview)
        self._across = split(*parts, sizes=_LIST_SIZES)
        self.preview.hide()
        self._across.setStretchFactor(1, 1)
        row(self._across, of=self)
        lead_focus(self, self.list)
        self.setAcceptDrops(True)

    @property
    def record(self) -> Record | None:
        """The session shown, or None."""
        shown = self._stack.currentWidget() is self.page
        return self.page.record if shown else None

    @property
    def folder(self) -> Path:
        """Where sessions are looked for."""
        return self._listing.path

    def set_folder(self, folder: Path) -> None:
        """Look for sessions elsewhere; what is shown from another folder is closed."""
        self._listing.choose(folder)
        self._opener.forget()
        if self.record is not None and self.record.path.parent != folder:
            self._close()
        if self.record is None:
            self._is_untouched = True
            self._empty.set_title(_NONE[0])
            self._empty.advise(_NONE[1])
        self.browser.leave(folder)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """List the folder again; off the GUI thread."""
        self._listing.refresh()

    @Slot(bool)
    def _show_table(self, shown: bool) -> None:
        """Let the table have the room, with a preview; or the session that is open."""
        self.browser.show_as(table=shown)
        self._stack.setVisible(not shown)
        self.preview.setVisible(shown)
        if shown:
            self.page.playhead.pause()
            record = self.record
            if record is not None and not self.browser.table.chosen:
                self.browser.table.choose({record.path})
            self._preview()
            self.browser.table.setFocus()
        wide = max(self._across.width() - _PREVIEW, _PREVIEW)
        self._across.setSizes([wide, 0, _PREVIEW] if shown else _LIST_SIZES)
        self._across.setStretchFactor(0, int(shown))
        self._across.setStretchFactor(1, int(not shown))

    @Slot()
    def _preview(self) -> None:
        chosen = self.browser.table.chosen
        self.tools.show_chosen(chosen)
        if self.browser.as_table.isChecked():
            self.preview.show_sessions(chosen)

    @Slot(object)
    def _show_matching(self, files: set[Path] | None) -> None:
        self.browser.show_matching(files)
        self._select_shown()

    @Slot(object, int)
    def _show_reading(self, found: list[SessionSummary], count: int) -> None:
        self.browser.show_reading(self.folder, found, count)
        self._select_shown()

    @Slot(object)
    def _mark_changed(self, found: list[SessionSummary]) -> None:
        self.browser.show_folder(self.folder, found)
        self._select_shown()

    def _select_shown(self) -> None:
        shown = self._opener.wanted or (self.record.path if self.record else None)
        self.browser.select(shown)

    @Slot(object)
    def _take_list(self, found: list[SessionSummary]) -> None:
        self.browser.show_folder(self.folder, found)
        if self.record is None and not found:
            self._empty.set_title("There are no sessions yet")
            self._empty.advise("Start a run, or open a .bayscope file from elsewhere.")
        self._select_shown()
        if self.isVisible():
            self._open_by_itself()
        self._listing.look_through()
        self._look_for_shown(found)

    def _look_for_shown(self, found: list[SessionSummary]) -> None:
        """Say so where the file of the session that is shown has gone, or is back."""
        record = self.page.record
        if record is None or record.path.parent != self.folder:
            return
        path, turn = record.path, object()
        self._look_turn = turn
        if path in [one.path for one in found]:
            self.page.head.show_gone(is_gone=False)
            return

        def take(is_there: bool) -> None:
            record = self.page.record
            is_late = turn is not self._look_turn  # another list has come since
            if record is not None and record.path == path and not is_late:
                self.page.head.show_gone(is_gone=not is_there)

        self._background.run(path.exists, take, nothing)

    @Slot(object, object)
    def _follow_file(self, old: Path, new: Path) -> None:
        """Go by the new name where the session that is shown was renamed."""
        record = self.page.record
        if record is not None and record.path == old:
            record.session.follow(new)
            self.page.head.show_file(new)

    @Slot(str)
    def _show_lost(self, text: str) -> None:
        """Say why the folder cannot be read, where nothing is shown of it."""
        if self.record is None and not self.model.rowCount():
            self._empty.set_title("The folder cannot be read")
            self._empty.say(text)

    def show_next(self, path: Path) -> None:
        """Show this session at once, or as soon as somebody looks at the page.

        Nobody's session is taken away while it is looked at: this one is in the list.
        """
        if self.isVisible() and self.record is not None:
            return
        self._next = path
        if self.isVisible():
            self._open_by_itself()

    def _open_by_itself(self) -> None:
        """Open what waits to be shown; on a page nobody has used yet, the newest."""
        if self.browser.as_table.isChecked():
            return  # Somebody looks through them.
        newest = self.browser.newest if self._is_untouched else None
        path = self._next or newest
        if path is not None:
            self.open(path, keep_focus=True)

    def open(
        self, path: Path, *, even_live: bool = False, keep_focus: bool = False
    ) -> None:
        """Open a session file and show it.

        Args:
            path: The file.
            even_live: Whether one that is being recorded is shown here too.
            keep_focus: Whether the focus stays where it is; else the charts take it.
        """
        self._next = None
        self._is_untouched = False
        self._keep_focus = keep_focus
        self.browser.select(path)
        self._opener.open(path, even_live=even_live)

    @Slot(object)
    def _take_record(self, record: Record) -> None:
        self.browser.as_table.setChecked(False)
        self._stack.setCurrentIndex(1)  # first: curves are read as wide as it is
        self.page.set_record(record)
        self.session_opened.emit(record.path)
        if not self.list.hasFocus() and not self._keep_focus:
            self.page.pane.chart.setFocus()

    def _close(self) -> None:
        self.page.playhead.pause()
        self.browser.as_table.setChecked(False)
        self._stack.setCurrentIndex(0)
        self.session_closed.emit()

    @Slot(object)
    def _show_late(self, path: Path) -> None:
        """Show no other session as if it were this one."""
        self._close()
        self._empty.set_title(f"Opening {one_line(path.name)} ...")
        self._empty.say(
            "It is long, or its disk or server does not answer. It is shown when it is "
            "read; another one can be chosen meanwhile."
        )

    @Slot(object)
    def _give_up(self, error: Exception) -> None:
        """Say why a session cannot be opened."""
        self._close()
        self._empty.set_title("This session cannot be opened")
        self._empty.say(str(error))
        if not isinstance(error, BenchError):
            self._background.failed.emit(error)

    @Slot()
    def open_file(self) -> None:
        """Ask for a session file anywhere."""
        name, _ = QFileDialog.getOpenFileName(
            self, "Open a session", str(self.folder), "Sessions (*.bayscope)"
        )
        if name:
            self.open(Path(name))

    @Slot()
    def choose_folder(self) -> None:
        """Ask for the folder to list."""
        name = QFileDialog.getExistingDirectory(
            self, "Folder with sessions", str(self.folder)
        )
        if name:
            self.set_folder(Path(name))
            self.folder_chosen.emit(Path(name))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files from elsewhere."""
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open a session that was dropped; import everything else."""
        event.acceptProposedAction()
        files = dropped_files(event.mimeData())
        others = [file for file in files if file.suffix != SUFFIX]
        if others:
            self.import_wanted.emit(others)
        elif files:
            self.open(files[0])

    def showEvent(self, event: QShowEvent) -> None:
        """List what has come since."""
        super().showEvent(event)
        self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Replay by keys from the list too, where they mean nothing else."""
        if watched is self.list and isinstance(event, QKeyEvent):
            wanted = event.key() in _REPLAY_KEYS and self.record is not None
            if wanted and event.type() == QEvent.Type.KeyPress:
                shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                return self.page.press(event.key(), shift=shift)
        return super().eventFilter(watched, event)

    def shut(self) -> None:
        """Let go of charts and session; called once, when no work is going on."""
        self.page.shut()
