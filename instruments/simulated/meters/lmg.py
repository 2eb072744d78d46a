"""The simulated ZES LMG95: rows of values that come without being asked for."""

import math
from collections.abc import Callable

from instruments.simulated.meters.acquisition import Acquisition, Input

IDENTITY = "ZES ZIMMER Electronic Systems GmbH,LMG95,SIM000009,3.120"
VOLTAGES = (6.0, 12.5, 25.0, 60.0, 130.0, 250.0, 400.0, 600.0)
CURRENTS = (0.15, 0.3, 0.6, 1.2, 2.5, 5.0, 10.0, 20.0)
REFRESH_S = 0.1
# Where the number of the cycle begins again.
COUNT_ENDS = 65536
VALUES = {
    "UTRMS": "URMS",
    "ITRMS": "IRMS",
    "P": "P",
    "Q": "Q",
    "S": "S",
    "PF": "LAMB",
    "FREQ": "FU",
}
"""Function of the acquisition by value."""

_OVERFLOW, _NO_VALUE = "9.9E+37", "9.91E+37"


class LmgMeter:
    """One meter; `cont on` makes it send a row at the end of each cycle.

    Args:
        acquisition: What it measures.
    """

    terminator = "\r\n"

    def __init__(self, acquisition: Acquisition) -> None:
        self._acquisition = acquisition
        self._errors: list[str] = []
        self._row: list[str] = []
        self._cycle = 0.5
        self._since = 0.0
        self._count = 0
        self._is_short = False
        self._is_streaming = False
        self.power_on()

    def handle(self, message: str) -> str | None:
        """Carry out the commands of a line, and join their answers with ";"."""
        units = [unit.strip().upper() for unit in message.strip().split(";")]
        if units[0] == "ACTN":
            self._row = [unit.rstrip("?") for unit in units[1:] if unit]
            return None
        answers = [answer for unit in units if (answer := self._one(unit)) is not None]
        return ";".join(answers) if answers else None

    def unasked(self) -> list[str]:
        """Send a row where a cycle has ended; see `MeterModel`."""
        self._since += REFRESH_S
        if self._since < self._cycle - 1e-9:
            return []
        self._since = 0.0
        if not self._acquisition.frozen:  # a meter that is stuck sends the same row
            self._count = (self._count + 1) % COUNT_ENDS
        if not self._is_streaming or not self._row:
            return []
        return [";".join(self._value(name) for name in self._row)]

    def power_on(self) -> None:
        """Begin as after switching on; see `MeterModel`."""
        self._acquisition.reset()
        self._acquisition.voltage = Input(VOLTAGES, 250.0, automatic=True)
        self._acquisition.current = Input(CURRENTS, 10.0, automatic=True)
        self._is_short = False
        self._is_streaming = False
        self._cycle = 0.5
        self._since = 0.0
        self._count = 0
        self._row.clear()
        self._errors.clear()

    def _one(self, unit: str) -> str | None:
        header, _, rest = unit.partition(" ")
        answers: dict[str, Callable[[], str]] = {
            "*IDN?": lambda: IDENTITY,
            "*OPC?": lambda: "1",
            "URNG?": lambda: f"{self._acquisition.voltage.range:g}",
            "IRNG?": lambda: f"{self._acquisition.current.range:g}",
            "SYST:ERR:ALL?": self._take_errors,
        }
        if header in answers:
            return answers[header]()
        if not self._set(header, rest):
            self._errors.append('-113,"Undefined header"')
        return None

    def _set(self, header: str, rest: str) -> bool:
        """Carry out a command; tell whether there is such a one."""
        match header, rest:
            case ("SYST:LANG" | "LANG", "SHORT" | "SCPI"):
                self._is_short = rest == "SHORT"
            case ("CONT", "ON" | "OFF") if self._is_short:
                self._is_streaming = rest == "ON"
            case ("UAM" | "IAM", "MANUAL" | "AUTO") if self._is_short:
                self._input(header).automatic = rest == "AUTO"
            case ("URNG" | "IRNG", _) if self._is_short:
                ranges = self._input(header).ranges
                fitting = (each for each in ranges if each >= float(rest))
                self._input(header).choose(next(fitting, ranges[-1]))
            case ("CYCL", _) if self._is_short:
                self._cycle = float(rest)
            case ("GTL" | "*CLS", ""):
                pass
            case _:
                return False
        return True

    def _input(self, header: str) -> Input:
        is_voltage = header.startswith("U")
        return self._acquisition.voltage if is_voltage else self._acquisition.current

    def _take_errors(self) -> str:
        errors = ";".join(self._errors) or '0,"No error"'
        self._errors.clear()
        return errors

    def _value(self, name: str) -> str:
        if name == "COUNT":
            return f"{self._count}"
        value = self._acquisition.values.get(VALUES.get(name, ""), math.nan)
        if math.isnan(value):
            return _NO_VALUE
        return _OVERFLOW if math.isinf(value) else f"{value:.6g}"
