"""How the loads of several hosts are driven: the way, and who starts the servers."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from app.bench.load import LoadHosts
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.widgets import make_form, named, row
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
        self.way = ComboBox()
        for name, text in _WAYS.items():
            self.way.addItem(text, name)
        named(self.way, "Mode", "How the hosts are driven (Alt+M)")
        self.start = QCheckBox("Start and stop the fio servers a&utomatically")
        self.start.setToolTip(
            "Otherwise fio --server must be running on each host (Alt+U)"
        )
        self.port = QLineEdit()
        self.port.setMaximumWidth(90)
        tip = "Port of the fio servers that are already running (Alt+O)"
        named(self.port, "Port of the lab's servers", tip)
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
        form = make_form(vertical=4)
        form.setContentsMargins(0, 0, 0, 0)
        self.setLayout(form)
        # Where room is short the table beside it gives way, whatever is said here.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        label = QLabel("&Mode")
        label.setBuddy(self.way)
        form.addRow(label, self.way)
        servers = row(self.start, None, self._port_label, self.port, spacing=14)
        form.addRow("", servers)
        form.addRow("", ReservedLine(self.mistake))

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
            BadInput: The port is not one; shown below it, too.
        """
        way = str(self.way.currentData())
        start = way == "ssh" or self.start.isChecked()
        if start:
            return way, True, FIO_PORT
        text = self.port.text().strip()
        port = int(text) if text.isdecimal() and len(text) < 6 else 0
        if not 1 <= port <= 65535:
            error = BadInput(
                f'"{text}" is not a port',
                where="port",
                way_out="Expected a whole number from 1 to 65535.",
            )
            self.complain(f"{error.what}. {error.way_out}")
            raise error
        return way, start, port

    def complain(self, sentence: str) -> None:
        """Say what is wrong here; "" for nothing."""
        self.mistake.say(sentence)
