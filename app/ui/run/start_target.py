"""The row of the start dialog that says what loads run on."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton

from app.operations.bench.aim import Aim
from app.operations.run.arming_disks import read_paths
from app.ui.kit.entries import read_size
from app.ui.kit.entry_form import EntryForm
from app.ui.kit.icons import Icons
from instruments.errors import BadInput

_WHOLE = "all of it"


class TargetFields(QLineEdit):
    """The target's path; beside it the size, and the button that opens the picker.

    Attributes:
        amount: The field for the size; empty for all of a disk.
        button: Opens the picker.

    Signals:
        edited: Another target or size is entered.
    """

    edited = Signal()

    def __init__(self, aim: Aim, icons: Icons) -> None:
        super().__init__()
        self.setAccessibleName("Target")
        self.setToolTip(
            "The scratch file or disk that loads run on, or several with commas "
            "between them (Alt+T)"
        )
        self.amount = QLineEdit()
        self.amount.setAccessibleName("Size that loads use")
        self.amount.setFixedWidth(84)
        self.amount.setToolTip(
            "Bytes the load uses, such as 512m or 4g; at least 16m. Empty: all of a "
            "disk"
        )
        self.button = QPushButton(icons.get("hard-drive"), " Choose ta&rget...")
        self.button.setAutoDefault(False)
        self.button.setToolTip("A scratch file, or a disk of the list (Alt+R)")
        self.set_aim(aim)
        self.textChanged.connect(self.edited)
        self.amount.textChanged.connect(self.edited)

    def add_to(self, form: EntryForm) -> None:
        """Add the row to a form."""
        fields: dict[QLineEdit, str] = {self: "the target", self.amount: "the size"}
        form.add_fields("&Target", fields, self.button)

    def set_aim(self, aim: Aim) -> None:
        """Show a target."""
        self.setText(aim.text)
        self.amount.setText(aim.size_text)
        self.amount.setPlaceholderText("" if aim.size else _WHOLE)

    @property
    def paths(self) -> tuple[Path, ...]:
        """What is entered, nothing where that is no path."""
        try:
            return self.read_paths()
        except BadInput:
            return ()

    @property
    def names_device(self) -> bool:
        """Whether its name alone says that it is a disk."""
        if not self.paths:
            return False
        folders = self.paths[0].absolute().parents
        return Path("/dev") in folders and Path("/dev/shm") not in folders

    def show_as_disk(self, *, disk: bool) -> None:
        """Show what an empty size means."""
        self.amount.setPlaceholderText(_WHOLE if disk else "")

    def read_paths(self) -> tuple[Path, ...]:
        """Read the target, or several with commas between them; raises BadInput."""
        return read_paths(self.text())

    def read_size(self, *, disk: bool) -> int:
        """Read the size, 0 for all of a disk; raises BadInput."""
        if disk and not self.amount.text().strip():
            return 0
        return read_size(self.amount.text())
