"""The sessions of a folder, listed at the left."""

from pathlib import Path

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.kit.icons import Icons
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.theme import Theme
from app.ui.session.list import SessionDelegate, SessionModel


class SessionBrowser(QWidget):
    """A list with its folder above, and buttons to look elsewhere.

    Attributes:
        model: What is listed.
        list: The list itself.

    Signals:
        chosen: The user chose this session (Path).
        refresh_wanted: The folder is to be listed again.
        folder_wanted: Another folder is to be listed.
        file_wanted: A file from anywhere is to be opened.
        import_wanted: Results made elsewhere are to be imported.
    """

    chosen = Signal(object)
    refresh_wanted = Signal()
    folder_wanted = Signal()
    file_wanted = Signal()
    import_wanted = Signal()

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._buttons: list[tuple[QToolButton, str]] = []
        self.model = SessionModel(theme, icons, self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(SessionDelegate(theme, self.list))
        self.list.setAccessibleName("Sessions")
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.selectionModel().selectionChanged.connect(self._choose)
        self._place = ElidedLabel()
        self._place.setObjectName("muted")
        self._build()
        theme.changed.connect(self._recolour)

    def _build(self) -> None:
        heading = QLabel("Sessions")
        heading.setObjectName("heading")
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 8, 8, 2)
        bar.setSpacing(2)
        bar.addWidget(heading, 1)
        for icon, text, keys, wanted in (
            ("refresh-cw", "Look again", "F5", self.refresh_wanted),
            ("folder-open", "Choose folder...", "Ctrl+Shift+F", self.folder_wanted),
            ("file-text", "Open file...", "Ctrl+O", self.file_wanted),
            ("import", "Import results...", "Ctrl+Shift+I", self.import_wanted),
        ):
            button = QToolButton()
            button.setIcon(self._icons.get(icon))
            button.setAccessibleName(text.removesuffix("..."))
            button.setToolTip(f"{text} ({keys})")
            button.setShortcut(keys)
            button.clicked.connect(wanted)
            self._buttons.append((button, icon))
            bar.addWidget(button)
        self._place.setContentsMargins(12, 0, 8, 6)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self._place)
        column.addWidget(self.list, 1)

    @property
    def newest(self) -> Path | None:
        """The newest session that can be shown here."""
        usable = (
            one.path
            for one in self.model.summaries
            if not one.error and one.state != "recording"
        )
        return next(usable, None)

    def show_folder(self, folder: Path) -> None:
        """Say where the sessions are."""
        self._place.setText(str(folder))

    def select(self, path: Path | None) -> None:
        """Mark a session as the one shown, without a signal; None marks none."""
        row = self.model.row_of(path)
        chosen = self.list.selectionModel()
        chosen.blockSignals(True)
        if row >= 0:
            flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
            chosen.setCurrentIndex(self.model.index(row), flag)
        else:
            chosen.clearSelection()
        chosen.blockSignals(False)
        self.list.viewport().update()

    @Slot(QItemSelection)
    def _choose(self, _selection: QItemSelection) -> None:
        rows = self.list.selectionModel().selectedIndexes()
        if rows:
            self.chosen.emit(self.model.summaries[rows[0].row()].path)

    @Slot()
    def _recolour(self) -> None:
        for button, icon in self._buttons:
            button.setIcon(self._icons.get(icon))
