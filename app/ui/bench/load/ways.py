"""How the loads of several hosts are driven: the way, and who starts the servers."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from app.bench.load import LoadHosts
from app.ui.kit.sentence_label import SentenceLabel
from instruments.errors import BadInput
from workloads.hosts.place import FIO_PORT

_WAYS = {
    "server": "fio's own client and servers: any number of hosts",
    "ssh": "one fio on each host over SSH: live latencies of every host",
}


class LoadWays(QWidget):
    """Edits way, start and port of [load].

    Signals:
        edited: Something is another value, so no answer of a host counts any more.
    """

    edited = Signal()

    def __init__(self, load: LoadHosts | None) -> None:
        super().__init__()
        self.way = QComboBox()
        for name, text in _WAYS.items():
            self.way.addItem(text, name)
        self.way.setAccessibleName("Way")
        self.way.setToolTip("How the hosts are driven (Alt+W)")
        self.start = QCheckBox("&Bayscope starts the servers and ends them")
        self.start.setToolTip("Else the lab runs fio --server on each host (Alt+B)")
        self.port = QLineEdit()
        self.port.setMaximumWidth(90)
        self.port.setAccessibleName("Port of the lab's servers")
        self.port.setToolTip("Where fio's servers of the lab listen (Alt+O)")
        self._port_label = QLabel("P&ort")
        self._port_label.setBuddy(self.port)
        self.mistake = SentenceLabel("mistake")
        self._build()
        if load is not None:
            self.way.setCurrentIndex(self.way.findData(load.way))
        self.start.setChecked(load is None or load.start)
        self.port.setText(str(load.port if load else FIO_PORT))
        self.way.currentIndexChanged.connect(self._renew)
        self.start.toggled.connect(self._renew)
        self.port.textChanged.connect(self.edited)
        self._renew()

    def _build(self) -> None:
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        label = QLabel("&Way")
        label.setBuddy(self.way)
        form.addRow(label, self.way)
        servers = QHBoxLayout()
        servers.setSpacing(14)
        servers.addWidget(self.start)
        servers.addStretch(1)
        servers.addWidget(self._port_label)
        servers.addWidget(self.port)
        form.addRow("", servers)
        form.addRow("", self.mistake)
        form.setRowVisible(2, False)

    @Slot()
    def _renew(self) -> None:
        """Show what belongs to the way chosen."""
        is_server = self.way.currentData() == "server"
        self.start.setEnabled(is_server)
        for one in (self.port, self._port_label):
            one.setVisible(is_server and not self.start.isChecked())
        self.complain("")
        self.edited.emit()

    def values(self) -> tuple[str, bool, int]:
        """Get way, start and port.

        Raises:
            BadInput: The port is none; it is said below it, too.
        """
        way = str(self.way.currentData())
        start = way == "ssh" or self.start.isChecked()
        if start:
            return way, True, FIO_PORT
        text = self.port.text().strip()
        port = int(text) if text.isdecimal() and len(text) < 6 else 0
        if not 1 <= port <= 65535:
            error = BadInput(
                f'"{text}" is no port',
                where="port",
                way_out="Expected a whole number from 1 to 65535.",
            )
            self.complain(f"{error.what}. {error.way_out}")
            raise error
        return way, start, port

    def complain(self, sentence: str) -> None:
        """Say what is wrong here; "" for nothing."""
        self.mistake.say(sentence)
        form = self.layout()
        if isinstance(form, QFormLayout):
            form.setRowVisible(2, bool(sentence))
