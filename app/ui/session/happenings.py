"""What happened in a session, and what is missing in it: two lists."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QSplitter

from app.record.store import EventRow, GapRow
from app.report.chart.gaps import shown_gaps
from app.ui.kit.clock import seconds_between
from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.widgets import make_heading, panel
from app.ui.session.event_log import EventLog
from app.ui.session.record import Record
from instruments.durations import length_text
from instruments.reading import Status


@dataclass(frozen=True, slots=True)
class GapLine:
    """Gaps of one source with the same span and reason.

    Attributes:
        start_ns: The start, in nanoseconds of the session's clock.
        at: Wall-clock time of it.
        seconds: Length in seconds.
        channels: Names of the channels without values.
        reason: Why, in a word.
        detail: Why, in more words.
    """

    start_ns: int
    at: datetime
    seconds: float
    channels: tuple[str, ...]
    reason: str
    detail: str

    @property
    def who(self) -> str:
        """The channels in short."""
        more = len(self.channels) - 1
        return self.channels[0] + (f" and {more} more" if more else "")


def gap_lines(
    gaps: Sequence[GapRow], wall_time: Callable[[int], datetime]
) -> list[GapLine]:
    """Put gaps together that differ in nothing but the channel.

    Args:
        gaps: As stored.
        wall_time: Turns monotonic nanoseconds into the time of day.
    """
    merged: dict[tuple[str, int, int, str, str], list[str]] = {}
    for gap in gaps:
        source = gap.channel_name.split(".", 1)[0]
        key = (source, gap.start_ns, gap.end_ns, gap.shown_reason, gap.detail)
        merged.setdefault(key, []).append(gap.channel_name)
    return [
        GapLine(
            start,
            wall_time(start),
            seconds_between(start, end),
            tuple(names),
            why,
            more,
        )
        for (_, start, end, why, more), names in sorted(
            merged.items(), key=lambda item: item[0][1]
        )
    ]


def _reason(line: GapLine) -> str:
    of_load = line.channels[0].split(".", 1)[-1].startswith(("read_", "write_"))
    return "no such load" if of_load and line.reason == Status.STANDBY else line.reason


def gap_columns() -> list[Column[GapLine]]:
    """Make the columns of the list."""
    return [
        Column("Time", lambda line: f"{line.at:%H:%M:%S}"),
        Column(
            "Channels", lambda line: line.who, tip=lambda line: "\n".join(line.channels)
        ),
        Column("Length", lambda line: length_text(line.seconds), right=True),
        Column("Reason", _reason),
        Column("Detail", lambda line: line.detail),
    ]


class SessionHappenings(QSplitter):
    """Events above, gaps below; read off the GUI thread.

    Attributes:
        log: The events.
        gaps: The gaps.

    Signals:
        moment_chosen: The user wants to see when this was (int nanoseconds).
    """

    moment_chosen = Signal(object)

    def __init__(self, context: Context) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._background = context.background
        self._record: Record | None = None
        self.log = EventLog(context, wrapped=True)
        self.gaps = RowsModel[GapLine](gap_columns(), context, self)
        heading = make_heading("Gaps")
        heading.setContentsMargins(10, 7, 10, 5)
        table = Table(self.gaps, "Gaps", stretch=4)
        table.setToolTip("Enter or a double click goes to its start")
        table.activated.connect(self._choose_gap)
        self.log.moment_chosen.connect(self.moment_chosen)
        self.addWidget(self.log)
        self.addWidget(panel(heading, table, grows=table, spacing=0))
        self.setHandleWidth(1)

    @Slot(QModelIndex)
    def _choose_gap(self, index: QModelIndex) -> None:
        self.moment_chosen.emit(self.gaps.records[index.row()].start_ns)

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
                shown_gaps(record.session),
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
