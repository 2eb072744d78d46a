"""The slots of a session at a moment, read from the store off the GUI thread."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.ui.kit.background import Background
from app.ui.session.record import Record
from app.ui.session.slots.values import (
    SlotState,
    colour_span,
    read_slots,
    slot_channels,
)


@dataclass(frozen=True, slots=True)
class _Answer:
    record: Record
    state: SlotState


class SlotReader(QObject):
    """Asks the store for a view; while one answer is due the last wish counts.

    Args:
        background: Where the store is read.
        view: Whom it is for; nothing is read while it is hidden.

    Signals:
        read: How the slots were (SlotState).
    """

    read = Signal(object)

    def __init__(self, background: Background, view: QWidget) -> None:
        super().__init__(view)
        self._background = background
        self._view = view
        self._record: Record | None = None
        self._span: tuple[float, float] | None = None
        self._wanted: int | None = None
        self._busy = False

    def set_record(self, record: Record | None) -> None:
        """Read another session, or the same one with more in it."""
        before, self._record = self._record, record
        if record is None or before is None or before.session is not record.session:
            self._span = None

    def want(self, t_ns: int) -> None:
        """Read a moment, as soon as that can be."""
        self._wanted = t_ns
        self.catch_up()

    def catch_up(self) -> None:
        """Read what is wanted, unless an answer is due."""
        record, t_ns, span = self._record, self._wanted, self._span
        if self._busy or record is None or t_ns is None or not self._view.isVisible():
            return
        self._busy, self._wanted = True, None

        def do() -> _Answer:
            channels = record.session.channels()
            slots = slot_channels(channels)
            airs = [one for one in channels if one.location == "inlet"]
            # While it is recorded the span may still grow.
            is_live = record.session.state == "recording"
            ends = span if span and not is_live else colour_span(record.session, slots)
            inlet = airs[0] if airs else None
            return _Answer(record, read_slots(record.session, slots, inlet, t_ns, ends))

        self._background.run(do, self._take, partial(self._give_up, record))

    @Slot(object)
    def _take(self, answer: _Answer) -> None:
        self._busy = False
        mine = self._record
        if mine is not None and mine.session is answer.record.session:
            self._span = answer.state.low, answer.state.high
            self.read.emit(answer.state)
        self.catch_up()

    def _give_up(self, record: Record, error: Exception) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        self._busy = False
        if self._record is not None and self._record.session is record.session:
            self._background.failed.emit(error)
        else:
            self.catch_up()
