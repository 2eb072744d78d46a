"""Values that stay the same: one refresh read twice, or a display that is stuck."""

from dataclasses import dataclass

from instruments.reading import SECOND

STALE_AFTER_S = 10.0
"""Values that stay the same to the last digit for so long are not measured; judged:
mains voltage and current vary in the last of four digits all the time."""

REPEAT_SHARE = 1.9
"""Of a refresh, where a meter is asked faster than it refreshes: sooner than this, the
same values are one measurement. A refresh may be late, and the same digits twice are
rarer than that."""

# A display is stuck only after as many: a slow beat alone is not one.
_READINGS = 5


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
    """Tells which sets of values are not measured again.

    Args:
        repeat_s: Sooner than this, the same answer is the same measurement.
        stale_after_s: After this, the same values are a stuck display; 0 for never.

    Attributes:
        is_stuck: Whether the last set was one of a stuck display.
    """

    def __init__(self, repeat_s: float, stale_after_s: float) -> None:
        self._repeat_ns = round(repeat_s * SECOND)
        self._stale_ns = round(stale_after_s * SECOND)
        self._answers = Same()
        self._values = Same()
        self._refreshed_ns = 0
        self.is_stuck = False

    def is_stale(self, answer: object, shown: tuple[float, ...], now_ns: int) -> bool:
        """Tell whether a set of values is not a new measurement.

        Args:
            answer: All that came, which tells one refresh from the next.
            shown: The values that vary while something is measured: not energy, which
                may stand still for long where little is drawn.
            now_ns: The end of the read.
        """
        same = self._answers.note(answer, now_ns)
        repeated = same and now_ns - self._refreshed_ns < self._repeat_ns
        # The same answer after a whole refresh is another measurement with that value.
        if not repeated:
            self._refreshed_ns = now_ns
        self._values.note(shown, now_ns)
        long = now_ns - self._values.since_ns > self._stale_ns > 0
        # A device that is switched off rightly shows zeros all the time.
        self.is_stuck = long and self._values.readings >= _READINGS and any(shown)
        return repeated or self.is_stuck
