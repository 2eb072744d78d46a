"""In which formats a session's report is written, and where to."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from app.operations.sessions.export import FORMATS
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    column,
    make_choose_button,
    named,
    row,
)
from app.ui.session.form_box import FormBox

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
    """What the user asked for: formats, folder, and the form of the tables."""

    formats: tuple[str, ...]
    to: Path
    form: str = ""


class ExportDialog(QDialog):
    """Asks for formats and folder."""

    def __init__(
        self, session: Path, *, form: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.formats = {name: QCheckBox(_NAMES.get(name, name)) for name in FORMATS}
        self.forms = FormBox()
        self.forms.choose(form)
        self.folder = QLineEdit(str(session.parent))
        self.folder.setAccessibleName("Folder of the files")
        choose = make_choose_button("Choose folder", self._choose)
        self.buttons = DialogButtons(self, "Export")
        grid = QGridLayout()
        grid.setVerticalSpacing(7)
        for line, (name, box) in enumerate(self.formats.items()):
            box.setChecked(name in _FIRST)
            box.toggled.connect(self._check)
            grid.addWidget(box, line, 0)
        label = QLabel("&Folder")
        label.setBuddy(self.folder)
        place = row(label, self.folder, choose, grows=self.folder)
        heading = named(ElidedLabel(session.name), "", look="muted")
        in_form = QLabel("Form of the &tables")
        in_form.setBuddy(self.forms)
        formed = row(in_form, self.forms, grows=self.forms)
        parts = (heading, grid, formed, place, self.buttons)
        column(*parts, of=self, margins=DIALOG_MARGINS, spacing=12)
        self.setMinimumWidth(480)

    @property
    def plan(self) -> ExportPlan:
        """What is entered."""
        chosen = tuple(name for name, box in self.formats.items() if box.isChecked())
        folder = Path(self.folder.text().strip()).expanduser()
        return ExportPlan(chosen, folder, self.forms.form)

    @Slot()
    def _check(self) -> None:
        self.buttons.yes.setEnabled(bool(self.plan.formats))

    @Slot()
    def _choose(self) -> None:
        name = QFileDialog.getExistingDirectory(
            self, "Folder of the files", self.folder.text()
        )
        if name:
            self.folder.setText(name)


def ask_for_export(session: Path, parent: QWidget, *, form: str) -> ExportPlan | None:
    """Show the dialog; None when the user thinks better of it."""
    dialog = ExportDialog(session, form=form, parent=parent)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    try:
        return dialog.plan if dialog.exec() else None
    finally:
        dialog.deleteLater()
