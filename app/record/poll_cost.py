"""The length of a source's polls, as a channel of its own where polling may disturb."""

from instruments.base import Source
from instruments.reading import SECOND, Channel, Reading, Status

POLL_PERIOD_S = 0.5
"""A source read no faster than this has its poll's length recorded as a channel."""

_LISTENING = ("noise",)
"""Sections whose reads last as long as what they listen to, and disturb nothing."""


class PollCost:
    """What polling a source costs.

    Args:
        source: The source, as it is before it is opened.
    """

    def __init__(self, source: Source) -> None:
        self._channels: tuple[Channel, ...] = ()
        if source.section not in _LISTENING and source.period_s >= POLL_PERIOD_S:
            period = round(source.period_s * SECOND)
            self._channels = (Channel(source.name, "poll", "s", period_ns=period),)

    def of(self, reading: Reading) -> Reading | None:
        """Get the length of a read in seconds, None where it is not recorded."""
        if not self._channels:
            return None
        start, end = reading.start_ns, reading.end_ns
        took = (end - start) / SECOND
        return Reading(self._channels, start, end, (took,), (Status.OK,))
