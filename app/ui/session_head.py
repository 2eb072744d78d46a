"""The head of a recorded session: what it is, when it was, and its export."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.icons import Icons
from app.ui.labels import ElidedLabel
from app.ui.record import Record
from app.ui.states import look_of
from app.ui.theme import Theme
from app.ui.units import clock, seconds_between


class SessionHead(QWidget):
    """Two lines on a session, and a button.

    Attributes:
        title: Its name.
        facts: What else there is to say of it in a line.

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
        self._export = QPushButton(icons.get("download"), " E&xport...")
        self._export.setToolTip("Write the report as CSV, Markdown or HTML (Ctrl+E)")
        self._export.setShortcut("Ctrl+E")
        self._export.clicked.connect(self.export_wanted)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self.title)
        words.addWidget(self.facts)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 6)
        layout.addLayout(words, 1)
        layout.addWidget(self._export)
        theme.changed.connect(self._recolour)

    def show_record(self, record: Record) -> None:
        """Say what this session is."""
        info, layer = record.session.info, record.layer
        state = look_of(info.verdict or record.session.state).word
        label = "simulated" if info.simulated else ""
        moment = f"{record.wall_time(layer.start):%Y-%m-%d %H:%M:%S}"
        span = clock(seconds_between(layer.start, layer.end))
        changed = "changed after the run" if record.change else ""
        parts = (changed, info.dut, moment, span, state, label, record.path.name)
        self.title.setText(info.name)
        self.facts.setText("   ·   ".join(part for part in parts if part))
        self.facts.setToolTip(
            "\n".join(filter(None, (str(record.path), record.change)))
        )

    @Slot()
    def _recolour(self) -> None:
        self._export.setIcon(self._icons.get("download"))
