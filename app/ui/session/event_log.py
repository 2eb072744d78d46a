"""The log of events of a session, up to the playhead."""

import textwrap
from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.record.store import EventRow
from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.states import look_of
from app.ui.kit.tables import LogTable
from app.ui.kit.widgets import column, make_heading

_TIP_WIDTH = 90
"""Letters of a tool tip's line."""


class EventLog(QWidget):
    """Time, level, source and message; the newest is at the end.

    Args:
        context: What the parts of the window share.
        wrapped: Whether a long message takes several lines.
        titled: Whether a heading stands above; the heads of its columns tell as well.

    Signals:
        moment_chosen: The user wants to see when this was (int nanoseconds).
        event_chosen: The same, by the number of the event.
    """

    moment_chosen = Signal(object)
    event_chosen = Signal(int)

    def __init__(
        self, context: Context, *, wrapped: bool = False, titled: bool = True
    ) -> None:
        super().__init__()
        self._wall_time: Callable[[int], datetime] | None = None
        columns = [
            Column[EventRow]("Time", self._time),
            Column[EventRow]("Level", lambda e: e.level, lambda e: look_of(e.level)),
            Column[EventRow]("Source", lambda event: event.source),
            Column[EventRow]("Message", lambda e: e.message, tip=_whole),
        ]
        self._model = RowsModel(columns, context, self)
        self._table = LogTable(self._model, "Event log", stretch=3)
        # An address stands in the middle of a message, its reason at the end.
        self._table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._table.setToolTip(
            "Enter or a double click goes to its moment; "
            "Ctrl+C copies the chosen events, or all of them"
        )
        self._table.activated.connect(self._choose)
        if wrapped:
            self._table.wrap()
        heading = make_heading("Event log")
        heading.setContentsMargins(10, 7, 10, 5)
        self._is_wrapped = wrapped
        self._below = 0
        parts = (heading, self._table) if titled else (self._table,)
        column(*parts, of=self, grows=self._table, spacing=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave what is less than a row below: at the end the first would be cut."""
        super().resizeEvent(event)
        layout = self.layout()
        if layout is None or self._is_wrapped:
            return
        # The table has its old height still.
        heads = self._table.height() - self._table.viewport().height()
        room = event.size().height() - self._table.y() - heads
        row = self._table.verticalHeader().defaultSectionSize()
        self._below = room % row if room > row else 0
        layout.setContentsMargins(0, 0, 0, self._below)

    def minimumSizeHint(self) -> QSize:
        """Get the least room, without what is left below.

        That follows from the room: asked for as well, it would never come to rest.
        """
        return super().minimumSizeHint() - QSize(0, self._below)

    def sizeHint(self) -> QSize:
        """Get the best room, without what is left below."""
        return super().sizeHint() - QSize(0, self._below)

    @property
    def model(self) -> RowsModel[EventRow]:
        """What is listed."""
        return self._model

    def set_events(
        self, events: Sequence[EventRow], wall_time: Callable[[int], datetime]
    ) -> None:
        """List these events.

        Args:
            events: In the order of time.
            wall_time: Turns monotonic nanoseconds into the time of day.
        """
        self._wall_time = wall_time
        self._model.set_records(events)

    def show_at(self, t_ns: int) -> None:
        """Bring the last event up to a moment into view."""
        times = [event.t_ns for event in self._model.records]
        place = bisect_right(times, t_ns) - 1
        if place >= 0:
            self._table.setCurrentIndex(self._model.index(place, 0))

    def choose(self, number: int) -> None:
        """Choose an event by its number, and bring it into view."""
        for place, event in enumerate(self._model.records):
            if event.id == number:
                self._table.selectRow(place)
                self._table.scrollTo(self._model.index(place, 0))
                self._table.setFocus()

    @Slot(QModelIndex)
    def _choose(self, index: QModelIndex) -> None:
        event = self._model.records[index.row()]
        self.moment_chosen.emit(event.t_ns)
        self.event_chosen.emit(event.id)

    def _time(self, event: EventRow) -> str:
        if self._wall_time is None:
            return ""
        moment = self._wall_time(event.t_ns)
        return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"


def _whole(event: EventRow) -> str:
    """Break a message into lines; a tool tip does not by itself."""
    return textwrap.fill(event.message, _TIP_WIDTH)
