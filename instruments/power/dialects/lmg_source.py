"""A ZES LMG as a source: the meter sends a row at the end of each cycle."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress

from instruments.bounds import within_bounds
from instruments.errors import SourceError
from instruments.power.dialects.lmg_dialect import ANSWER_S, LMG95, LmgDialect
from instruments.power.points import Point, Timing, Value, channels, points
from instruments.power.rows import Rows
from instruments.power.scpi_values import parse_value
from instruments.power.stream import Stream
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.timebase import monotonic_ns

STALL_CYCLES = 3.0
"""Cycles without a row after which the stream has stalled."""


class Lmg:
    """One meter as a source of section "power".

    Args:
        name: Name of the source.
        address: How it is reached, for messages and the identity.
        connect: Opens the stream; is told what to call it in messages.
        voltage_range: Greatest voltage in V, RMS.
        current_range: Greatest current in A, RMS.
        elements: Channels that are read, "1" to "7".
        cycle_s: Seconds of a cycle, over which values are averaged.
        clock: Gives monotonic nanoseconds.
    """

    section = "power"
    driver = "lmg"

    def __init__(
        self,
        name: str,
        address: str,
        connect: Callable[[str], Stream],
        *,
        voltage_range: float,
        current_range: float,
        elements: Sequence[str] = ("1",),
        cycle_s: float = 0.5,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.name = name
        self.period_s = cycle_s
        self._address = address
        self._where = f"{name} ({address})"
        self._connect = connect
        self._ranges = {"u": voltage_range, "i": current_range}
        self._elements = tuple(elements)
        self._clock = clock
        self._open: tuple[Stream, Rows, LmgDialect] | None = None
        self._mark = ""
        self._read_ns = 0
        self._points: Sequence[Point] = points(tuple(LMG95.values()), elements)
        # A row is about the cycle that has just ended.
        timing = Timing(cycle_s, cycle_s, cycle_s / 2.0)
        self._channels = channels(name, self._points, timing)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels; the same tuple each time."""
        return self._channels

    def open(self) -> Identity:
        """Connect, identify, fix ranges, and let rows come.

        Raises:
            SourceError: Not reached, another instrument, or a setting not taken.
        """
        self.close()
        stream = self._connect(self._where)
        rows = Rows(stream, self._where, self._clock)
        dialect = LmgDialect(stream, rows, self._where)
        try:
            identity = dialect.identify(self._address)
        except BaseException:
            stream.close()  # no command of ours to an instrument that is another
            raise
        self._open = stream, rows, dialect
        self._mark = ""
        try:
            dialect.set_up(identity, self._ranges, self._elements, self.period_s)
            self._values(dialect, self._newest(rows))
        except BaseException:
            self.close()
            raise
        self._read_ns = self._clock()
        return identity

    def read(self) -> Reading:
        """Take the newest row, or wait for the next one; see `Source.read`."""
        if self._open is None:
            raise SourceError("the source is not open", where=self._where)
        _, rows, dialect = self._open
        row = self._newest(rows)
        end = self._clock()
        # It has come since the last read, and no longer ago than a cycle.
        start = max(self._read_ns, end - round(self.period_s * SECOND))
        self._read_ns = end
        values = self._values(dialect, row)
        reading = Reading(
            self._channels,
            start,
            end,
            tuple(value for value, _ in values),
            tuple(status for _, status in values),
            row.encode(),
        )
        return within_bounds(reading)

    def close(self) -> None:
        """End the stream, give the front panel back, let go; may be repeated."""
        opened, self._open = self._open, None
        if opened is None:
            return
        stream, _, dialect = opened
        # Where the link is what failed, there is nothing left to be made safe.
        with suppress(SourceError):
            dialect.release()
        stream.close()

    def _newest(self, rows: Rows) -> str:
        return rows.newest(max(ANSWER_S, STALL_CYCLES * self.period_s))

    def _values(self, dialect: LmgDialect, row: str) -> list[Value]:
        mark, *tokens = row.split(";")
        if len(tokens) != len(self._points):
            raise dialect.refuse(
                f"{len(tokens)} values came where {len(self._points)} were asked for "
                f'("{row[:60]}")'
            )
        values = [parse_value(token, self._where) for token in tokens]
        if mark == self._mark:
            values = [(math.nan, Status.STALE)] * len(values)
        self._mark = mark
        return values
