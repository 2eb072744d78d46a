"""The line that says that a text is being read, how long already, and how to stop."""

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from app.ui.kit.icons import Icons

_SECOND_MS = 1000
_BAR = (90, 10)


class BusyLine(QWidget):
    """Counts the seconds while it is busy; else it has room for a sentence.

    Signals:
        stopped: The user does not want to wait any longer.
    """

    stopped = Signal()

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._seconds = 0
        self._clock = QTimer(self)
        self._clock.setInterval(_SECOND_MS)
        self._clock.timeout.connect(self._tick)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setFixedSize(*_BAR)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("The text is being read")
        self.stop_button = QPushButton(icons.get("square"), " S&top")
        self.stop_button.setToolTip("Give up reading this text (Alt+T)")
        self.stop_button.setAutoDefault(False)
        self.stop_button.clicked.connect(self.stopped)
        self.reason = QLabel("")
        self.reason.setObjectName("muted")
        self.reason.setWordWrap(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self.bar)
        row.addWidget(self.stop_button)
        row.addWidget(self.reason, 1)
        self.end("")

    def begin(self) -> None:
        """Say that a text is being read, and count from here."""
        self._seconds = 0
        self._clock.start()
        self.reason.setText("Reading the text ...")
        self._show(is_busy=True)

    def end(self, sentence: str) -> None:
        """Say something else."""
        self._clock.stop()
        self.reason.setText(sentence)
        self._show(is_busy=False)

    def _show(self, *, is_busy: bool) -> None:
        self.bar.setVisible(is_busy)
        self.stop_button.setVisible(is_busy)

    @Slot()
    def _tick(self) -> None:
        self._seconds += 1
        self.reason.setText(f"Reading the text ... {self._seconds} s")
