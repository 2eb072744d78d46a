"""A scratch file as the target: where it is, how large, and what is free there."""

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.operations.bench.aim import Aim, FreeSpace, free_space
from app.operations.run.arming_disks import read_paths
from app.operations.run.arming_look import disk_size_text
from app.ui.kit.background import Background
from app.ui.kit.entries import read_size
from app.ui.kit.entry_form import beside, make_choose_button
from instruments.errors import BadInput

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
