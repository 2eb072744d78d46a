"""An HMC8015 while it is open: what it measures now, and the checks beside it."""

import math
from collections.abc import Callable

from instruments.power.hmc8015.config import REFRESH_S, Config, Ranges
from instruments.power.hmc8015.instrument import Instrument, Parsed
from instruments.power.hmc8015.tasks import Task
from instruments.power.hmc8015.watch import COUNTERS, Watch
from instruments.reading import SECOND, Reading, Status

_PROTECTION_S = 60.0
_SETTINGS_S = 1.0
_AGAIN_S = 0.02


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
        """Do something else; where ranges move, energy begins anew."""
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

    def release(self) -> None:
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
        volts, amperes = self._ranges or (math.nan, math.nan)
        known = {"URAN": (volts, Status.OK), "IRAN": (amperes, Status.OK)}
        known |= parsed
        if not self._instrument.has_integrator:
            known |= dict.fromkeys(COUNTERS, (math.nan, Status.UNSUPPORTED))
        found = [known[token] for token in task.shown]
        return Reading(
            task.channels,
            start,
            end,
            tuple(value for value, _ in found),
            tuple(status for _, status in found),
            answer.encode(),
            self._instrument.remarks,
        )
