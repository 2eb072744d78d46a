"""What loads run on: a scratch file, or one of the disks that are there."""

from pathlib import Path

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFileDialog,
    QLineEdit,
    QRadioButton,
    QWidget,
)

from app.bench.model import Bench
from app.operations.bench.aim import Aim, FreeSpace, free_space
from app.operations.bench.arming_disks import disk_size_text, read_paths
from app.ui.bench.target.disks import DiskList
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from app.ui.kit.entries import read_size
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    column,
    make_choose_button,
    make_note,
    named,
    row,
)
from instruments.errors import BadInput
from workloads.guard.device import is_device

_PAUSE_MS = 250
"""After the last key, before the disk is asked for its free space."""


class ScratchChoice(QWidget):
    """Asks for the file and its size.

    Attributes:
        path: The file.
        amount: Its size.
        free: How much space there is on its disk.

    Signals:
        changed: Something else is entered.
    """

    changed = Signal()

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self.path = QLineEdit()
        self.path.setPlaceholderText("~/Bayscope/scratch.dat")
        tip = "A file that Bayscope makes; no other file is written"
        named(self.path, "Scratch file", tip)
        self.amount = QLineEdit()
        self.amount.setPlaceholderText("64g")
        self.amount.setFixedWidth(84)
        tip = "Such as 512m or 4g; at least 16m"
        named(self.amount, "Size of the scratch file", tip)
        self.free = make_note()
        self._later = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._later.timeout.connect(self._look)
        for field in (self.path, self.amount):
            field.textChanged.connect(self._edited)
        choose = make_choose_button("Choose scratch file", self._choose)
        place = row(self.path, self.amount, choose, grows=self.path, spacing=6)
        column(place, self.free, of=self, spacing=4)

    def set_aim(self, aim: Aim) -> None:
        """Show a file."""
        self.path.setText(aim.text)
        self.amount.setText(aim.size_text)

    @property
    def aim(self) -> Aim:
        """What is entered; raises BadInput where that is not a file and size."""
        return Aim(read_paths(self.path.text()), read_size(self.amount.text()))

    @Slot()
    def _edited(self) -> None:
        self._later.start()
        self.changed.emit()

    @Slot()
    def _look(self) -> None:
        try:
            path = read_paths(self.path.text())[0]
        except BadInput:
            self.free.setText("")
            return
        self._background.run(lambda: free_space(path), self._tell, self._fail)

    def _tell(self, found: FreeSpace) -> None:
        free, total = disk_size_text(found.free), disk_size_text(found.total)
        self.free.setText(f"{free} of {total} are free in {found.folder}.")

    def _fail(self, error: Exception) -> None:
        self.free.setText(str(error))

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
        aim: What is chosen now; None for nothing yet.

    Attributes:
        aim: What was chosen, once the dialog was accepted.
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
        self.aim: Aim | None = None
        self.file_button = QRadioButton("A &scratch file on a disk in use")
        self.file_button.setToolTip("Only this one file is written (Alt+S)")
        self.disk_button = QRadioButton("A &whole disk, which writing loads erase")
        self.disk_button.setToolTip("Armed by its serial number in Start run (Alt+W)")
        both = QButtonGroup(self)
        both.addButton(self.file_button)
        both.addButton(self.disk_button)
        self.file = ScratchChoice(context.background)
        self.disks = DiskList(bench, context)
        self.reason = make_note(name="What is missing")
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
        self.buttons = DialogButtons(self, "Use")
        self.take = self.buttons.yes
        self.take.setToolTip("Use this as the target of the loads (Enter)")
        bottom = row(self.reason, self.buttons, grows=self.reason)
        column(
            self.file_button,
            column(self.file, margins=(22, 0, 0, 6)),
            self.disk_button,
            self.disks,
            bottom,
            of=self,
            grows=self.disks,
            margins=DIALOG_MARGINS,
            spacing=9,
        )

    def _connect(self) -> None:
        self.file.changed.connect(self._edit_file)
        self.disks.changed.connect(self._choose_disk)
        self.disks.wanted.connect(self.accept)
        self.file_button.toggled.connect(self._check)
        find = QShortcut(QKeySequence.StandardKey.Find, self)
        find.activated.connect(self.disks.filter.setFocus)
        again = QShortcut(QKeySequence.StandardKey.Refresh, self)
        again.activated.connect(self.disks.again.click)

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
            return "Choose a disk from the list, or several with Ctrl."
        if self.disks.is_remote:
            return (
                "Loads run on this machine: disks of another one can be listed here, "
                "but not used."
            )
        if refused := [one.disk.name for one in chosen if not one.is_possible]:
            return f"{refused[0]} is refused; the list says why."
        return ""

    def accept(self) -> None:
        """Take what is chosen, where that is possible."""
        if self.missing():
            return
        if self.file_button.isChecked():
            self.aim = self.file.aim
        else:
            paths = [Path(choice.disk.best_path) for choice in self.disks.choices]
            self.aim = Aim(tuple(paths), 0)
        super().accept()


def pick_target(
    bench: Bench | None,
    context: Context,
    parent: QWidget,
    *,
    aim: Aim | None,
) -> Aim | None:
    """Show the picker; None when the user thinks better of it."""
    with shown(TargetPicker(bench, context, parent, aim=aim)) as dialog:
        return dialog.aim
