"""An HMC8015 while it is open: what it measures now, and the checks beside it."""

import math
from collections.abc import Callable, Iterable

from instruments.power.hmc8015.config import REFRESH_S, Config
from instruments.power.hmc8015.instrument import Instrument, Parsed
from instruments.power.hmc8015.tasks import Task
from instruments.power.step_ranges import Ranges
from instruments.power.unchanged import REPEAT_SHARE, Same, Unchanged
from instruments.reading import SECOND, Judged, Reading, Status

STUCK_S = 3.0
"""Values that stay the same to the last digit for so long are not measured."""

_REPEAT_SHARE = 0.9
"""Of a refresh, where the meter is not asked faster: the same values sooner than this
are the same measurement."""

_STOPPED_S = 2.0  # its time is in whole seconds, and shown at the next refresh
_CLIPPED = 0.999  # of the greatest peak: the digits shown may round a clipped one down
_PEAKS = (("UPP", "UMP"), ("IPP", "IMP"))
_RMS = (("URMS", "UAVG"), ("IRMS", "IAVG"))
_FULL = 1.05
"""Share of a range up to which an RMS value is within it; that the meter goes a little
beyond 100 % is assumed."""

COUNTERS = ("TIME", "WH", "WHP", "WHM", "AH", "AHP", "AHM")
"""Functions of the integrator."""

_SETTINGS = ("URAN", "IRAN")
# What a clipped input spoils. Frequencies are not among them: zero crossings stay.
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
        share = REPEAT_SHARE if oversampled else _REPEAT_SHARE
        self._unchanged = Unchanged(share * REFRESH_S, STUCK_S)
        self._most = tuple(each * crest_factor for each in ranges) if ranges else None
        self._fullest = tuple(each * _FULL for each in ranges or ())
        self._time = Same()
        self._overflowed = False

    def integrator_started(self, now_ns: int) -> None:
        """Take note that energy is summed from now on."""
        self._time = Same(None, now_ns)
        self._overflowed = False

    def judge(self, answer: str, parsed: Parsed, now_ns: int) -> Parsed:
        """Mark what is not a value.

        Args:
            answer: The answer as it came.
            parsed: Its values.
            now_ns: When it came.
        """
        judged = dict(parsed)
        self._mark_clipped(judged)
        # Counters stand still where little is drawn, and settings always do.
        shown = tuple(
            value
            for name, (value, status) in parsed.items()
            if name not in (*COUNTERS, *_SETTINGS) and status.is_value
        )
        if self._unchanged.is_stale(answer, shown, now_ns):
            valued = [name for name, (_, status) in judged.items() if status.is_value]
            _spoil(judged, set(valued) - set(_SETTINGS), Status.STALE)
        if self._integrator_stopped(parsed, now_ns):
            _spoil(judged, COUNTERS, Status.STALE)
        return judged

    def _mark_clipped(self, judged: dict[str, Judged]) -> None:
        for index, names in enumerate((_OF_VOLTAGE, _OF_CURRENT)):
            if self._clips(judged, index):
                _spoil(judged, (*names, *_OF_BOTH), Status.OVERRANGE)
        if any(status is Status.OVERRANGE for _, status in judged.values()):
            self._overflowed = True
        if self._overflowed:  # what was cut off is missing in the sum for good
            for name in COUNTERS[1:]:
                if name in judged and judged[name][1] is Status.OK:
                    judged[name] = (judged[name][0], Status.WARN)

    def _clips(self, parsed: Parsed, index: int) -> bool:
        if self._most is None:  # with automatic ranges, that of now is not known
            return False
        rms = [parsed[name][0] for name in _RMS[index] if name in parsed]
        if any(abs(each) > self._fullest[index] for each in rms):  # NaN is not
            return True
        peaks = (parsed[name][0] for name in _PEAKS[index] if name in parsed)
        return any(abs(peak) >= _CLIPPED * self._most[index] for peak in peaks)

    def _integrator_stopped(self, parsed: Parsed, now_ns: int) -> bool:
        """Whether its time has stood still, so that Wh is no longer measured."""
        if "TIME" not in parsed:
            return False
        seconds, status = parsed["TIME"]
        if status.is_value:
            self._time.note(seconds, now_ns)
        return now_ns - self._time.since_ns > _STOPPED_S * SECOND


def _spoil(judged: dict[str, Judged], names: Iterable[str], status: Status) -> None:
    """Make gaps of values, where they are there."""
    for name in names:
        if name in judged:
            judged[name] = (math.nan, status)


# The protection stays tripped until it is reset, so that a look a minute misses none.
_PROTECTION_S = 60.0
_SETTINGS_S = 1.0
_AGAIN_S = 0.02  # a fifth of a refresh


