"""The locate light of a slot: lit and put out from the slot map."""

import re
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.record.own_key import own_key
from app.record.store import Session
from app.ui.bench.switch_work import SwitchWork
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.widgets import row
from app.ui.session.record import Record
from instruments.errors import BadInput, BenchError
from instruments.switch.base import LOCATE, LOCATE_OFF
from instruments.switch.guard import Acted

_SLOT = re.compile(r"slot(\d+)")


class SlotLight(QWidget):
    """Two buttons for the chosen slot; hidden where the bench has no such switch.

    Attributes:
        work: What does the actions.
    """

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._background = context.background
        self._wanted: Session | None = None
        self._bench: Bench | None = None
        self._switch = ""
        self._slot = ""
        self.work = SwitchWork(context, self)
        self.on = _button("Li&ght slot", "Turn the locate lamp of the chosen slot on")
        self.off = _button("Ligh&t off", "Turn the locate lamp of the chosen slot off")
        self.told = ElidedLabel()
        self.told.setObjectName("muted")
        row(self.on, self.off, self.told, of=self, grows=self.told, spacing=5)
        self.on.clicked.connect(self.light)
        self.off.clicked.connect(self.put_out)
        self.work.done.connect(self._take_done)
        self.work.refused.connect(self.told.setText)
        self.work.busy_changed.connect(self._enable)
        self.hide()

    @property
    def is_there(self) -> bool:
        """Whether the bench lets lights be lit."""
        return bool(self._switch)

    def set_record(self, record: Record | None) -> None:
        """Take the switch of the bench that a session was recorded on, here.

        The bench in a session from elsewhere is somebody else's: nothing is switched
        at its addresses.
        """
        self._wanted = session = None if record is None else record.session
        self._take(session, None)
        if record is not None and session is not None:
            # Whether it is our own is told by all its steps, which takes its time.
            self._background.run(
                partial(_look, session),
                partial(self._take, session),
                partial(self._fail, session),
            )
            self.work.recording = lambda: (
                record.path if session.state == "recording" else None
            )

    def _fail(self, session: Session, error: Exception) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        # The page itself says what is no fault of ours.
        if session is self._wanted and not isinstance(error, BenchError):
            self._background.failed.emit(error)

    def _take(self, session: Session | None, found: tuple[Bench, str] | None) -> None:
        if session is not self._wanted:
            return
        self._bench, self._switch = found or (None, "")
        self.told.setText("")
        self.setVisible(self.is_there)
        self._enable()

    def set_slot(self, name: str) -> None:
        """Choose a slot by its location, such as "slot07"."""
        match = _SLOT.fullmatch(name)
        self._slot = str(int(match[1])) if match else ""
        self._enable()

    def add_to(self, menu: QMenu) -> None:
        """Add both actions to a menu."""
        for text, do in (("Light slot", self.light), ("Turn light off", self.put_out)):
            action = QAction(text, menu)
            action.setEnabled(self.on.isEnabled())
            action.triggered.connect(do)
            menu.addAction(action)

    @Slot()
    def light(self) -> None:
        """Light the lamp of the chosen slot."""
        self._do(LOCATE)

    @Slot()
    def put_out(self) -> None:
        """Put the lamp of the chosen slot out."""
        self._do(LOCATE_OFF)

    def _do(self, action: str) -> None:
        if self._bench is not None and self._slot:
            self.told.setText("Under way ...")
            self.work.do(self._bench, self._switch, action, self._slot)

    @Slot()
    def _enable(self) -> None:
        ok = bool(self._switch and self._slot) and not self.work.is_busy
        self.on.setEnabled(ok)
        self.off.setEnabled(ok)

    @Slot(object)
    def _take_done(self, record: Acted) -> None:
        answer = record.answer
        self.told.setText(f"{answer[:1].upper()}{answer[1:]}")


def _button(text: str, tip: str) -> QPushButton:
    found = QPushButton(text)
    found.setToolTip(f"{tip} (choose a slot first)")
    found.setAccessibleName(text.replace("&", ""))
    return found


def _look(session: Session) -> tuple[Bench, str] | None:
    """Find the switch of the bench in a session of ours; runs in a worker."""
    try:
        bench = parse_bench(session.info.bench, "bench.toml")
    except BadInput:
        return None  # a bench of another version, or of an import
    switch = _switch_of(bench)
    return (bench, switch) if switch and session.is_signed(own_key()) else None


def _switch_of(bench: Bench) -> str:
    """Find the switch that may light slots; the shelf that is measured comes first."""
    measured = {
        source.keys.get("device")
        for source in bench.sources
        if source.section == "thermal"
    }
    found = [switch for switch in bench.switches if LOCATE in switch.allow]
    found.sort(key=lambda one: one.keys.get("device") not in measured)
    return found[0].name if found else ""
