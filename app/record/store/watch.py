"""What the writer notices while it stores readings: invalid values, missed beats."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.record.store.ledger import Ledger
from app.record.store.registry import Group
from instruments.reading import MISSED_PERIODS, ONCE_NS, SECOND, Reading, Status


@dataclass(slots=True)
class _Span:
    """A span that may still grow."""

    row_id: int
    start: int
    end: int
    reason: str
    stored_end: int


class SpanBook:
    """The open spans of one table, extended in place and never multiplied.

    A channel has at most one open span. A new piece with the same reason that begins
    within `reach` of its end extends it; another reason closes it.
    """

    def __init__(self, ledger: Ledger, table: str) -> None:
        self._ledger = ledger
        self._insert = (
            f"INSERT INTO {table} (channel_id, start_ns, end_ns, reason, detail) "
            "VALUES (?, ?, ?, ?, ?)"
        )
        self._update = f"UPDATE {table} SET end_ns = ? WHERE id = ?"
        self._open: dict[int, _Span] = {}
        self._changed: set[int] = set()

    def add(
        self,
        channel_id: int,
        start: int,
        end: int,
        reason: str,
        *,
        detail: str = "",
        reach: int = 0,
    ) -> None:
        """Add a piece; times in ns."""
        span = self._open.get(channel_id)
        if span is not None and span.reason == reason and start <= span.end + reach:
            span.end = max(span.end, end)
            self._changed.add(channel_id)
            return
        if span is not None:
            # What lies farther apart has readings between, or a pause of its own.
            self.close(channel_id, start if start <= span.end + reach else span.end)
        row_id = self.insert(channel_id, start, end, reason, detail)
        self._open[channel_id] = _Span(row_id, start, end, reason, end)

    def insert(
        self, channel_id: int, start: int, end: int, reason: str, detail: str
    ) -> int:
        """Add a span that does not grow; one that is open goes on."""
        cursor = self._ledger.execute(
            self._insert, (channel_id, start, end, reason, detail)
        )
        return int(cursor.lastrowid or 0)

    def close(self, channel_id: int, end: int) -> None:
        """End the open span of a channel, at the earliest where it already ends."""
        span = self._open.pop(channel_id, None)
        if span is None:
            return
        self._changed.discard(channel_id)
        if max(span.end, end) != span.stored_end:
            self._ledger.execute(self._update, (max(span.end, end), span.row_id))

    def has(self, channel_id: int) -> bool:
        """Tell whether a channel has an open span."""
        return channel_id in self._open

    @property
    def is_empty(self) -> bool:
        """Whether no span is open."""
        return not self._open

    def end_of(self, channel_id: int) -> int | None:
        """Get where the open span of a channel ends by now, None where it has none."""
        span = self._open.get(channel_id)
        return span.end if span else None

    def flush(self) -> None:
        """Write how far the open spans have grown."""
        for channel_id in self._changed:
            span = self._open[channel_id]
            span.stored_end = span.end
            self._ledger.execute(self._update, (span.end, span.row_id))
        self._changed.clear()


NO_IO = "no I/O completed"
"""Why a load has no latency for a while."""

_OK = Status.OK


class Watch:
    """Keeps the gaps and alarms of every channel up to date.

    A gap begins with the first reading that has no value and ends with the next one
    that has; so does a pause of missed beats. Pieces with one reason are one row.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._gaps = SpanBook(ledger, "gap")
        self._alarms = SpanBook(ledger, "alarm")
        self._covered: dict[int, int] = {}
        self._idle: dict[int, int] = {}

    def check(self, group: Group, reading: Reading) -> tuple[float, ...]:
        """Look at one reading; return its values with NaN for what is none."""
        start, end = reading.start_ns, reading.end_ns
        covered = self._covered.get(group.id, start)
        if start - covered > MISSED_PERIODS * group.channels[0].period_ns:
            for channel_id in group.channel_ids:
                self._pause(group, channel_id, covered, start)
        self._covered[group.id] = end if end > covered else covered
        values = reading.values
        if reading.statuses.count(_OK) == len(values):
            total = sum(values)
            if total - total == 0:
                if not (self._gaps.is_empty and self._alarms.is_empty):
                    self._close(group.channel_ids, start)
                return values
        return self._check_each(group, reading)

    def check_trace(
        self,
        group: Group,
        starts: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int64],
        values: npt.NDArray[np.float64],
    ) -> None:
        """Look at many readings at once; NaN is a gap."""
        period = group.channels[0].period_ns
        covered = self._covered.get(group.id)
        before = np.concatenate(([covered or starts[0]], ends[:-1]))
        paused = starts - before > MISSED_PERIODS * period
        self._covered[group.id] = max(int(ends[-1]), covered or 0)
        missing = ~np.isfinite(values)
        reach = round(MISSED_PERIODS * period)
        for column, channel_id in enumerate(group.channel_ids):
            self._alarms.close(channel_id, int(starts[0]))
            turns = np.diff(missing[:, column], prepend=not missing[0, column])
            firsts = np.flatnonzero(turns | paused)
            for first, after in zip(firsts, [*firsts[1:], len(starts)], strict=True):
                start, end = int(starts[first]), int(ends[after - 1])
                if paused[first]:
                    self._pause(group, channel_id, int(before[first]), start)
                if missing[first, column]:
                    self._gaps.add(channel_id, start, end, Status.NAN, reach=reach)
                else:
                    self._gaps.close(channel_id, start)

    def gap(self, group: Group, start: int, end: int, reason: str, detail: str) -> None:
        """Note a time without readings of all channels of a group."""
        reach = round(MISSED_PERIODS * max(group.channels[0].period_ns, SECOND))
        is_late = end < self._covered.get(group.id, end)
        for channel_id in group.channel_ids:
            if is_late:  # There are readings after it: it does not grow.
                self._gaps.insert(channel_id, start, end, reason, detail)
                continue
            self._gaps.add(channel_id, start, end, reason, detail=detail, reach=reach)
            if reason in (Status.STANDBY, Status.NOT_RECORDED):
                self._idle[channel_id] = end
        self._covered[group.id] = max(end, self._covered.get(group.id, end))

    def flush(self) -> None:
        """Write how far open gaps and alarms have grown."""
        self._gaps.flush()
        self._alarms.flush()

    def _pause(self, group: Group, channel_id: int, start: int, end: int) -> None:
        reason, detail = Status.MISSED, ""
        # In a load that stalls, nobody knows; between two, none ran.
        if group.is_load and self._idle.get(channel_id, start - 1) >= start:
            reason, detail = Status.STANDBY, "no load ran"
        begin = max(start, self._gaps.end_of(channel_id) or start)
        self._gaps.add(channel_id, begin, end, reason, detail=detail)

    def _close(self, channel_ids: Iterable[int], at: int) -> None:
        for channel_id in channel_ids:
            self._gaps.close(channel_id, at)
            self._alarms.close(channel_id, at)

    def _check_each(self, group: Group, reading: Reading) -> tuple[float, ...]:
        start, end = reading.start_ns, reading.end_ns
        checked: list[float] = []
        for channel_id, channel, value, status in zip(
            group.channel_ids,
            group.channels,
            reading.values,
            reading.statuses,
            strict=True,
        ):
            reach = round(MISSED_PERIODS * channel.period_ns)
            given = value if status.is_value else float("nan")
            if status.is_value and given - given != 0:
                status = Status.NAN  # noqa: PLW2901  (a value that is not a number)
                given = float("nan")
            if not status.is_value:
                idle = group.is_load and status is Status.ABSENT
                detail = NO_IO if idle else reading.trouble
                self._gaps.add(
                    channel_id, start, end, status, detail=detail, reach=reach
                )
                self._alarms.close(channel_id, start)
                if channel.period_ns == ONCE_NS:  # The next step is another matter.
                    self._gaps.close(channel_id, end)
            else:
                self._gaps.close(channel_id, start)
                if status is _OK:
                    self._alarms.close(channel_id, start)
                else:
                    self._alarms.add(channel_id, start, end, status, reach=reach)
            checked.append(given)
        return tuple(checked)
