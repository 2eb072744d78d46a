"""The beat of a source: when it is read next, and whether it can keep that."""

from instruments.reading import SECOND

SLOW_SHARE = 0.1
"""A source that misses more than this share of its beats is told of; judged."""

SLOW = "slower than its period"
"""Why beats were missed, where the reads themselves took longer than the period."""

_BEATS = 10
_WINDOW_S = 2.0


class Beat:
    """Absolute deadlines, so that nothing drifts; beats that are over are left out.

    Attributes:
        due_ns: The next beat in monotonic ns.
    """

    def __init__(self) -> None:
        self.due_ns = 0
        self._beats = self._missed = 0
        self._longest_ns = 0
        self._is_slow = False

    def begin(self, now_ns: int) -> None:
        """Begin anew, with the first beat now."""
        self.due_ns = now_ns
        self._beats = self._missed = self._longest_ns = 0

    def advance(self, now_ns: int, period_s: float) -> int:
        """Go on to the next beat that is not over; return how many were missed."""
        period = max(1, round(period_s * SECOND))
        self.due_ns += period
        missed = max(0, now_ns - self.due_ns) // period
        self.due_ns += missed * period
        return missed

    def judge(self, missed: int, took_ns: int, period_s: float) -> str:
        """Look at one read; say what is new: it is too slow, or keeps up again.

        Args:
            missed: Beats that were missed by it.
            took_ns: How long it took.
            period_s: The period in seconds.

        Returns:
            The sentence for it, "" where all is as before.
        """
        self._beats += 1 + missed
        self._missed += missed
        self._longest_ns = max(self._longest_ns, took_ns)
        if self._beats < max(_BEATS, _WINDOW_S / period_s):
            return ""
        beats, lost, longest = self._beats, self._missed, self._longest_ns / SECOND
        self._beats = self._missed = self._longest_ns = 0
        if self._is_slow and not lost:
            self._is_slow = False
            return "keeps its beat again"
        if self._is_slow or lost <= SLOW_SHARE * beats:
            return ""
        self._is_slow = True
        if longest > period_s:
            why = f"the instrument is {SLOW} (reads take up to {longest:.2g} s, "
        else:
            why = f"this machine was late (reads take {longest:.2g} s, "
        return f"{lost} of {beats} beats missed, {why}the period is {period_s:g} s)"
