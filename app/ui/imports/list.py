"""The files of an import: added, dropped, removed, and what each of them is."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.record.imports.plan import FilePlan
from app.ui.imports.rows import import_columns, same_recording
from app.ui.kit.icons import Icons
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables_wrapped import WrappedTable
from app.ui.kit.theme import Theme

_CLOCK = 3
"""The column that takes the room that is left."""


class ImportList(QWidget):
    """A table of files with its buttons.

    Attributes:
        model: The files as they were recognised.
        table: The table.
        keep_rest: Whether what is damaged or foreign is left out.

    Signals:
        changed: Other files are wanted, or what is damaged is left out.
        chosen: Another file is chosen, or none.
    """

    changed = Signal()
    chosen = Signal()

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__()
        self._paths: list[Path] = []
        self.model = RowsModel[FilePlan](import_columns(), theme, icons, self)
        self.table = WrappedTable(self.model, "Files to import", stretch=_CLOCK)
        self.add_button = QPushButton(icons.get("file-plus"), " &Add files...")
        self.add_button.setToolTip("Results of fio, VDBench, IOzone, WARP, an HMC8015")
        self.remove_button = QPushButton(icons.get("trash-2"), " &Remove")
        self.remove_button.setToolTip("Take the chosen file off the list (Alt+R)")
        self.remove_button.setEnabled(False)
        self.keep_rest = QCheckBox("&Leave out what is damaged or foreign")
        self.keep_rest.setToolTip("What was left out is told in the session, too")
        bar = QHBoxLayout()
        for button in (self.add_button, self.remove_button):
            button.setAutoDefault(False)
            bar.addWidget(button)
        bar.addStretch(1)
        bar.addWidget(self.keep_rest)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(bar)
        layout.addWidget(self.table, 1)
        self.add_button.clicked.connect(self._ask)
        self.remove_button.clicked.connect(self.remove)
        self.keep_rest.toggled.connect(self.changed)
        self.table.selectionModel().selectionChanged.connect(self._choose)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that are wanted, recognised or not yet."""
        return tuple(self._paths)

    def add(self, paths: Sequence[Path]) -> None:
        """Want further files, each once."""
        self._paths += [path for path in paths if path not in self._paths]
        self.changed.emit()

    @Slot()
    def remove(self) -> None:
        """Take the chosen file off the list."""
        if (choice := self.choice) is not None:
            self._paths.remove(choice.path)
            self.changed.emit()

    @property
    def choice(self) -> FilePlan | None:
        """The chosen file."""
        row = self.table.chosen_row()
        records = self.model.records
        return records[row] if 0 <= row < len(records) else None

    @property
    def read_together(self) -> list[Path]:
        """The chosen file, and those that are read as one recording with it."""
        choice = self.choice
        if choice is None or choice.error or not choice.kind:
            return []
        others = (one for one in self.model.records if one.path != choice.path)
        return [choice.path, *(o.path for o in others if same_recording(o, choice))]

    def show_files(self, files: Sequence[FilePlan]) -> None:
        """Show what was recognised; a file that was chosen stays so."""
        choice = self.choice
        self.model.set_records(files)
        places = [one.path for one in files]
        if choice is not None and choice.path in places:
            self.table.choose_row(places.index(choice.path))
        self._choose()

    @Slot()
    def _choose(self) -> None:
        self.remove_button.setEnabled(self.choice is not None)
        self.chosen.emit()

    @Slot()
    def _ask(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Results to import")
        self.add([Path(name) for name in names])
