"""The head of a recorded session: what it is, when it was, and its export."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.kit.icons import Icons
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.states import look_of
from app.ui.kit.theme import Theme
from app.ui.kit.units import clock, seconds_between
from app.ui.session.record import Record


class SessionHead(QWidget):
    """Two lines on a session, a button, and a third line where it was changed.

    Attributes:
        title: Its name.
        facts: What else there is to say of it in a line.
        file: The name of its file.
        change: What is wrong with its content.

    Signals:
        export_wanted: The user wants it exported.
    """

    export_wanted = Signal()

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self.title = ElidedLabel()
        self.title.setObjectName("heading")
        self.facts = ElidedLabel()
        self.facts.setObjectName("muted")
        self.file = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.file.setObjectName("muted")
        self.file.setAccessibleName("Name of the file")
        self.change = QLabel("")
        self.change.setObjectName("mistake")
        self.change.setWordWrap(True)
        self.change.hide()
        self._parts: tuple[str, ...] = ()
        self._export = QPushButton(icons.get("download"), " E&xport...")
        self._export.setToolTip("Write the report as CSV, Markdown or HTML (Ctrl+E)")
        self._export.setShortcut("Ctrl+E")
        self._export.clicked.connect(self.export_wanted)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self.title)
        second = QHBoxLayout()
        second.setSpacing(18)
        second.addWidget(self.facts, 3)
        second.addWidget(self.file, 2)
        words.addLayout(second)
        words.addWidget(self.change)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 6)
        layout.addLayout(words, 1)
        layout.addWidget(self._export)
        theme.changed.connect(self._recolour)

    def show_record(self, record: Record) -> None:
        """Say what this session is, as far as it is known without reading all of it."""
        info, layer = record.session.info, record.layer
        state = look_of(info.verdict or record.session.state).word
        fake = "simulated" if info.simulated else ""
        moment = f"{record.wall_time(layer.start):%Y-%m-%d %H:%M:%S}"
        span = clock(seconds_between(layer.start, layer.end))
        self._parts = (info.dut, moment, span, state, fake)
        self.title.setText(info.name)
        self.file.setText(record.path.name)
        for label in (self.facts, self.file):
            label.setToolTip(str(record.path))
        self.change.hide()
        is_over = record.session.state == "complete"
        self._tell("hash being checked" if is_over else "")

    def show_check(self, wrong: str) -> None:
        """Say what came of comparing its content with its hash.

        Args:
            wrong: What is wrong with it, a sentence; "" where it is as it was recorded.
        """
        self.change.setText(wrong)
        self.change.setVisible(bool(wrong))
        self._tell("" if wrong else "hash checked")

    def _tell(self, check: str) -> None:
        self.facts.setText("   ·   ".join(filter(None, (*self._parts, check))))

    @Slot()
    def _recolour(self) -> None:
        self._export.setIcon(self._icons.get("download"))
