"""Every disk of a machine, and why it is or is not a safe target."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QItemSelectionModel, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.bench.build import build_host
from app.bench.guard import Guard
from app.bench.model import Bench
from app.operations.bench.targets import Target, list_targets
from app.ui.bench.target.rows import YIELDS, details, fits, target_columns
from app.ui.bench.target.table import DiskTable
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.theme import Theme
from instruments.host.ssh import DRIVER as SSH

_HERE = "this machine"
_SEVERAL = QAbstractItemView.SelectionMode.ExtendedSelection
_ADD = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows


class DiskList(QWidget):
    """A table of disks with a filter; one or several, none chosen by itself.

    Attributes:
        table: The table.
        filter: The words that a disk's row must have.
        machine: Whose disks are listed.

    Signals:
        changed: Another disk is chosen, or none.
        wanted: The chosen disk is wanted at once.
    """

    changed = Signal()
    wanted = Signal()

    def __init__(
        self, bench: Bench | None, theme: Theme, icons: Icons, background: Background
    ) -> None:
        super().__init__()
        self._bench = bench
        self._background = background
        self._targets: list[Target] = []
        self._asked = 0
        self.machine = QComboBox()
        self.machine.addItem(_HERE)
        sources = bench.sources if bench else ()
        hosts = [one.name for one in sources if one.driver.name == SSH.name]
        self.machine.addItems(hosts)
        self.machine.setVisible(bool(hosts))
        self.machine.setAccessibleName("Disks of")
        self.machine.setToolTip("Whose disks are listed")
        self.machine.currentIndexChanged.connect(self.look)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Model, serial, WWN, slot, safe ...")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("Filter of the disks")
        self.filter.setToolTip("Show only disks whose row has these words (Ctrl+F)")
        self.filter.textChanged.connect(self._show)
        self.again = QPushButton(icons.get("refresh-cw"), " Look &again")
        self.again.setAutoDefault(False)
        self.again.setToolTip("List the disks anew (F5)")
        self.again.clicked.connect(self.look)
        columns = target_columns(bench.guard if bench else Guard())
        self.model = RowsModel[Target](columns, theme, icons, self)
        self.table = DiskTable(self.model, "Disks", YIELDS)
        self.table.setSelectionMode(_SEVERAL)
        self.table.selectionModel().selectionChanged.connect(self._tell)
        self.table.activated.connect(self.wanted)
        self._told = QLabel("")
        self._told.setObjectName("muted")
        self._told.setWordWrap(True)
        self._build()

    def _build(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(8)
        bar.addWidget(self.machine)
        bar.addWidget(self.filter, 1)
        bar.addWidget(self.again)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(bar)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._told)

    @property
    def choices(self) -> list[Target]:
        """The disks that were chosen, none as long as nobody chose one."""
        records = self.model.records
        rows = sorted(i.row() for i in self.table.selectionModel().selectedRows())
        return [records[row] for row in rows if row < len(records)]

    @property
    def is_remote(self) -> bool:
        """Whether disks of another machine are listed, on which no load runs."""
        return self.machine.currentIndex() > 0

    @Slot()
    def look(self) -> None:
        """List the disks anew, off the GUI thread; what was chosen is let go."""
        self._asked += 1
        number, name = self._asked, self.machine.currentText()
        self._targets = []
        self._show()
        self._told.setText(f"Looking at every disk of {name} ...")
        self.again.setEnabled(False)
        self._background.run(
            self._finder(name if self.is_remote else ""),
            partial(self._take, number),
            partial(self._fail, number),
            lasting=True,
        )

    def _finder(self, name: str) -> Callable[[], list[Target]]:
        bench = self._bench

        def find() -> list[Target]:
            if bench is None or not name:
                return list_targets()
            host = build_host(bench, name)
            try:
                return list_targets(host)
            finally:
                host.close()

        return find

    def _take(self, number: int, found: list[Target]) -> None:
        if number != self._asked:
            return
        self.again.setEnabled(True)
        self._targets = found
        self._show()

    def _fail(self, number: int, error: Exception) -> None:
        if number != self._asked:
            return
        self.again.setEnabled(True)
        self._told.setText(str(error))

    @Slot()
    def _show(self) -> None:
        """Show what the filter lets through; a disk that stays chosen is seen."""
        chosen = self.choices
        shown = [one for one in self._targets if fits(one, self.filter.text())]
        self.table.clearSelection()
        self.model.set_records([])
        self.model.set_records(shown)
        for one in chosen:
            if one in shown:
                index = self.model.index(shown.index(one), 0)
                self.table.selectionModel().select(index, _ADD)
        self._tell()

    @Slot()
    def _tell(self) -> None:
        chosen, shown = self.choices, len(self.model.records)
        safe = sum(one.is_safe for one in self._targets)
        if len(chosen) == 1:
            self._told.setText(details(chosen[0]))
        elif chosen:
            self._told.setText(
                f"{len(chosen)} disks are chosen: each has its own load."
            )
        elif not self._targets:
            self._told.setText("There is no disk.")
        elif shown < len(self._targets):
            self._told.setText(f"{shown} of {len(self._targets)} disks are shown.")
        else:
            self._told.setText(f"{shown} disks, {safe} of them safe. None is chosen.")
        self.changed.emit()
