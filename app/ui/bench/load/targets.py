"""What the loads of one host run on: names, one a line, or disks of its list."""

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from app.ui.bench.load.rows import LoadRow, read_targets
from app.ui.kit.icons import Icons
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.widgets import column, make_button, named, row

_HEIGHT = 92


class LoadTargets(QWidget):
    """Edits the targets of the chosen host.

    Args:
        choose: Lets disks of the host be chosen.

    Signals:
        edited: The targets are others now.
    """

    edited = Signal()

    def __init__(self, icons: Icons, choose: Callable[[], object]) -> None:
        super().__init__()
        self._title = QLabel("")
        self.text = QPlainTextEdit(tabChangesFocus=True)
        self.text.setFixedHeight(_HEIGHT)
        tip = "Files or disks of this host, one per line (Alt+G)"
        named(self.text, "Targets of the host", tip)
        self.text.setPlaceholderText(
            "One per line, such as /dev/disk/by-id/wwn-0x5000c500* for all disks that "
            "match; empty: the target of the device under test"
        )
        self._title.setBuddy(self.text)
        self.choose = make_button(
            "Choose &disks...",
            "List the disks of this host, and why each is safe",
            choose,
            icon=icons.get("hard-drive"),
        )
        self.mistake = SentenceLabel("mistake")
        head = row(self._title, self.choose, grows=self._title)
        column(head, self.text, ReservedLine(self.mistake), of=self, spacing=3)
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
            with QSignalBlocker(self.text):
                self.text.setPlainText("\n".join(wanted))
        self.mistake.say("")

    def set_targets(self, targets: tuple[str, ...]) -> None:
        """Enter other targets."""
        self.text.setPlainText("\n".join(targets))

    @Slot()
    def _tell(self) -> None:
        self.mistake.say("")
        self.edited.emit()