class Session:
    """One meter from its opening to its end or its loss.

    Args:
        instrument: The identified meter; the session owns it.
        config: What the bench says.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.

    Attributes:
        seen: What the last reading was made of, by token.
    """

    def __init__(
        self,
        instrument: Instrument,
        config: Config,
        clock: Callable[[], int],
        sleep: Callable[[float], None],
    ) -> None:
        self._instrument = instrument
        self._config = config
        self._clock = clock
        self._sleep = sleep
        self._ranges: Ranges | None = config.ranges
        self._last_answer = ""
        self._protection_checked = 0
        self._settings_checked = 0
        self._watch = self._new_watch()
        self.seen: Parsed = {}

    def begin(self, task: Task, ranges: Ranges | None) -> None:
        """Set everything up; no ranges are automatic ones. Raises SourceError."""
        self._instrument.prepare(self._config)
        self._take_ranges(ranges)
        self._instrument.check_protection()
        self._protection_checked = self._clock()
        self._instrument.use(task.tokens)
        self._instrument.start_integrator()
        self._instrument.settle()
        self._watch_anew()

    def change(self, task: Task, ranges: Ranges | None) -> None:
        """Do something else; where ranges move, energy begins again."""
        moved = ranges != self._ranges
        if moved:
            self._take_ranges(ranges)
        self._instrument.use(task.tokens)
        self._instrument.settle()
        if moved:
            self._instrument.start_integrator()
        self._last_answer = ""
        self._watch_anew()

    def begin_integral(self, ranges: Ranges) -> None:
        """Take fixed ranges, and integrate energy from zero."""
        if ranges != self._ranges:
            self._take_ranges(ranges)
            self._instrument.settle()
        self._instrument.start_integrator()
        self._sleep(2 * REFRESH_S)  # until then, the energy before is shown
        self._watch_anew()

    def end_integral(self, task: Task, *, whole: bool) -> Reading:
        """Stop integrating and read the energy; a part is not the step's energy."""
        self._instrument.stop_integrator()
        start, answer, parsed, end = self._ask()
        self._instrument.check_functions()
        judged = self._watch.judge(answer, parsed, end)
        if not whole:
            judged = dict.fromkeys(parsed, (math.nan, Status.ERROR))
        return self._reading(task, judged, start, end, answer)

    def read(self, task: Task, again: int) -> Reading:
        """Take one reading of what is measured.

        Args:
            task: What was begun or changed to.
            again: How often it is asked again where the answer is still the last one.
        """
        if self._clock() - self._protection_checked > _PROTECTION_S * SECOND:
            self._instrument.check_protection()
            self._protection_checked = self._clock()
        start, answer, parsed, end = self._ask()
        while answer == self._last_answer and again:
            again -= 1
            self._sleep(_AGAIN_S)
            start, answer, parsed, end = self._ask()
        self._last_answer = answer
        self._check_settings(end, end - start)
        self.seen = self._watch.judge(answer, parsed, end)
        return self._reading(task, self.seen, start, end, answer)

    def read_once(self, task: Task) -> Reading:
        """Choose other functions and read them; another `change` brings back those."""
        if task.has_harmonics:
            self._instrument.show_amounts_of_harmonics()
        self._instrument.use(task.tokens)
        self._instrument.settle()
        start, answer, parsed, end = self._ask()
        self._instrument.check_functions()
        watch = self._new_watch()
        watch.integrator_started(end)
        return self._reading(task, watch.judge(answer, parsed, end), start, end, answer)

    def close(self) -> None:
        """Leave the meter safe, with its front panel free, and let go."""
        self._instrument.release()

    def _take_ranges(self, ranges: Ranges | None) -> None:
        self._ranges = ranges
        if ranges is None:
            self._instrument.free_ranges()
        else:
            self._instrument.fix_ranges(ranges)

    def _check_settings(self, now: int, took: int) -> None:
        """Notice a meter that was reset, or that somebody else has set up.

        Its functions are looked at with every reading; where one question takes a
        third of the beat, once a second, as the ranges are.
        """
        due = now - self._settings_checked > _SETTINGS_S * SECOND
        slow = 3.0 * took > self._config.period_s * SECOND
        if due or not slow:
            self._instrument.check_functions()
        if due:
            if self._ranges:
                self._instrument.check_ranges(self._ranges)
            self._settings_checked = now

    def _watch_anew(self) -> None:
        self._settings_checked = self._clock()
        self._watch = self._new_watch()
        self._watch.integrator_started(self._clock())

    def _new_watch(self) -> Watch:
        return Watch(
            self._ranges,
            self._config.crest_factor,
            oversampled=self._config.period_s < REFRESH_S,
        )

    def _ask(self) -> tuple[int, str, Parsed, int]:
        start = self._clock()
        answer, parsed = self._instrument.values()
        return start, answer, parsed, self._clock()

    def _reading(
        self, task: Task, parsed: Parsed, start: int, end: int, answer: str
    ) -> Reading:
        # Fixed ranges are known, so that they take up none of the ten functions; where
        # the meter is asked for its ranges, as in the ranging pass, its answer wins.
        volts, amperes = self._ranges or (math.nan, math.nan)
        by_token = {"URAN": (volts, Status.OK), "IRAN": (amperes, Status.OK)}
        by_token |= parsed
        if not self._instrument.has_integrator:
            by_token |= dict.fromkeys(COUNTERS, (math.nan, Status.UNSUPPORTED))
        values = (by_token[token] for token in task.shown)
        remarks = self._instrument.remarks
        span = start, end
        return Reading.of(task.channels, span, values, answer.encode(), trouble=remarks)
