"""In which formats a session's report is written, and where to."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.operations.sessions.export import FORMATS

_NAMES = {
    "csv": "&CSV table",
    "md": "&Markdown table",
    "html": "&HTML page with charts",
    "png": "&PNG picture of the charts",
    "svg": "&SVG picture of the charts",
}
_FIRST = ("csv", "md", "html")


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """What the user asked for: formats, folder, and whether in the lab's form."""

    formats: tuple[str, ...]
    to: Path
    lab: bool


class ExportDialog(QDialog):
    """Asks for formats and folder."""

    def __init__(
        self, session: Path, *, lab: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.formats = {name: QCheckBox(_NAMES.get(name, name)) for name in FORMATS}
        self.lab = QCheckBox("&Lab form of the table")
        self.lab.setChecked(lab)
        self.lab.setToolTip("Four columns, blank where a lab report leaves blank")
        self.folder = QLineEdit(str(session.parent))
        self.folder.setAccessibleName("Folder of the files")
        choose = QPushButton("...")
        choose.setFixedWidth(40)
        choose.setAutoDefault(False)
        choose.setAccessibleName("Choose folder")
        choose.setToolTip("Choose folder...")
        choose.clicked.connect(self._choose)
        self.buttons = QDialogButtonBox()
        self._go = self.buttons.addButton(
            "Export", QDialogButtonBox.ButtonRole.AcceptRole
        )
        self._go.setDefault(True)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        grid = QGridLayout()
        grid.setVerticalSpacing(7)
        for row, (name, box) in enumerate(self.formats.items()):
            box.setChecked(name in _FIRST)
            box.toggled.connect(self._check)
            grid.addWidget(box, row, 0)
        place = QHBoxLayout()
        label = QLabel("&Folder")
        label.setBuddy(self.folder)
        place.addWidget(label)
        place.addWidget(self.folder, 1)
        place.addWidget(choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(12)
        heading = QLabel(session.name)
        heading.setObjectName("muted")
        layout.addWidget(heading)
        layout.addLayout(grid)
        layout.addWidget(self.lab)
        layout.addLayout(place)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(480)

    @property
    def plan(self) -> ExportPlan:
        """What is entered."""
        chosen = tuple(name for name, box in self.formats.items() if box.isChecked())
        folder = Path(self.folder.text().strip()).expanduser()
        return ExportPlan(chosen, folder, self.lab.isChecked())

    @Slot()
    def _check(self) -> None:
        self._go.setEnabled(bool(self.plan.formats))

    @Slot()
    def _choose(self) -> None:
        name = QFileDialog.getExistingDirectory(
            self, "Folder of the files", self.folder.text()
        )
        if name:
            self.folder.setText(name)


def ask_for_export(session: Path, parent: QWidget, *, lab: bool) -> ExportPlan | None:
    """Show the dialog; None when the user thinks better of it."""
    dialog = ExportDialog(session, lab=lab, parent=parent)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    try:
        return dialog.plan if dialog.exec() else None
    finally:
        dialog.deleteLater()
