"""What can be done with the sessions that are chosen, from compare to delete."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QFile, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QInputDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)

from app.operations.sessions.labels import Change, relabel, rename
from app.record.store import SessionSummary
from app.record.store.database import check_alone
from app.ui.kit.background import nothing
from app.ui.kit.context import Context
from app.ui.kit.labels import break_words
from app.ui.kit.messages import ask, tell
from app.ui.kit.widgets import column, make_form, row
from instruments.errors import BadInput
from instruments.sizes import counted, listed


class Actions(QWidget):
    """Buttons for the sessions that are chosen, and fields for their labels.

    Args:
        context: What the parts of the window share.

    Signals:
        open_wanted: This session (Path) is to be opened.
        compare_wanted: These sessions (list of Path) are to be compared.
        renamed: This file (Path) has another name now (Path).
        changed: Files were renamed, labelled or deleted.
    """

    open_wanted = Signal(object)
    compare_wanted = Signal(object)
    renamed = Signal(object, object)
    changed = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._chosen: list[SessionSummary] = []
        self._actions: dict[str, QAction] = {}
        for text, icon, keys, act in (
            ("Open", "folder-open", "", self._open),
            ("Compare these", "columns-2", "Ctrl+Shift+C", self._compare),
            ("Star", "star", "Ctrl+D", self._star),
            ("Rename...", "pencil", "F2", self._rename),
            ("Delete...", "trash-2", "Del", self._delete),
        ):
            self._add(text, icon, keys, act)
        self.tags = QLineEdit()
        self.tags.setAccessibleName("Tags")
        self.tags.setPlaceholderText("Words separated by spaces; Enter stores them")
        self.tags.editingFinished.connect(self._store_tags)
        self.note = QLineEdit()
        self.note.setAccessibleName("Note on the session")
        self.note.setPlaceholderText("Enter stores it")
        self.note.editingFinished.connect(self._store_note)
        form = make_form(10, 5)
        form.addRow("&Tags", self.tags)
        form.addRow("&Note", self.note)
        buttons = [self._button(name) for name in self._actions]
        first = row(*buttons[:2], None, spacing=6)
        second = row(*buttons[2:], None, spacing=6)
        column(first, second, form, of=self, spacing=6)
        self.show_chosen([])

    def _add(self, text: str, icon: str, keys: str, act: Callable[[], object]) -> None:
        action = QAction(text, self)
        self._context.icons.put_on(action, icon)
        if keys:
            action.setShortcut(keys)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(act)
        self._actions[text] = action

    def _button(self, text: str) -> QPushButton:
        action = self._actions[text]
        keys = action.shortcut().toString() or "Enter"
        button = QPushButton(f" {text}")
        button.setAccessibleName(text.removesuffix("..."))
        button.setToolTip(f"{_TIPS[text]} ({keys})")
        button.clicked.connect(action.trigger)

        def look() -> None:
            button.setEnabled(action.isEnabled())
            button.setIcon(action.icon())

        action.changed.connect(look)
        look()
        return button

    def serve(self, table: QWidget) -> None:
        """Let the keys and the menu of a table do the same."""
        table.addActions(list(self._actions.values()))
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(partial(self._show_menu, table))

    def _show_menu(self, table: QWidget, place: QPoint) -> None:
        menu = QMenu(table)
        menu.addActions(list(self._actions.values()))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(table.mapToGlobal(place))

    def show_chosen(self, chosen: Sequence[SessionSummary]) -> None:
        """Offer what can be done with these."""
        is_same = _paths(self._chosen) == _paths(chosen)
        self._chosen = list(chosen)
        usable = [one for one in chosen if not one.error and one.state != "recording"]
        own = [one for one in usable if not one.published]
        self._offer(chosen, len(usable), is_labelled=bool(own))
        self._name_star(own)
        self.tags.setEnabled(bool(own))
        self.note.setEnabled(len(chosen) == len(own) == 1)
        # What is being typed stays, while the list is read again behind it.
        is_typing = self.tags.hasFocus() or self.note.hasFocus()
        if not (is_same and is_typing):
            self._show_labels(own, with_note=len(chosen) == 1)

    def _offer(
        self, chosen: Sequence[SessionSummary], usable: int, *, is_labelled: bool
    ) -> None:
        is_one, published = len(chosen) == 1, any(one.published for one in chosen)
        recorded = any(one.state == "recording" for one in chosen)
        can = {
            "Open": is_one and usable == 1,
            "Compare these": usable == len(chosen) in _COMPARED,
            "Star": is_labelled,
            "Rename...": is_one and not published,
            "Delete...": bool(chosen) and not (published or recorded),
        }
        for text, action in self._actions.items():
            action.setEnabled(can[text])

    def _name_star(self, own: Sequence[SessionSummary]) -> None:
        starred = bool(own) and all(one.starred for one in own)
        self._actions["Star"].setText("No star" if starred else "Star")

    def _show_labels(self, own: Sequence[SessionSummary], *, with_note: bool) -> None:
        """Show the tags that all of them have."""
        tags = set.intersection(*(set(one.tags) for one in own)) if own else set()
        self.tags.setText(" ".join(sorted(tags)))
        self.note.setText(own[0].note if with_note and own else "")
        self.tags.setModified(False)
        self.note.setModified(False)

    @Slot()
    def _open(self) -> None:
        self.open_wanted.emit(self._chosen[0].path)

    @Slot()
    def _compare(self) -> None:
        self.compare_wanted.emit([one.path for one in self._chosen])

    @Slot()
    def _star(self) -> None:
        starred = self._actions["Star"].text() == "Star"
        self._relabel(lambda _: Change(starred=starred))

    @Slot()
    def _store_tags(self) -> None:
        if not self.tags.isModified():
            return
        self.tags.setModified(False)
        wanted = tuple(self.tags.text().replace(",", " ").split())
        shared = [set(one.tags) for one in self._chosen]
        gone = set.intersection(*shared) - set(wanted) if shared else set()
        self._relabel(lambda _: Change(tags=wanted, no_tags=tuple(gone)))

    @Slot()
    def _store_note(self) -> None:
        if self.note.isModified():
            self.note.setModified(False)
            text = self.note.text()
            self._relabel(lambda _: Change(note=text))

    def _relabel(self, change: Callable[[SessionSummary], Change]) -> None:
        own = [one for one in self._chosen if not one.error and not one.published]
        self._do(
            lambda: [relabel(one.path, change(one)) for one in own],
            f"{counted(len(own), 'session')} labelled",
        )

    @Slot()
    def _rename(self) -> None:
        [one] = self._chosen
        self._ask_name(one.path, one.path.stem)

    def _ask_name(self, path: Path, typed: str, mistake: str = "") -> None:
        """Ask for a name; one that is none is asked for again, as it was typed."""
        dialog = make_rename_dialog(self, typed, mistake)
        is_given, name = dialog.exec(), dialog.textValue()
        dialog.deleteLater()

        def failed(error: Exception) -> None:
            if isinstance(error, BadInput):
                self._ask_name(path, name, str(error))
            else:
                self._context.background.failed.emit(error)
            self.changed.emit()

        if is_given:
            followed = partial(self.renamed.emit, path)
            do = partial(rename, path, name)
            self._do(do, f"{path.name} renamed", failed, followed)

    @Slot()
    def _delete(self) -> None:
        paths = [one.path for one in self._chosen]
        names = listed([path.name for path in paths], 3)
        if ask(
            self._context.icons,
            "Delete sessions",
            f"Move {names} to the bin? The bin of the desktop gives them back.",
            yes="Move to the bin",
            no="Keep",
            parent=self,
        ):
            told = f"{counted(len(paths), 'session')} moved to the bin"
            self._do(lambda: to_bin(paths), told)

    def _do(
        self,
        do: Callable[[], object],
        told: str,
        refused: Callable[[Exception], None] | None = None,
        then: Callable[[Any], object] = nothing,
    ) -> None:
        """Change files off the GUI thread, then list them again."""

        def done(answer: object) -> None:
            then(answer)
            tell(self, told)
            self.changed.emit()

        def failed(error: Exception) -> None:
            self._context.background.failed.emit(error)
            self.changed.emit()

        self._context.background.run(do, done, refused or failed, lasting=True)


_COMPARED = range(2, 9)
"""This many sessions can be told apart side by side."""

_RENAME_WIDTH = 560

_TIPS = {
    "Open": "Show it",
    "Compare these": "Compare the chosen sessions, two to eight",
    "Star": "Star them, or remove the star",
    "Rename...": "Rename its file",
    "Delete...": "Move them to the bin of the desktop",
}


def make_rename_dialog(parent: QWidget, name: str, mistake: str) -> QInputDialog:
    """Make the dialog that asks for a file's name, wide enough for one."""
    dialog = QInputDialog(parent)
    dialog.setWindowTitle("Rename the session's file")
    told = break_words(mistake, dialog.fontMetrics(), _RENAME_WIDTH)
    dialog.setLabelText(f"{told}\n\nName of the file:".lstrip())
    dialog.setTextValue(name)
    for label in dialog.findChildren(QLabel):
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
    dialog.resize(_RENAME_WIDTH, dialog.sizeHint().height())
    return dialog


def _paths(sessions: Sequence[SessionSummary]) -> list[Path]:
    return [one.path for one in sessions]


def to_bin(paths: Sequence[Path]) -> None:
    """Move sessions' files to the bin.

    Raises:
        BadInput: One is not whole without the files beside it, or there is no bin for
            it; those before it are in theirs.
    """
    for path in paths:
        check_alone(
            path,
            "Open it once, then delete it; one that cannot be opened is removed by "
            "hand, with the files beside it.",
        )
        if not QFile(str(path)).moveToTrash():
            raise BadInput(
                "it cannot be moved to the bin",
                where=str(path),
                way_out="Its disk has none, or its folder cannot be written: remove "
                "the file by hand.",
            )
