"""What happened in a session, and what is missing in it: two lists."""

from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from app.record.store import EventRow, GapRow
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.theme import Theme
from app.ui.session.event_log import EventLog
from app.ui.session.gap_list import GapLine, gap_columns, gap_lines
from app.ui.session.record import Record


class SessionHappenings(QSplitter):
    """Events above, gaps below; read off the GUI thread.

    Attributes:
        log: The events.
        gaps: The gaps.
    """

    def __init__(self, theme: Theme, icons: Icons, background: Background) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._background = background
        self._record: Record | None = None
        self.log = EventLog(theme, icons, wrapped=True)
        self.gaps = RowsModel[GapLine](gap_columns(), theme, icons, self)
        heading = QLabel("Gaps")
        heading.setObjectName("heading")
        heading.setContentsMargins(10, 7, 10, 5)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(heading)
        column.addWidget(Table(self.gaps, "Gaps", stretch=4), 1)
        self.addWidget(self.log)
        self.addWidget(below)
        self.setHandleWidth(1)

    def forget(self) -> None:
        """List nothing; an answer about the session that was shown is not wanted."""
        if self._record is not None:
            self.log.set_events([], self._record.wall_time)
        self.gaps.set_records([])
        self._record = None

    def set_record(self, record: Record) -> None:
        """List what happened in another session."""
        self.forget()
        self._record = record
        self._background.run(
            lambda: (
                record,
                record.log(record.session.events()),
                record.session.gaps(),
            ),
            self._take,
            partial(self._give_up, record),
        )

    @Slot(object)
    def _take(self, answer: tuple[Record, list[EventRow], list[GapRow]]) -> None:
        record, events, gaps = answer
        if record is self._record:
            self.log.set_events(events, record.wall_time)
            self.gaps.set_records(gap_lines(gaps, record.wall_time))

    def _give_up(self, record: Record, error: Exception) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        if record is self._record:
            self._background.failed.emit(error)
