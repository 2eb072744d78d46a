"""Which values of an HMC8015 are none: clipped, repeated, frozen, no longer summed."""

import math

from instruments.power.hmc8015.config import REFRESH_S, Ranges
from instruments.power.hmc8015.instrument import Parsed
from instruments.power.unchanged import Same
from instruments.reading import SECOND, Status

FROZEN_S = 3.0
"""Values that stay the same to the last digit for so long are not measured."""

_FROZEN_READINGS = 5
_REPEAT_S = 0.9 * REFRESH_S
"""Sooner than this, the same values are the same measurement."""

_OVERSAMPLED_S = 1.9 * REFRESH_S
"""Likewise where it is asked faster than it refreshes: a refresh may be late, and that
all functions have the same digits twice is rarer than that."""

_STOPPED_S = 2.0
_CLIPPED = 0.999
_PEAKS = (("UPP", "UMP"), ("IPP", "IMP"))
_RMS = (("URMS", "UAVG"), ("IRMS", "IAVG"))
_FULL = 1.05
"""Share of a range up to which an RMS value is within it; that the meter goes a little
beyond 100 % is assumed."""

COUNTERS = ("TIME", "WH", "WHP", "WHM", "AH", "AHP", "AHM")
"""Functions of the integrator."""

_SETTINGS = ("URAN", "IRAN")
_OF_VOLTAGE = ("URMS", "UAVG", "UTHD", "UPP", "UMP")
_OF_CURRENT = ("IRMS", "IAVG", "ITHD", "IPP", "IMP")
_OF_BOTH = ("P", "S", "Q", "LAMB", "PHI", "PPP", "PMP")


class Watch:
    """Looks at each set of values in turn.

    Args:
        ranges: The fixed ranges in V and A; None while they are automatic.
        crest_factor: The meter's setting.
        oversampled: Whether it is asked faster than it refreshes.
    """

    def __init__(
        self, ranges: Ranges | None, crest_factor: float, *, oversampled: bool = False
    ) -> None:
        repeat_s = _OVERSAMPLED_S if oversampled else _REPEAT_S
        self._repeat_ns = round(repeat_s * SECOND)
        self._most = tuple(each * crest_factor for each in ranges) if ranges else None
        self._fullest = tuple(each * _FULL for each in ranges or ())
        self._answers = Same()
        self._values = Same()
        self._time = Same()
        self._overflowed = False

    def integrator_started(self, now_ns: int) -> None:
        """Take note that energy is summed from now on."""
        self._time = Same(None, now_ns)
        self._overflowed = False

    def judge(self, answer: str, parsed: Parsed, now_ns: int) -> Parsed:
        """Mark what is no value.

        Args:
            answer: The answer as it came.
            parsed: Its values.
            now_ns: When it came.
        """
        found = dict(parsed)
        self._mark_clipped(found)
        repeated = self._answers.note(answer, now_ns)
        if not repeated or now_ns - self._answers.since_ns >= self._repeat_ns:
            # A new refresh, even where all its digits are those of the last.
            self._answers.since_ns = now_ns
            repeated = False
        if self._is_frozen(parsed, now_ns) or repeated:
            for name, (_, status) in found.items():
                if status.is_value and name not in _SETTINGS:
                    found[name] = (math.nan, Status.STALE)
        if self._integrator_stopped(parsed, now_ns):
            for name in COUNTERS:
                if name in found:
                    found[name] = (math.nan, Status.STALE)
        return found

    def _mark_clipped(self, found: dict[str, tuple[float, Status]]) -> None:
        voltage, current = (self._clips(found, index) for index in (0, 1))
        names = (
            *(_OF_VOLTAGE if voltage else ()),
            *(_OF_CURRENT if current else ()),
            *(_OF_BOTH if voltage or current else ()),
        )
        for name in names:
            if name in found:
                found[name] = (math.nan, Status.OVERRANGE)
        if any(status is Status.OVERRANGE for _, status in found.values()):
            self._overflowed = True
        if self._overflowed:  # what was cut off is missing in the sum for good
            for name in COUNTERS[1:]:
                if name in found and found[name][1] is Status.OK:
                    found[name] = (found[name][0], Status.WARN)

    def _clips(self, found: Parsed, index: int) -> bool:
        if self._most is None:
            return False
        seen = [found[name][0] for name in _RMS[index] if name in found]
        if any(abs(each) > self._fullest[index] for each in seen):  # NaN is not
            return True
        peaks = (found[name][0] for name in _PEAKS[index] if name in found)
        return any(abs(peak) >= _CLIPPED * self._most[index] for peak in peaks)

    def _is_frozen(self, parsed: Parsed, now_ns: int) -> bool:
        values = tuple(
            value
            for name, (value, status) in parsed.items()
            if name not in (*COUNTERS, *_SETTINGS) and status.is_value
        )
        same = self._values.note(values, now_ns) and any(values)
        long = now_ns - self._values.since_ns > FROZEN_S * SECOND
        return same and long and self._values.readings >= _FROZEN_READINGS

    def _integrator_stopped(self, parsed: Parsed, now_ns: int) -> bool:
        """Whether its time has stood still, so that Wh is no longer measured."""
        if "TIME" not in parsed:
            return False
        seconds, status = parsed["TIME"]
        if status.is_value:
            self._time.note(seconds, now_ns)
        return now_ns - self._time.since_ns > _STOPPED_S * SECOND
