"""The R&S HMC8015 power analyser: ten sets of values a second over SCPI.

No HMC8015 was at hand: what rests on inference is said where it is used.
"""

import time
from collections.abc import Callable, Sequence

from instruments.driver import Driver, period
from instruments.errors import SourceError
from instruments.link.scpi import Scpi
from instruments.link.transport import TransportFactory, VisaTransport
from instruments.power.connect import ScpiMeter, in_use
from instruments.power.discovery import ROHDE_SCHWARZ_ID, finder
from instruments.power.hmc8015.config import (
    CURRENT_RANGES,
    FASTEST_S,
    REFRESH_S,
    VOLTAGE_RANGES,
    Config,
    Mode,
    usual,
)
from instruments.power.hmc8015.functions import find_functions
from instruments.power.hmc8015.instrument import Instrument
from instruments.power.hmc8015.session import Session
from instruments.power.hmc8015.tasks import Seen, Task, Tasks
from instruments.power.identity import Family, identify
from instruments.power.options import (
    RESOURCE,
    USUAL_PERCENT,
    USUAL_SOURCE,
    current_range,
    voltage_range,
)
from instruments.power.ranging import RangePlan, plan_ranges
from instruments.power.step_ranges import STEP_RANGES, Ranges, parse_steps
from instruments.reading import Identity, Reading, Status
from instruments.settings import Kind, Option, Settings
from instruments.timebase import monotonic_ns


def config_from(settings: Settings) -> Config:
    """Read what a bench says; raises BadInput, whose `where` is the key."""
    mode = Mode(settings.text("mode"))
    functions = usual(mode)
    if "functions" in settings.values:
        functions = find_functions(settings.texts("functions"), "functions")
    return Config(
        settings.number("voltage_range"),
        settings.number("current_range"),
        parse_steps(settings, VOLTAGE_RANGES, CURRENT_RANGES),
        settings.integer("crest_factor"),
        mode,
        functions,
        find_functions(settings.texts("extra"), "extra"),
        settings.number("period"),
    )


def _accuracy(of: str, default: float) -> Option:
    text = f"Limit of error as a share of the {of}; the default is unverified."
    return Option(
        f"accuracy_{of}", text, Kind.NUMBER, default, low=0.0, high=10.0, unit="%"
    )


OPTIONS = (
    RESOURCE,
    voltage_range(300.0, VOLTAGE_RANGES),
    current_range(10.0, CURRENT_RANGES),
    STEP_RANGES,
    Option(
        "crest_factor",
        "The greatest peak that is not clipped, as a multiple of the range.",
        Kind.INTEGER,
        3,
        choices=(3, 6),
    ),
    Option(
        "mode",
        "Alternating current, or direct current such as a drive's rail.",
        Kind.CHOICE,
        "ac",
        choices=("ac", "dc"),
    ),
    Option(
        "functions",
        "Measured in every reading besides P, S, lambda, U, I and Wh; room for three.",
        Kind.TEXTS,
        example="U_peak_max",
    ),
    Option(
        "extra",
        "Measured once after each step, harmonics too: values stay away meanwhile.",
        Kind.TEXTS,
        example="U_thd",
    ),
    period(REFRESH_S, FASTEST_S),
    _accuracy("reading", USUAL_PERCENT),
    _accuracy("range", USUAL_PERCENT),
    Option(
        "accuracy_source",
        "Where the two come from, such as the number of a calibration certificate.",
        default=USUAL_SOURCE,
    ),
)
"""Every key of an HMC8015 in bench.toml."""


FAMILY = Family(
    r"HAMEG|Rohde\s?&\s?Schwarz", "HMC8015", "R&S HMC8015", hardware_first=True
)
"""Its USB device shares its number with related models: *IDN? decides."""

NPA_FAMILY = Family(
    r"Rohde\s?&\s?Schwarz", r"NPA[157]01", "R&S NPA", hardware_first=True
)
"""An HMC8015 by another name.

No meter was at hand. A public driver of the NPA101 shows the same functions, cells,
ranges and answers as the HMC8015's; that the integrator and the other models follow,
too, is assumed. It is known to be used through its USB serial port.
"""


# How often it is asked again, 20 ms apart, where the answer is still that of the last
# reading: a refresh that is a little late, or in a capture each one of every 100 ms.
_AGAIN = 3
_AGAIN_IN_CAPTURE = 8


