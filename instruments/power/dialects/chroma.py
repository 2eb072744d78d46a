"""Chroma 66202, 66203 and 66204: one quantity a question, and energy in J or Wh.

No meter was at hand. From Chroma's manual and public drivers: the questions, channels
1 to 4 as a parameter, -1 and -3 in place of values, "CHAN:ID?" style identities
("Chroma ATE,66204,66204M000066,1.00"), TRIGger and TRIGger:MODE for energy, and
"ENER:MODE JOULE". Assumed: that any other mode is one of watt hours, that switching the
trigger on begins energy at zero, that a meter with one channel takes no channel, and
the words for ranges ("V300", "A20", read back as they were set).
"""

import math

from instruments.driver import Driver
from instruments.link.scpi import Scpi
from instruments.power.discovery import CHROMA_ID, finder
from instruments.power.identity import Family, identify
from instruments.power.options import (
    RESOURCE,
    STALE_AFTER,
    current_range,
    elements,
    take_elements,
    voltage_range,
)
from instruments.power.points import Sample, Timing
from instruments.power.polled import PolledMeter
from instruments.power.ranged import Ranged
from instruments.power.scpi_values import parse_value
from instruments.power.step_ranges import STEP_RANGES, take_ranges
from instruments.reading import Identity, Judged, Status
from instruments.settings import Settings

VOLTAGE_RANGES = (150.0, 300.0, 600.0)
CURRENT_RANGES = (0.01, 0.1, 0.2, 0.4, 2.0, 8.0, 20.0)
CHANNELS = ("1", "2", "3", "4")
FAMILY = Family(r"CHROMA( ATE)?( INC\.?)?", r"6620[1-5]", "Chroma 66200 meter")
TIMING = Timing(0.5, 0.25, 0.25)
"""Eight questions a round; window and refresh are assumed."""

QUESTIONS = {
    "P": "FETC:POW:REAL?",
    "S": "FETC:POW:APP?",
    "Q": "FETC:POW:REAC?",
    "lambda": "FETC:POW:PFAC?",
    "U": "FETC:VOLT:RMS?",
    "I": "FETC:CURR:RMS?",
    "f": "FETC:FREQ?",
    "Wh": "FETC:POW:ENER?",
}
JOULES_A_WH = 3600.0
_SINGLE = ("66201", "66202")
# Of these, a number below zero can only be one of the codes, or damaged.
_NEVER_NEGATIVE = ("S", "U", "I", "f")
_REASONS = {-1.0: Status.NAN, -2.0: Status.ERROR, -3.0: Status.OVERRANGE}
"""Not integrated yet, range changed while integrating, over range or protection."""


class Chroma(Ranged):
    """The dialect; channels are of `CHANNELS`, ranges of those above."""

    quantities = tuple(QUESTIONS)
    _channels: tuple[str, ...] = ("",)
    _per_wh = 1.0

    def identify(self, scpi: Scpi, address: str) -> Identity:
        """Identify the meter; see `Dialect`."""
        identity = identify(scpi, address, FAMILY)
        if identity.model in _SINGLE:
            if self._elements != ("1",):
                raise scpi.refuse(f"the {identity.model} has one channel only")
            self._channels = ("",)
        else:
            self._channels = tuple(f" {element}" for element in self._elements)
        return identity

    def integrates(self, scpi: Scpi) -> bool:
        """Tell whether energy is integrated; see `Dialect`."""
        return any(self._integrates(scpi, channel) for channel in self._channels)

    def set_up(self, scpi: Scpi) -> None:
        """Fix ranges, learn the unit of energy, start it; see `Dialect`."""
        scpi.write("SYST:HEAD OFF")
        self._fix_ranges(scpi)
        mode = scpi.ask("ENER:MODE?").strip().upper()
        if not mode.startswith(("J", "W")):
            raise scpi.refuse(f'"{mode[:40]}" is not a unit of energy')
        self._per_wh = JOULES_A_WH if mode.startswith("J") else 1.0
        scpi.write("TRIG OFF")
        scpi.write("TRIG:MODE ENERGY")
        self._start(scpi)

    def _fix_ranges(self, scpi: Scpi) -> None:
        volts, amperes = self._ranges.now
        for channel in self._channels:
            if channel:
                scpi.write(f"CHAN{channel}")  # ranges are those of one channel
            _fix(scpi, "VOLT:RANG", f"V{volts:g}")
            _fix(scpi, "CURR:RANG", f"A{amperes:g}")

    def _start(self, scpi: Scpi) -> None:
        for channel in self._channels:
            # Off first: on again is what begins energy at zero.
            self._trigger(scpi, channel, "OFF")
            scpi.write("TRIG ON")
            if not self._integrates(scpi, channel):
                raise scpi.refuse("the integration of energy does not start")

    def sample(self, scpi: Scpi) -> Sample:
        """Ask question after question; see `Dialect`."""
        values: list[Judged] = []
        answers: list[str] = []
        for channel in self._channels:
            # Before the value: one that was stopped shows the energy until then.
            running = self._integrates(scpi, channel)
            for quantity, question in QUESTIONS.items():
                answer = scpi.ask(f"{question}{channel}")
                answers.append(answer)
                value = _parse(quantity, answer, scpi.where)
                if quantity == "Wh":
                    value = self._energy(value, running)
                values.append(value)
        return Sample(values, ";".join(answers))

    def release(self, scpi: Scpi) -> None:
        """Stop counting energy; see `Dialect`."""
        for channel in self._channels:
            self._trigger(scpi, channel, "OFF")
        scpi.write("SYST:LOC")

    def _trigger(self, scpi: Scpi, channel: str, wanted: str) -> None:
        if channel:
            scpi.write(f"CHAN{channel}")
        scpi.write(f"TRIG {wanted}")

    def _integrates(self, scpi: Scpi, channel: str) -> bool:
        return scpi.ask(f"TRIG?{channel}").strip().upper() == "RUNNING"

    def _energy(self, value: Judged, running: bool) -> Judged:
        if not running:
            return math.nan, Status.STALE
        return value[0] / self._per_wh, value[1]


def _fix(scpi: Scpi, node: str, wanted: str) -> None:
    """Set a range and read it back."""
    scpi.write(f"{node} {wanted}")
    taken = scpi.ask(f"{node}?")
    if taken.strip().upper() != wanted:
        raise scpi.refuse(f"{node} is {taken} after it was set to {wanted}")


def _parse(quantity: str, answer: str, where: str) -> Judged:
    """Read a value; some negative numbers are codes for a missing one.

    A power or power factor of exactly -1, -2 or -3 is taken for such a number, which a
    device under test that draws power does not have.
    """
    value, status = parse_value(answer, where)
    if value in _REASONS:
        return math.nan, _REASONS[value]
    if value < 0.0 and quantity in _NEVER_NEGATIVE:
        return math.nan, Status.ERROR
    return value, status


def _build(settings: Settings) -> PolledMeter:
    dialect = Chroma(
        take_ranges(settings, VOLTAGE_RANGES, CURRENT_RANGES), take_elements(settings)
    )
    return PolledMeter(settings, "chroma", dialect, TIMING)


DRIVER = Driver(
    "power",
    "chroma",
    "Chroma 66201 to 66205",
    (
        RESOURCE,
        voltage_range(300.0, VOLTAGE_RANGES),
        current_range(20.0, CURRENT_RANGES),
        STEP_RANGES,
        elements(CHANNELS),
        STALE_AFTER,
    ),
    _build,
    finder((CHROMA_ID,), (FAMILY,)),
)
