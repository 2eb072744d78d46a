"""The disks of one load host, to choose those that its loads run on."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QWidget

from app.bench.model import Bench
from app.ui.bench.target.disks import DiskList
from app.ui.kit.context import Context
from app.ui.kit.widgets import DIALOG_MARGINS, DialogButtons, column, make_note
from instruments.errors import one_line

_SIZE = (1120, 560)


class LoadDisksDialog(QDialog):
    """Lets disks of a host be chosen; none is chosen by itself.

    Args:
        bench: The bench, with the host.
        host: The name of the host.
    """

    def __init__(
        self,
        bench: Bench,
        context: Context,
        parent: QWidget | None = None,
        *,
        host: str,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Disks of {one_line(host)}")
        about = make_note(
            "Every disk of the host, and why it is or is not a safe target. Choose one "
            "or several (Ctrl or Shift); each has its own load. Nothing is overwritten "
            "before its serial number is typed at the start of a run."
        )
        self.disks = DiskList(bench, context)
        self.buttons = DialogButtons(self, "Use them")
        self.take = self.buttons.yes
        column(
            about,
            self.disks,
            self.buttons,
            of=self,
            grows=self.disks,
            margins=DIALOG_MARGINS,
            spacing=10,
        )
        self.resize(*_SIZE)
        for keys, do in (
            (QKeySequence.StandardKey.Find, self.disks.filter.setFocus),
            (QKeySequence.StandardKey.Refresh, self.disks.look),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(do)
        self.disks.changed.connect(self._let)
        self.disks.wanted.connect(self.accept)
        self.disks.machine.hide()
        self.disks.machine.setCurrentText(host)  # which looks
        self._let()

    @property
    def paths(self) -> tuple[str, ...]:
        """The lasting paths of the disks chosen."""
        return tuple(choice.disk.best_path for choice in self.disks.choices)

    @Slot()
    def _let(self) -> None:
        """Let disks be taken where some are chosen; the guard judges at the start."""
        self.take.setEnabled(bool(self.disks.choices))

    def accept(self) -> None:
        """Close it if disks are chosen."""
        if self.disks.choices:
            super().accept()
