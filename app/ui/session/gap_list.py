"""The gaps of a session as lines: equal ones of one source stand together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.plan.durations import length_text
from app.record.store import GapRow
from app.ui.kit.rows_model import Column
from app.ui.kit.units import seconds_between
from instruments.reading import Status


@dataclass(frozen=True, slots=True)
class GapLine:
    """Gaps of one source with the same span and reason.

    Attributes:
        at: Wall-clock time of the start.
        seconds: Length in seconds.
        channels: Names of the channels without values.
        reason: Why, in a word.
        detail: Why, in more words.
    """

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
        key = (source, gap.start_ns, gap.end_ns, gap.reason, gap.detail)
        merged.setdefault(key, []).append(gap.channel_name)
    return [
        GapLine(wall_time(start), seconds_between(start, end), tuple(names), why, more)
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
