"""What the loads of one host run on: names, one a line, or disks of its list."""

from collections.abc import Callable

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.bench.load.rows import LoadRow, read_targets
from app.ui.kit.icons import Icons
from app.ui.kit.sentence_label import SentenceLabel

_HEIGHT = 92


class LoadTargets(QWidget):
    """Edits the targets of the chosen host.

    Args:
        icons: Icons of the theme.
        choose: Lets disks of the host be chosen.

    Signals:
        edited: The targets are others now.
    """

    edited = Signal()

    def __init__(self, icons: Icons, choose: Callable[[], object]) -> None:
        super().__init__()
        self._title = QLabel("")
        self.text = QPlainTextEdit()
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(_HEIGHT)
        self.text.setAccessibleName("Targets of the host")
        self.text.setToolTip("Files or disks of this host, one a line (Alt+G)")
        self.text.setPlaceholderText(
            "One a line, such as /dev/disk/by-id/wwn-0x5000c500* for all disks that "
            "match; empty: the target of the device under test"
        )
        self._title.setBuddy(self.text)
        self.choose = QPushButton(icons.get("hard-drive"), " Choose &disks...")
        self.choose.setAutoDefault(False)
        self.choose.setToolTip("List the disks of this host, and why each is safe")
        self.choose.clicked.connect(choose)
        self.mistake = SentenceLabel("mistake")
        self.mistake.say("")
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self.text)
        layout.addWidget(self.mistake)
        self.text.textChanged.connect(self._tell)
        self._shows = ""
        self.show_row(None)

    @property
    def targets(self) -> tuple[str, ...]:
        """What is entered."""
        return read_targets(self.text.toPlainText())

    def show_row(self, row: LoadRow | None) -> None:
        """Show the targets of another host; None for no host."""
        self.setEnabled(row is not None)
        self._title.setText(f"Tar&gets of {row.name}" if row else "Tar&gets")
        wanted = row.targets if row else ()
        if self._shows != (row.name if row else "") or wanted != self.targets:
            self._shows = row.name if row else ""
            self.text.blockSignals(True)
            self.text.setPlainText("\n".join(wanted))
            self.text.blockSignals(False)
        self.mistake.say("")

    def set_targets(self, targets: tuple[str, ...]) -> None:
        """Enter other targets."""
        self.text.setPlainText("\n".join(targets))

    @Slot()
    def _tell(self) -> None:
        self.mistake.say("")
        self.edited.emit()
