"""The buttons of one switch: what it can do, where, and what came of it."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.operations.bench.switch_check import may_do
from app.ui.bench.switch_rows import ACTION_ROWS, WORDS, SwitchLine
from instruments.switch.base import permission

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
        self.answer = QLabel("")
        self.answer.setWordWrap(True)
        self.answer.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self._line: SwitchLine | None = None
        self._is_busy = False
        self._shown: tuple[object, ...] = (None, ())
        self._inner = QWidget()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(16, 8, 12, 8)
        self._layout.setSpacing(6)
        self._layout.addWidget(self._inner)
        self._layout.addWidget(self.answer)
        self._layout.addStretch(1)
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
                self.answer.setText("")
            self._shown = shown
            self._build(list(states))
        self._enable()

    def set_busy(self, busy: bool) -> None:
        """Grey everything while an action is under way."""
        self._is_busy = busy
        if busy:
            self.tell("Under way ...")
        self._enable()

    def tell(self, text: str, *, wrong: bool = False) -> None:
        """Say what came of an action."""
        self.answer.setText(text)
        self.answer.setObjectName("mistake" if wrong else "muted")
        self.answer.style().polish(self.answer)

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
            row = grid.rowCount()
            place, read = self._place(title, outlets)
            label = QLabel(title if place is None else _PLACES[title])
            label.setObjectName("muted")
            grid.addWidget(label, row, 0)
            if place is not None:
                label.setBuddy(place)
                self.places[title] = place
                grid.addWidget(place, row, 1)
            line = QHBoxLayout()
            line.setSpacing(5)
            for action in mine:
                line.addWidget(self._button(action, read))
            line.addStretch(1)
            grid.addLayout(line, row, 2)

    def _place(
        self, title: str, outlets: list[str]
    ) -> tuple[QWidget | None, Callable[[], str]]:
        """Make the field of a place, and what reads it; None where there is none."""
        if title == "Power" and self._line and self._line.config.driver.name == "snmp":
            outlet = QComboBox()
            outlet.setEditable(True)
            outlet.addItems(outlets or ["1"])
            outlet.setMinimumWidth(64)
            outlet.setAccessibleName("Outlet")
            outlet.setToolTip("Number of the outlet")
            return outlet, outlet.currentText
        if title == "Locate":
            slot = QSpinBox()
            slot.setRange(0, 999)
            slot.setAccessibleName("Slot")
            slot.setToolTip("The enclosure's own slot number")
            return slot, lambda: str(slot.value())
        if title == "Fans":
            speed = QComboBox()
            speed.addItems(list(_SPEEDS))
            speed.setAccessibleName("Fan speed")
            speed.setToolTip("Speed code of SES; the enclosure may go on as it likes")
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
        allowed = may_do(self._line.config) if self._line else ()
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
