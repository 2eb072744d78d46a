"""The R&S HMC8015 power analyser: ten sets of values a second over SCPI.

No HMC8015 was at hand: what rests on inference is said where it is used.
"""

import math
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from instruments.driver import Driver
from instruments.errors import SourceError
from instruments.power.hmc8015_config import (
    CURRENT_RANGES,
    OPTIONS,
    REFRESH_S,
    VOLTAGE_RANGES,
    Config,
    Ranges,
    config_from,
)
from instruments.power.hmc8015_discover import discover
from instruments.power.hmc8015_instrument import Instrument, Parsed
from instruments.power.hmc8015_tasks import Seen, Task, Tasks
from instruments.power.hmc8015_watch import Watch
from instruments.power.ranging import RangePlan, plan_ranges
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.scpi import Scpi
from instruments.settings import Settings
from instruments.transport import TIMEOUT_S, TransportFactory, VisaTransport

_PROTECTION_S = 60.0
_RANGES_S = 1.0
_AGAIN_S = 0.02
_AGAIN = 3
_AGAIN_IN_CAPTURE = 8
"""How often it is asked again where the answer is still that of the last reading."""


class HMC8015:
    """One analyser as a source of section "power"; `Stepped`, `Ranging`, `Capturing`.

    Args:
        name: Name of the source.
        resource: VISA resource string.
        config: Ranges, functions, beat; all by default.
        transport: Opens the resource.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.
    """

    section = "power"
    driver = "hmc8015"
    models: ClassVar[tuple[str, ...]] = ("HMC8015",)

    def __init__(
        self,
        name: str,
        resource: str,
        config: Config | None = None,
        *,
        transport: TransportFactory = VisaTransport,
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self._resource = resource
        self._config = config or Config()
        self.period_s = self._config.period_s
        self._factory = transport
        self._clock = clock
        self._sleep = sleep
        self._instrument: Instrument | None = None
        self._tasks = Tasks(name, self._config)
        self._task = self._tasks.measure
        self._ranges = self._config.ranges
        self._step_ranges: dict[str, Ranges] = dict(self._config.step_ranges)
        self._seen = Seen()
        self._watch = Watch(self._ranges, self._config.crest_factor)
        self._energy_is_of_step = False
        self._last_answer = ""
        self._protection_checked = 0
        self._ranges_checked = 0

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels: what is measured, and the two ranges."""
        return self._tasks.measure.channels

    def open(self) -> Identity:
        """Connect, identify, fix ranges, choose functions, start the integrator.

        Raises:
            SourceError: Not reached, another instrument, or a setting not taken.
        """
        self.close()
        where = f"{self.name} ({self._resource})"
        try:
            link = self._factory(self._resource, TIMEOUT_S)
        except SourceError as error:
            error.where = where
            raise
        instrument = Instrument(Scpi(link, where), self._sleep)
        try:
            identity = instrument.identify(self._resource, self.models)
        except BaseException:
            instrument.drop()  # no command of ours to an instrument that is another
            raise
        self._instrument = instrument
        try:
            instrument.prepare(self._config)
            self._apply_ranges(instrument)
            instrument.check_protection()
            self._protection_checked = self._clock()
            instrument.use(self._task.tokens)
            instrument.start_integrator()
            instrument.settle()
        except BaseException:
            self.close()
            raise
        self._begin_watch()
        self._energy_is_of_step = False
        return identity

    def read(self) -> Reading:
        """Take one set of values; see `Source.read`."""
        instrument = self._opened()
        if self._clock() - self._protection_checked > _PROTECTION_S * SECOND:
            instrument.check_protection()
            self._protection_checked = self._clock()
        start, answer, parsed, end = self._ask(instrument)
        left = self._times_to_ask_again()
        while answer == self._last_answer and left:
            left -= 1
            self._sleep(_AGAIN_S)
            start, answer, parsed, end = self._ask(instrument)
        self._last_answer = answer
        self._check_settings(instrument, end)
        judged = self._watch.judge(answer, parsed, end)
        if self._task is self._tasks.ranging:
            self._seen.add(judged, self._config.crest_factor)
        return self._reading(self._task, judged, start, end, answer)

    def begin_step(self, label: str, *, under_load: bool) -> None:  # noqa: ARG002
        """Take the step's ranges and integrate from zero; see `Stepped`."""
        instrument = self._opened()
        wanted = self._step_ranges.get(label, self._config.ranges)
        if wanted != self._ranges:
            self._ranges = wanted
            instrument.fix_ranges(wanted)
            instrument.settle()
        instrument.start_integrator()
        self._sleep(2 * REFRESH_S)  # until then, the energy before is shown
        self._begin_watch()
        self._energy_is_of_step = True

    def end_step(self) -> Sequence[Reading]:
        """Read the step's energy, and the functions that are read once a step.

        The energy is that of the integrator at its stop, as `Wh_step`, with the time
        it ran as `integration_time`; both have no value where the link was lost
        meanwhile.
        """
        instrument = self._opened()
        instrument.stop_integrator()
        readings = [self._step_energy(instrument)] if self._task.integrates else []
        instrument.start_integrator()
        if self._tasks.extra:
            if any(task.has_harmonics for task in self._tasks.extra):
                instrument.show_amounts_of_harmonics()
            readings.extend(self._read_once(instrument, t) for t in self._tasks.extra)
            instrument.use(self._task.tokens)
            instrument.settle()
        else:
            self._sleep(2 * REFRESH_S)  # until then, the energy before is shown
        self._begin_watch()
        self._energy_is_of_step = False
        return readings

    def begin_ranging(self) -> None:
        """Let the meter choose its ranges and watch peaks; see `Ranging`."""
        self._seen = Seen()
        self._change(self._tasks.ranging)

    def end_ranging(self, label: str) -> RangePlan:
        """Fix the ranges again and keep the plan for a step's label; see `Ranging`."""
        self._change(self._tasks.measure)
        seen = self._seen
        if not (seen.voltage.samples and seen.current.samples):
            raise SourceError(
                "it had no value for voltage or current during the ranging pass",
                where=self.name,
                way_out="Let the pass last longer, or give the ranges by hand.",
                status=Status.NAN,
            )
        plan = plan_ranges(
            seen.voltage,
            seen.current,
            voltage_ranges=VOLTAGE_RANGES,
            current_ranges=CURRENT_RANGES,
            crest_factor=self._config.crest_factor,
        )
        self._step_ranges[label] = (plan.voltage.range, plan.current.range)
        return plan

    def begin_capture(self) -> None:
        """Measure P, U and I only, once each refresh; see `Capturing`."""
        self._change(self._tasks.capture)
        self.period_s = REFRESH_S

    def end_capture(self) -> None:
        """Measure all functions again; see `Capturing`."""
        self._change(self._tasks.measure)
        self.period_s = self._config.period_s

    def close(self) -> None:
        """Stop the integrator, give the front panel back, let go; may be repeated."""
        instrument, self._instrument = self._instrument, None
        if instrument is not None:
            instrument.release()

    def _opened(self) -> Instrument:
        if self._instrument is None:
            raise SourceError("the source is not open", where=self.name)
        return self._instrument

    def _check_settings(self, instrument: Instrument, now: int) -> None:
        """Notice a meter that was reset, or that somebody else has set up."""
        instrument.check_functions()
        if self._task is self._tasks.ranging:
            return
        if now - self._ranges_checked > _RANGES_S * SECOND:
            instrument.check_ranges(self._ranges)
            self._ranges_checked = now

    def _times_to_ask_again(self) -> int:
        """Wait for a refresh that is due, unless it is polled faster than it comes."""
        if self._task is self._tasks.capture:
            return _AGAIN_IN_CAPTURE
        return _AGAIN if self.period_s >= REFRESH_S else 0

    def _change(self, task: Task) -> None:
        """Do something else from now on; the integrator goes on unless ranges move."""
        instrument = self._opened()
        before, self._task = self._task, task
        if self._tasks.ranging in (before, task):
            self._apply_ranges(instrument)
        instrument.use(task.tokens)
        instrument.settle()
        self._last_answer = ""
        if self._tasks.ranging in (before, task):
            instrument.start_integrator()
            self._energy_is_of_step = False
        self._begin_watch()

    def _apply_ranges(self, instrument: Instrument) -> None:
        if self._task is self._tasks.ranging:
            instrument.free_ranges()
        else:
            instrument.fix_ranges(self._ranges)

    def _begin_watch(self) -> None:
        self._ranges_checked = self._clock()
        fixed = None if self._task is self._tasks.ranging else self._ranges
        self._watch = Watch(fixed, self._config.crest_factor)
        self._watch.integrator_started(self._clock())

    def _ask(self, instrument: Instrument) -> tuple[int, str, Parsed, int]:
        start = self._clock()
        answer, parsed = instrument.values()
        return start, answer, parsed, self._clock()

    def _step_energy(self, instrument: Instrument) -> Reading:
        start, answer, parsed, end = self._ask(instrument)
        instrument.check_functions()
        if not self._energy_is_of_step:
            parsed = dict.fromkeys(parsed, (math.nan, Status.ERROR))
        else:
            parsed = self._watch.judge(answer, parsed, end)
        return self._reading(self._tasks.energy, parsed, start, end, answer)

    def _read_once(self, instrument: Instrument, task: Task) -> Reading:
        instrument.use(task.tokens)
        instrument.settle()
        start, answer, parsed, end = self._ask(instrument)
        instrument.check_functions()
        watch = Watch(self._ranges, self._config.crest_factor)
        watch.integrator_started(end)
        return self._reading(task, watch.judge(answer, parsed, end), start, end, answer)

    def _reading(
        self, task: Task, parsed: Parsed, start: int, end: int, answer: str
    ) -> Reading:
        volts, amperes = self._ranges
        known = {"URAN": (volts, Status.OK), "IRAN": (amperes, Status.OK)}
        found = [(known | dict(parsed))[token] for token in task.shown]
        return Reading(
            task.channels,
            start,
            end,
            tuple(value for value, _ in found),
            tuple(status for _, status in found),
            answer.encode(),
        )


def _build(settings: Settings) -> HMC8015:
    return HMC8015(settings.name, settings.text("resource"), config_from(settings))


DRIVER = Driver(
    "power", "hmc8015", "Rohde & Schwarz HMC8015", OPTIONS, _build, discover
)
