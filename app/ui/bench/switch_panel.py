"""The switches of the bench in hand: what is on, what may be done, and doing it."""

from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from app.bench.model import Bench
from app.operations.bench.switch_check import SwitchCheck, check_switches
from app.ui.bench.switch_controls import SwitchControls
from app.ui.bench.switch_rows import SwitchLine, switch_columns
from app.ui.bench.switch_work import SwitchWork
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.theme import Theme
from instruments.switch.guard import Acted


class SwitchPanel(QWidget):
    """Lists switches beside the actions of the chosen one; hidden where there is none.

    Attributes:
        work: What does the actions.

    Signals:
        checked: The switches were asked.
    """

    checked = Signal()

    def __init__(self, theme: Theme, icons: Icons, background: Background) -> None:
        super().__init__()
        self._background = background
        self._bench: Bench | None = None
        self.work = SwitchWork(icons, background, self)
        self.model = RowsModel[SwitchLine](switch_columns(), theme, icons, self)
        self.table = Table(self.model, "Switches of the bench", stretch=3)
        self.controls = SwitchControls()
        title = QLabel("Switches")
        title.setObjectName("small")
        title.setIndent(16)
        title.setContentsMargins(0, 6, 0, 2)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.table)
        split.addWidget(self.controls)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 0)
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(title)
        layout.addWidget(split, 1)
        self.table.selectionModel().selectionChanged.connect(self._show_chosen)
        self.model.dataChanged.connect(self._show_chosen)
        self.controls.wanted.connect(self._do)
        self.work.done.connect(self._take_done)
        self.work.refused.connect(self._take_refused)
        self.work.busy_changed.connect(self._show_busy)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    @property
    def chosen(self) -> SwitchLine | None:
        """The switch chosen in the table."""
        row, records = self.table.chosen_row(), self.model.records
        return records[row] if 0 <= row < len(records) else None

    def set_bench(self, bench: Bench) -> None:
        """Show the switches of a bench; what the same ones answered stays."""
        self._bench = bench
        known = self.model.records
        lines = [
            next((old for old in known if old.config == one), SwitchLine(one))
            for one in bench.switches
        ]
        self.model.set_records(lines)
        self.setVisible(bool(lines))
        if lines and self.table.chosen_row() < 0:
            self.table.choose_row(0)
        self._show_chosen()

    def check(self) -> None:
        """Ask every switch what is on; off the GUI thread."""
        bench = self._bench
        if bench is None or not bench.switches:
            return
        self.model.set_records(
            [replace(line, state="checking") for line in self.model.records]
        )
        self._background.run(
            lambda: check_switches(bench), self._take, self._give_up, lasting=True
        )

    @Slot(object)
    def _take(self, checks: list[SwitchCheck]) -> None:
        found = {check.config.name: check for check in checks}
        lines = []
        for line in self.model.records:
            check = found.get(line.config.name)
            if check is not None and check.config == line.config:
                state = "ok" if check.ok else "lost"
                lines.append(SwitchLine(line.config, state, check))
            else:
                lines.append(SwitchLine(line.config))
        self.model.set_records(lines)
        self._show_chosen()
        self.checked.emit()

    def _give_up(self, error: Exception) -> None:
        self.model.set_records([SwitchLine(one.config) for one in self.model.records])
        self._background.failed.emit(error)

    @Slot()
    def _show_chosen(self) -> None:
        self.controls.show_line(self.chosen)

    @Slot(str, str)
    def _do(self, action: str, place: str) -> None:
        line = self.chosen
        if line is not None and self._bench is not None:
            self.work.do(self._bench, line.config.name, action, place)

    @Slot()
    def _show_busy(self) -> None:
        self.controls.set_busy(self.work.is_busy)

    @Slot(object)
    def _take_done(self, record: Acted) -> None:
        self.controls.tell(f"{record.at.astimezone():%H:%M:%S}  {record.answer}")
        self.check()

    @Slot(str)
    def _take_refused(self, told: str) -> None:
        self.controls.tell(told, wrong=True)
