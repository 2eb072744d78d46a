"""The switches of the bench in hand: what is on, what may be done, and doing it."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QWidget,
)

from app.bench.model import Bench
from app.ui.bench.switch_rows import ACTION_ROWS, WORDS, SwitchLine, switch_columns
from app.ui.bench.switch_work import SwitchWork
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.labels import tone
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.widgets import column, make_note, named, row, split
from instruments.switch.base import permission

if TYPE_CHECKING:
    from app.operations.bench.switch_check import SwitchCheck
    from instruments.switch.guard import Acted

_SPEEDS = ("1 lowest", "2", "3", "4", "5", "6", "7 highest")
_WIDTH = 400


class SwitchControls(QFrame):
    """Shows what the chosen switch may do; what the bench forbids is greyed.

    Signals:
        wanted: The user wants an action at a place (action, place).
    """

    wanted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("surface")
        self.buttons: dict[str, QPushButton] = {}
        self.places: dict[str, QWidget] = {}
        self.answer = make_note(look="")
        self.answer.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self._line: SwitchLine | None = None
        self._is_busy = False
        self._shown: tuple[object, ...] = (None, ())
        self._inner = QWidget()
        self._layout = column(
            self._inner, self.answer, None, of=self, margins=(16, 8, 12, 8), spacing=6
        )
        self.setAccessibleName("Actions of the switch")

    def sizeHint(self) -> QSize:
        """Room for a row of four buttons."""
        return QSize(_WIDTH, super().sizeHint().height())

    def show_line(self, line: SwitchLine | None) -> None:
        """Show the actions of a switch; its fields stay while it is the same one."""
        self._line = line
        states = line.check.states if line and line.check else {}
        shown = (line.config if line else None, tuple(states))
        if shown != self._shown:
            if shown[0] != self._shown[0]:
                self.answer.setText("")  # it is of another switch
            self._shown = shown
            self._build(list(states))
        self._enable()

    def set_busy(self, busy: bool) -> None:
        """Grey everything while an action is under way."""
        self._is_busy = busy
        if busy:
            self.tell("In progress ...")
        self._enable()

    def tell(self, text: str, *, wrong: bool = False) -> None:
        """Say what came of an action."""
        self.answer.setText(text)
        tone(self.answer, "error" if wrong else "muted")

    def _build(self, outlets: list[str]) -> None:
        old, self._inner = self._inner, QWidget()
        self._layout.replaceWidget(old, self._inner)
        old.hide()
        old.deleteLater()
        self.buttons, self.places = {}, {}
        grid = QGridLayout(self._inner)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(2, 1)
        if self._line is None:
            return
        actions = self._line.config.driver.actions
        for title, wanted in ACTION_ROWS:
            mine = [action for action in wanted if action in actions]
            if not mine:
                continue
            at = grid.rowCount()
            place, read = self._place(title, outlets)
            label = QLabel(title if place is None else _PLACES[title])
            label.setObjectName("muted")
            grid.addWidget(label, at, 0)
            if place is not None:
                label.setBuddy(place)
                self.places[title] = place
                grid.addWidget(place, at, 1)
            buttons = [self._button(action, read) for action in mine]
            grid.addLayout(row(*buttons, None, spacing=5), at, 2)

    def _place(
        self, title: str, outlets: list[str]
    ) -> tuple[QWidget | None, Callable[[], str]]:
        """Make the field of a place, and what reads it; None where there is none."""
        if title == "Power" and self._line and self._line.config.driver.name == "snmp":
            outlet = ComboBox()
            outlet.setEditable(True)
            outlet.addItems(outlets or ["1"])
            outlet.setMinimumWidth(64)
            return named(outlet, "Outlet", "Number of the outlet"), outlet.currentText
        if title == "Locate":
            slot = QSpinBox()
            slot.setRange(0, 999)
            named(slot, "Slot", "The enclosure's own slot number")
            return slot, lambda: str(slot.value())
        if title == "Fans":
            speed = ComboBox()
            speed.addItems(list(_SPEEDS))
            tip = "Speed code of SES; the enclosure may choose another speed"
            named(speed, "Fan speed", tip)
            return speed, lambda: str(speed.currentIndex() + 1)
        return None, lambda: ""

    def _button(self, action: str, read: Callable[[], str]) -> QPushButton:
        words = WORDS[action]
        found = QPushButton(words.text)
        found.setAccessibleName(words.text.replace("&", "").removesuffix("..."))
        found.clicked.connect(lambda: self.wanted.emit(action, read().strip()))
        self.buttons[action] = found
        return found

    def _enable(self) -> None:
        allowed = self._line.config.allowed if self._line else ()
        for action, button in self.buttons.items():
            ok = action in allowed
            button.setEnabled(ok and not self._is_busy)
            tip = WORDS[action].tip
            if not ok:
                tip += (
                    f'. The bench does not allow it: add "{permission(action)}" to '
                    "allow of this [[switch]] in bench.toml"
                )
            button.setToolTip(tip)


_PLACES = {"Power": "Outlet", "Locate": "Slot", "Fans": "Speed"}


class SwitchPanel(QWidget):
    """Lists switches beside the actions of the chosen one; hidden where there is none.

    Attributes:
        work: What does the actions.

    Signals:
        checked: The switches were asked.
    """

    checked = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._background = context.background
        self._bench: Bench | None = None
        self.work = SwitchWork(context, self)
        self.model = RowsModel[SwitchLine](switch_columns(), context, self)
        self.table = Table(self.model, "Switches of the bench", stretch=3)
        self.controls = SwitchControls()
        title = QLabel("Switches")
        title.setObjectName("small")
        title.setIndent(16)
        title.setContentsMargins(0, 6, 0, 2)
        parts = split(self.table, self.controls)
        parts.setStretchFactor(0, 1)
        column(title, parts, of=self, grows=parts, spacing=0)
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
        return self.model.at(self.table.chosen_row())

    def set_bench(self, bench: Bench) -> None:
        """Show the switches of a bench; what the same ones answered stays."""
        self._bench = bench
        before = self.model.records
        lines = [
            next((old for old in before if old.config == switch), SwitchLine(switch))
            for switch in bench.switches
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

        def look() -> "list[SwitchCheck]":
            # Only now, and off the GUI thread: it takes what reaches devices.
            from app.operations.bench.switch_check import (  # noqa: PLC0415
                check_switches,
            )

            return check_switches(bench)

        self._background.run(look, self._take, self._give_up, lasting=True)

    @Slot(object)
    def _take(self, checks: "list[SwitchCheck]") -> None:
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
        self.model.set_records([SwitchLine(line.config) for line in self.model.records])
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
    def _take_done(self, record: "Acted") -> None:
        self.controls.tell(f"{record.at.astimezone():%H:%M:%S}  {record.answer}")
        self.check()

    @Slot(str)
    def _take_refused(self, reason: str) -> None:
        self.controls.tell(reason, wrong=True)
