"""Watching one channel of a session for an interlock: tripped, clear, or neither."""

import numpy as np

from app.plan.interlocks import Interlock
from app.record.store import Session
from instruments.reading import SECOND, Channel

BACK_S = 600.0
"""So far back the first look goes: slow sources have a reading there."""


class ChannelWatch:
    """Follows a channel from sample to sample.

    Attributes:
        value: The newest value; NaN before the first.
        tripped: Whether it has been beyond the threshold for long enough.
        clear: Whether it has been good again for long enough.
    """

    def __init__(self, channel: Channel, interlock: Interlock, now_ns: int) -> None:
        self.channel = channel
        self.value = float("nan")
        self.tripped = False
        self.clear = False
        self._interlock = interlock
        self._seen_ns = now_ns - round(BACK_S * SECOND)
        self._bad_since: int | None = None
        self._good_since: int | None = None

    def look(self, session: Session, now_ns: int) -> None:
        """Take the samples since the last look; gaps among them say nothing."""
        trace = session.trace(self.channel, (self._seen_ns, now_ns))
        known = np.isfinite(trace.mean) & (trace.times > self._seen_ns)
        for time, value in zip(trace.times[known], trace.mean[known], strict=True):
            self._take(int(time), float(value))

    def _take(self, time_ns: int, value: float) -> None:
        self._seen_ns, self.value = time_ns, value
        lasting = round(self._interlock.for_s * SECOND)
        if not self._interlock.trips_at(value):
            self._bad_since = None
        elif self._bad_since is None:
            self._bad_since = time_ns
        if not self._interlock.clears_at(value):
            self._good_since = None
        elif self._good_since is None:
            self._good_since = time_ns
        bad, good = self._bad_since, self._good_since
        self.tripped = bad is not None and time_ns - bad >= lasting
        self.clear = good is not None and time_ns - good >= lasting
