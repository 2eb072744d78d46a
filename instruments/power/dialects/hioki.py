"""Hioki PW3335, PW3336 and PW3337: lists of values with names, parted by ";".

No meter was at hand. From Hioki's command manuals: TCP port 3300, HEADER, the items,
the formats of values and what stands for "over range" or "no data", the integrator's
states and what is an error in them. A real PW3335 answers ":MEAS? U,I,P,WH" with
"U +110.14E+0;I +0.0000E+0;P +000.00E+0;WP +00.0000E+0". Assumed: that WP is in Wh,
and that the meters with several channels number ranges as Hioki's greater ones do
(":VOLTAGE1:RANGE 300"), as they number their items ("U1"), but not TIME.

The meter has no command that gives the front panel back; its SHIFT key does.
"""

import math

from instruments.driver import Driver
from instruments.link.scpi import Scpi
from instruments.power.discovery import HIOKI_ID, finder
from instruments.power.identity import Family, identify
from instruments.power.options import (
    STALE_AFTER,
    current_range,
    elements,
    resource,
    take_elements,
    voltage_range,
)
from instruments.power.points import Sample, Timing
from instruments.power.polled import PolledMeter
from instruments.power.ranged import Integrating
from instruments.power.scpi_values import parse_value
from instruments.power.step_ranges import STEP_RANGES, take_ranges
from instruments.reading import Identity, Judged, Status
from instruments.settings import Settings

VOLTAGE_RANGES = (6.0, 15.0, 30.0, 60.0, 150.0, 300.0, 600.0, 1000.0)
CURRENT_RANGES = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
    *(1.0, 2.0, 5.0, 10.0, 20.0, 50.0),
)
"""Of all models together, from memory; what a model does not take, it does not."""

CHANNELS = ("1", "2", "3")
FAMILY = Family("HIOKI", r"PW333[567](-\d+)?", "Hioki PW3335, PW3336 or PW3337")
TIMING = Timing(0.2, 0.2, 0.2)
"""It measures every 200 ms."""

ITEMS = {
    "P": "P",
    "S": "S",
    "Q": "Q",
    "PF": "lambda",
    "U": "U",
    "I": "I",
    "FREQU": "f",
    "WP": "Wh",
}
"""Bayscope's quantity by the meter's item."""

_TIME = "TIME"
_KINDS = ("VOLTAGE", "CURRENT")
# What its manuals have for over range, for an error and for "no data".
_ERRORS = {"999.99": Status.OVERRANGE, "888.88": Status.ERROR, "777.77": Status.NAN}
# From here on a number is one of the codes: no meter measures gigawatts.
_LEAST_ERROR = 777.77e9


class Hioki(Integrating):
    """The dialect; channels are of `CHANNELS`, ranges of those above."""

    quantities = tuple(ITEMS.values())
    state, start = ":INTEGRATE:STATE?", ":INTEGRATE:STATE START"
    stop, reset = ":INTEGRATE:STATE STOP", ":INTEGRATE:STATE RESET"
    _suffixes: tuple[str, ...] = ("",)

    def identify(self, scpi: Scpi, address: str) -> Identity:
        """Identify the meter; see `Dialect`."""
        identity = identify(scpi, address, FAMILY)
        channel_count = {"5": 1, "6": 2, "7": 3}[identity.model[5]]
        if any(int(element) > channel_count for element in self._elements):
            raise scpi.refuse(
                f"the {identity.model} has {channel_count} channel(s) only"
            )
        # The meter with one channel does not number it.
        self._suffixes = ("",) if channel_count == 1 else self._elements
        return identity

    def set_up(self, scpi: Scpi) -> None:
        """Fix ranges, start the integrator; see `Dialect`."""
        scpi.write(":HEADER ON")  # names before the values, which are checked then
        self._halt(scpi)
        self._fix_ranges(scpi)
        self._start(scpi)

    def sample(self, scpi: Scpi) -> Sample:
        """Ask for all items; see `Dialect`."""
        names = [f"{item}{suffix}" for suffix in self._suffixes for item in ITEMS]
        names.append(_TIME)
        answer = scpi.ask(f":MEAS? {','.join(names)}")
        parts = [part.strip().partition(" ") for part in answer.split(";")]
        if [name for name, _, _ in parts] != names:
            raise scpi.refuse(f'"{answer[:60]}" came where {",".join(names)} was asked')
        values = [_parse(text, scpi.where) for _, _, text in parts[:-1]]
        return Sample(values, answer, _seconds(parts[-1][2]))

    def release(self, scpi: Scpi) -> None:
        """Stop the integrator; see `Dialect`."""
        scpi.write(self.stop)

    def _fix_ranges(self, scpi: Scpi) -> None:
        for suffix in self._suffixes:
            for kind, wanted in zip(_KINDS, self._ranges.now, strict=True):
                node = f":{kind}{suffix}"
                scpi.write(f"{node}:AUTO OFF")
                scpi.write(f"{node}:RANGE {wanted:g}")
                _check(scpi, node, wanted)


def _check(scpi: Scpi, node: str, wanted: float) -> None:
    automatic = _bare(scpi.ask(f"{node}:AUTO?"))
    answer = scpi.ask(f"{node}:RANGE?")
    taken, _ = parse_value(_bare(answer), scpi.where)
    if automatic != "OFF" or not math.isclose(taken, wanted, rel_tol=1e-3):
        raise scpi.refuse(
            f"{node}:RANGE is {_bare(answer)} (automatic: {automatic}) after it was "
            f"set to {wanted:g}"
        )


def _bare(answer: str) -> str:
    """Take the header off an answer."""
    return answer.rpartition(" ")[2].strip()


def _parse(text: str, where: str) -> Judged:
    """Read a value; 999.99E+9 and the like are codes for a missing one."""
    value, status = parse_value(text, where)
    if not math.isnan(value) and abs(value) >= _LEAST_ERROR:
        digits = text.strip().lstrip("+-").upper().partition("E")[0]
        # Integrated values repeat the digit once more: 7777.77E+9.
        status_of_code = next(
            (s for key, s in _ERRORS.items() if digits.endswith(key)), None
        )
        return math.nan, status_of_code or Status.OVERRANGE
    return value, status


def _seconds(text: str) -> float:
    """Read "00000,01,30" (hours, minutes, seconds); NaN where it is not one."""
    parts = text.strip().split(",")
    if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
        return math.nan
    hours, minutes, seconds = map(int, parts)
    return hours * 3600.0 + minutes * 60.0 + seconds


def _build(settings: Settings) -> PolledMeter:
    dialect = Hioki(
        take_ranges(settings, VOLTAGE_RANGES, CURRENT_RANGES), take_elements(settings)
    )
    return PolledMeter(settings, "hioki", dialect, TIMING, line_end="\r")


DRIVER = Driver(
    "power",
    "hioki",
    "Hioki PW3335, PW3336, PW3337",
    (
        resource("TCPIP::192.0.2.5::3300::SOCKET"),
        voltage_range(300.0, VOLTAGE_RANGES),
        current_range(10.0, CURRENT_RANGES),
        STEP_RANGES,
        elements(CHANNELS),
        STALE_AFTER,
    ),
    _build,
    finder((HIOKI_ID,), (FAMILY,)),
)