class HMC8015(ScpiMeter[Session]):
    """One analyser as a source of section "power"; `Stepped`, `Ranging` and more.

    It is `Capturing` and `Shared`, too.

    Args:
        name: Name of the source.
        resource: VISA resource string.
        config: Ranges, functions, beat; all by default.
        transport: Opens the resource.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.
    """

    driver = "hmc8015"
    family = FAMILY

    def __init__(
        self,
        name: str,
        resource: str,
        config: Config | None = None,
        *,
        transport: TransportFactory = VisaTransport,
        clock: Callable[[], int] = monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(name, resource, transport=transport, clock=clock, sleep=sleep)
        self._config = config or Config()
        self.period_s = self._config.period_s
        self._tasks = Tasks(name, self._config)
        self.channels = self._tasks.measure.channels
        self._task = self._tasks.measure
        self._ranges = self._config.ranges
        self._step_ranges: dict[str, Ranges] = dict(self._config.step_ranges)
        self._seen = Seen()
        self._energy_is_of_step = False

    def open(self) -> Identity:
        """Connect, identify, fix ranges, choose functions, start the integrator.

        Raises:
            SourceError: Not reached, another instrument, or a setting not taken.
        """
        self.close()
        scpi, identity = self._connect()
        instrument = Instrument(scpi, self._sleep)
        if self.yields and instrument.integrates():
            scpi.close()
            raise in_use(self._where)
        session = Session(instrument, self._config, self._clock, self._sleep)
        with self._opening(session):
            session.begin(self._task, self._wanted_ranges())
        # A link that was lost within a step began to integrate again just now.
        self._energy_is_of_step = False
        return identity

    def free(self) -> Identity:
        """End what runs on it and give its front panel back; see `Shared`."""
        self.close()
        scpi, identity = self._connect()
        Instrument(scpi, self._sleep).release()
        return identity

    def read(self) -> Reading:
        """Take one set of values; see `Source.read`."""
        session = self._opened()
        reading = session.read(self._task, self._times_to_ask_again())
        if self._task is self._tasks.ranging:
            self._seen.add(session.seen, self._config.crest_factor)
        return reading

    def begin_step(self, label: str, *, under_load: bool) -> None:  # noqa: ARG002
        """Take the step's ranges and integrate from zero; see `Stepped`."""
        # Where the link is lost, it is opened with these.
        self._ranges = self._step_ranges.get(label, self._config.ranges)
        self._opened().begin_integral(self._ranges)
        self._energy_is_of_step = True

    def end_step(self) -> Sequence[Reading]:
        """Read the step's energy, and the functions that are read once a step.

        The energy is that of the integrator at its stop, as `Wh_step`, with the time
        it ran as `integration_time`; both have no value where the link was lost
        meanwhile.
        """
        session = self._opened()
        readings = []
        if self._task.integrates:
            whole = self._energy_is_of_step
            readings.append(session.end_integral(self._tasks.energy, whole=whole))
        readings.extend(session.read_once(task) for task in self._tasks.extra)
        if self._tasks.extra:  # the functions of every reading again
            session.change(self._task, self._ranges)
        session.begin_integral(self._ranges)
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
        self.period_s = REFRESH_S
        self._change(self._tasks.capture)

    def end_capture(self) -> None:
        """Measure all functions again; see `Capturing`."""
        self.period_s = self._config.period_s
        self._change(self._tasks.measure)

    def identify(self, scpi: Scpi) -> Identity:
        """Identify the meter; see `ScpiMeter`."""
        return identify(scpi, self._resource, self.family)

    def _change(self, task: Task) -> None:
        """Do something else from now on."""
        if self._tasks.ranging in (self._task, task):
            self._energy_is_of_step = False  # ranges move
        self._task = task  # where the link is lost, it is opened for this
        self._opened().change(task, self._wanted_ranges())

    def _wanted_ranges(self) -> Ranges | None:
        return None if self._task is self._tasks.ranging else self._ranges

    def _times_to_ask_again(self) -> int:
        """Wait for a refresh that is due, unless it is polled faster than it comes."""
        if self._task is self._tasks.capture:
            return _AGAIN_IN_CAPTURE
        return _AGAIN if self.period_s >= REFRESH_S else 0


class NPA(HMC8015):
    """One analyser of the NPA family; everything else is the HMC8015's."""

    driver = "npa"
    family = NPA_FAMILY


def _driver(kind: type[HMC8015], title: str, options: Sequence[Option]) -> Driver:
    def build(settings: Settings) -> HMC8015:
        return kind(settings.name, settings.text("resource"), config_from(settings))

    discover = finder((ROHDE_SCHWARZ_ID,), (kind.family,))
    return Driver("power", kind.driver, title, tuple(options), build, discover)


DRIVER = _driver(HMC8015, "Rohde & Schwarz HMC8015", OPTIONS)
NPA_DRIVER = _driver(
    NPA,
    "Rohde & Schwarz NPA101, NPA501, NPA701",
    # What is known of accuracy is the HMC8015's.
    [option for option in OPTIONS if not option.key.startswith("accuracy")],
)
