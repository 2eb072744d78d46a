"""Values that stay the same: one refresh read twice, or a display that is frozen."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from instruments.power.points import ENERGY, Point, Value
from instruments.reading import SECOND, Status

STALE_AFTER_S = 10.0
"""Values that stay the same to the last digit for so long are not measured; judged:
mains voltage and current vary in the last of four digits all the time."""

_READINGS = 5
_REPEAT_SHARE = 1.9
"""Of a window: a refresh may be late, and the same digits twice are rarer than that."""


@dataclass
class Same:
    """What has been the same since when, and for how many readings."""

    what: object = None
    since_ns: int = 0
    readings: int = 0

    def note(self, what: object, now_ns: int) -> bool:
        """Take the next; return whether it is the same again."""
        if what == self.what:
            self.readings += 1
            return True
        self.what, self.since_ns, self.readings = what, now_ns, 1
        return False


class Unchanged:
    """Marks sets of values that are not measured anew.

    Args:
        points: What the values are.
        window_s: Time from one refresh of the meter to the next.
        stale_after_s: After so long of the same values they are frozen; 0 for never.
        oversampled: Whether the meter is asked faster than it refreshes, so that the
            same values soon after each other are one measurement read twice.

    Attributes:
        frozen: Whether the last set was one of a frozen display.
    """

    def __init__(
        self,
        points: Sequence[Point],
        window_s: float,
        stale_after_s: float,
        *,
        oversampled: bool,
    ) -> None:
        # Energy may stand still for long where little is drawn.
        varying = (point.quantity != ENERGY for point in points)
        self._varying = [place for place, varies in enumerate(varying) if varies]
        self._repeat_ns = round(_REPEAT_SHARE * window_s * SECOND) if oversampled else 0
        self._stale_ns = round(stale_after_s * SECOND)
        self.frozen = False
        self._values = Same()
        self._refreshed_ns = 0

    def judge(self, values: Sequence[Value], now_ns: int) -> list[Value]:
        """Mark what is no new value; `now_ns` is the end of the read."""
        varying = [values[index] for index in self._varying]
        shown = tuple(value for value, status in varying if status.is_value)
        same = self._values.note(shown, now_ns)
        self.frozen = self._is_frozen(shown, now_ns)
        repeated = same and now_ns - self._refreshed_ns < self._repeat_ns
        if not repeated:
            self._refreshed_ns = now_ns
        if not (repeated or self.frozen):
            return list(values)
        return [
            (math.nan, Status.STALE) if status.is_value else (value, status)
            for value, status in values
        ]

    def _is_frozen(self, shown: tuple[float, ...], now_ns: int) -> bool:
        # What is switched off shows zeros for ever, and rightly.
        if not self._stale_ns or not any(shown):
            return False
        long = now_ns - self._values.since_ns > self._stale_ns
        return long and self._values.readings >= _READINGS
