"""What loads run on: a scratch file, or one of the disks that are there."""

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.bench.model import Bench
from app.operations.bench.aim import Aim, FreeSpace, free_space
from app.operations.bench.arming_disks import read_paths
from app.operations.bench.arming_look import disk_size_text
from app.ui.bench.target.disks import DiskList
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.kit.entries import read_size
from app.ui.kit.entry_form import beside, make_choose_button
from instruments.errors import BadInput
from workloads.guard.device import is_device

_PAUSE_MS = 250
"""After the last key, before the disk is asked for its free space."""


class ScratchChoice(QWidget):
    """Asks for the file and its size.

    Attributes:
        path: The file.
        amount: Its size.

    Signals:
        changed: Something else is entered.
    """

    changed = Signal()

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self.path = QLineEdit()
        self.path.setAccessibleName("Scratch file")
        self.path.setPlaceholderText("~/Bayscope/scratch.dat")
        self.path.setToolTip("A file that Bayscope makes; no other file is written")
        self.amount = QLineEdit()
        self.amount.setAccessibleName("Size of the scratch file")
        self.amount.setPlaceholderText("64g")
        self.amount.setFixedWidth(84)
        self.amount.setToolTip("Such as 512m or 4g; at least 16m")
        self._free = QLabel("")
        self._free.setObjectName("muted")
        self._free.setWordWrap(True)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_PAUSE_MS)
        self._later.timeout.connect(self._look)
        for field in (self.path, self.amount):
            field.textChanged.connect(self._edited)
        choose = make_choose_button("Choose scratch file", self._choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(beside(self.path, self.amount, choose))
        layout.addWidget(self._free)

    def set_aim(self, aim: Aim) -> None:
        """Show a file."""
        self.path.setText(aim.text)
        self.amount.setText(aim.size_text)

    @property
    def aim(self) -> Aim:
        """What is entered; raises BadInput where that is no file and size."""
        return Aim(read_paths(self.path.text()), read_size(self.amount.text()))

    @property
    def told(self) -> str:
        """What is said of the free space."""
        return self._free.text()

    @Slot()
    def _edited(self) -> None:
        self._later.start()
        self.changed.emit()

    @Slot()
    def _look(self) -> None:
        try:
            path = read_paths(self.path.text())[0]
        except BadInput:
            self._free.setText("")
            return
        self._background.run(lambda: free_space(path), self._tell, self._fail)

    def _tell(self, found: FreeSpace) -> None:
        free, total = disk_size_text(found.free), disk_size_text(found.total)
        self._free.setText(f"{free} of {total} are free in {found.folder}.")

    def _fail(self, error: Exception) -> None:
        self._free.setText(str(error))

    @Slot()
    def _choose(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self,
            "Scratch file",
            self.path.text(),
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if name:
            self.path.setText(name)


_SIZE = (1120, 560)


class TargetPicker(QDialog):
    """Lets a target be chosen; a disk is never chosen by itself.

    Args:
        bench: The bench: its machines, and which disks may be overwritten; None for
            one that is only being made.
        context: What the parts of the window share.
        parent: The window that waits.
        aim: What is chosen now; None for nothing yet.
    """

    def __init__(
        self,
        bench: Bench | None,
        context: Context,
        parent: QWidget | None = None,
        *,
        aim: Aim | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Choose target")
        self._aim: Aim | None = None
        self.file_button = QRadioButton("A &scratch file on a disk in use")
        self.file_button.setToolTip("Nothing but this one file is written (Alt+S)")
        self.disk_button = QRadioButton("A &whole disk, which loads that write erase")
        self.disk_button.setToolTip("Armed by its serial number in Start run (Alt+W)")
        both = QButtonGroup(self)
        both.addButton(self.file_button)
        both.addButton(self.disk_button)
        self.file = ScratchChoice(context.background)
        self.disks = DiskList(bench, context)
        self.reason = QLabel("")
        self.reason.setObjectName("muted")
        self.reason.setWordWrap(True)
        self.reason.setAccessibleName("What is missing")
        self.buttons = QDialogButtonBox()
        self._build()
        self._connect()
        on_disk = aim is not None and is_device(aim.paths[0])
        if aim is not None and not on_disk:
            self.file.set_aim(aim)
        (self.disk_button if on_disk else self.file_button).setChecked(True)
        self.resize(*_SIZE)
        self.disks.look()
        self._check()

    def _build(self) -> None:
        roles = QDialogButtonBox.ButtonRole
        self.take = self.buttons.addButton("Take", roles.AcceptRole)
        self.take.setDefault(True)
        self.take.setToolTip("Let the loads of the bench run on this (Enter)")
        cancel = self.buttons.addButton("Cancel", roles.RejectRole)
        cancel.setAutoDefault(False)
        indent = QVBoxLayout()
        indent.setContentsMargins(22, 0, 0, 6)
        indent.addWidget(self.file)
        bottom = QHBoxLayout()
        bottom.addWidget(self.reason, 1)
        bottom.addWidget(self.buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(9)
        layout.addWidget(self.file_button)
        layout.addLayout(indent)
        layout.addWidget(self.disk_button)
        layout.addWidget(self.disks, 1)
        layout.addLayout(bottom)

    def _connect(self) -> None:
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.file.changed.connect(self._edit_file)
        self.disks.changed.connect(self._choose_disk)
        self.disks.wanted.connect(self.accept)
        self.file_button.toggled.connect(self._check)
        find = QShortcut(QKeySequence.StandardKey.Find, self)
        find.activated.connect(self.disks.filter.setFocus)
        again = QShortcut(QKeySequence.StandardKey.Refresh, self)
        again.activated.connect(self.disks.again.click)

    @property
    def aim(self) -> Aim | None:
        """What was chosen, once the dialog was accepted."""
        return self._aim

    @Slot()
    def _edit_file(self) -> None:
        if self.isVisible():
            self.file_button.setChecked(True)
        self._check()

    @Slot()
    def _choose_disk(self) -> None:
        if self.disks.choices:
            self.disk_button.setChecked(True)
        self._check()

    @Slot()
    def _check(self) -> None:
        missing = self.missing()
        self.reason.setText(missing)
        self.take.setEnabled(not missing)

    def missing(self) -> str:
        """Tell why nothing can be taken as it stands, "" where it can."""
        if self.file_button.isChecked():
            try:
                path = self.file.aim.paths[0]
            except BadInput as error:
                return str(error)
            return "This is a disk: choose it below." if is_device(path) else ""
        chosen = self.disks.choices
        if not chosen:
            return "Choose a disk of the list, or several with Ctrl."
        if self.disks.is_remote:
            return (
                "Loads run on this machine: a disk of another one can be looked at "
                "here, and not be taken."
            )
        if refused := [one.disk.name for one in chosen if not one.is_possible]:
            return f"{refused[0]} is refused, the list says why."
        return ""

    def accept(self) -> None:
        """Take what is chosen, where that is possible."""
        if self.missing():
            return
        if self.file_button.isChecked():
            self._aim = self.file.aim
        else:
            paths = [Path(choice.disk.best_path) for choice in self.disks.choices]
            self._aim = Aim(tuple(paths), 0)
        super().accept()


def pick_target(
    bench: Bench | None,
    context: Context,
    parent: QWidget,
    *,
    aim: Aim | None,
) -> Aim | None:
    """Show the picker; None when the user thinks better of it."""
    dialog = TargetPicker(bench, context, parent, aim=aim)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    try:
        return dialog.aim if dialog.exec() else None
    finally:
        dialog.deleteLater()
