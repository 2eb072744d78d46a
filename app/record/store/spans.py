"""Spans of time that grow while they last: gaps and alarms, one row each."""

from dataclasses import dataclass

from app.record.store.ledger import Ledger


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
            self.close(channel_id, min(start, span.end + reach))
        cursor = self._ledger.execute(
            self._insert, (channel_id, start, end, reason, detail)
        )
        row_id = int(cursor.lastrowid or 0)
        self._open[channel_id] = _Span(row_id, start, end, reason, end)

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
        rows = []
        for channel_id in self._changed:
            span = self._open[channel_id]
            span.stored_end = span.end
            rows.append((span.end, span.row_id))
        self._changed.clear()
        self._ledger.executemany(self._update, rows)
