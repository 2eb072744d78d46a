"""VDBench while it runs: its interval lines as readings, its window on our clock."""

import math
from collections.abc import Callable

from instruments.reading import SECOND, Channel, Reading, Status
from workloads.tool_ended import Line
from workloads.vdbench.job import RD
from workloads.vdbench.output import MIB, Report, Row


class Live:
    """Makes readings of interval lines, and remembers when each was read.

    Attributes:
        report: All lines so far.
        written: Bytes that they say were written, its own preparations included.
    """

    def __init__(
        self,
        channels: tuple[Channel, ...],
        interval_s: int,
        emit: Callable[[Reading], None],
    ) -> None:
        self.report = Report()
        self._channels = channels
        self._interval_ns = interval_s * SECOND
        self._emit = emit
        self._ends: dict[int, int] = {}
        self.written = 0

    def take(self, line: Line) -> None:
        """Take a line of standard output."""
        row = self.report.feed(line.text)
        if row is None or row.is_average:
            return
        self.written += round(_written(row) * self._interval_ns / SECOND)
        if self.report.rd != RD:
            return
        self._ends[row.first] = line.at_ns
        found = live_values(row)
        values = tuple(found.get(c.quantity, math.nan) for c in self._channels)
        statuses = tuple(
            Status.ABSENT if math.isnan(value) else Status.OK for value in values
        )
        start = line.at_ns - self._interval_ns
        # A line that was late must not begin before the one ahead of it ended.
        start = max(start, self._ends.get(row.first - 1, start))
        self._emit(
            Reading(
                self._channels, start, line.at_ns, values, statuses, line.text.encode()
            )
        )

    def window(self, average: Row | None) -> tuple[int, int] | None:
        """Place the intervals of an average on the monotonic clock."""
        if average is None or average.last not in self._ends:
            return None
        end = self._ends[average.last]
        count = average.last - average.first + 1
        begin = self._ends.get(average.first - 1, end - count * self._interval_ns)
        return (begin, end) if begin < end else None


def _written(row: Row) -> float:
    """Get the bytes that an interval wrote a second, 0 where it does not say."""
    own = row.get("mb") * (1 - row.get("read_pct") / 100)
    found = row.get("mb_write") if "mb_write" in row.values else own
    return 0.0 if math.isnan(found) else found * MIB


def live_values(row: Row) -> dict[str, float]:
    """Get the readings of a line: rates in 1/s and B/s, times in seconds."""
    share = row.get("read_pct") / 100
    rate = row.get("rate")
    found = {
        "iops": rate,
        "bw": row.get("mb") * MIB,
        "lat": row.get("resp") / 1000 if rate else math.nan,
        "read_iops": row.values.get("read_rate", rate * share),
        "write_iops": row.values.get("write_rate", rate * (1 - share)),
    }
    for direction in ("read", "write"):
        has = found[f"{direction}_iops"] > 0
        time_ms = row.get(f"{direction}_resp") if has else math.nan
        found[f"{direction}_lat"] = time_ms / 1000
    return found
