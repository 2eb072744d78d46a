"""The measuring part of the simulated meter: 100 ms means, ranges, integrator."""

import math
from dataclasses import dataclass, fields

from instruments.simulated.physics import Electric

REFRESH_S = 0.1
GAP_AFTER_RANGE_CHANGE = 3
"""Refreshes without a value; seen in logs of the real meter."""

CREST = 1.5
"""Peak over RMS of the simulated current."""

VOLTAGES = (5.0, 15.0, 30.0, 60.0, 150.0, 300.0, 600.0)
CURRENTS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


@dataclass
class Input:
    """One input of the meter, voltage or current.

    Attributes:
        ranges: What can be chosen.
        range: What is chosen.
        automatic: Whether the meter chooses by itself.
        crest_factor: The greatest peak, as a multiple of the range.
        gap: Refreshes still to come without a value.
    """

    ranges: tuple[float, ...]
    range: float
    automatic: bool = False
    crest_factor: int = 3
    gap: int = 0

    def choose(self, wanted: float) -> None:
        """Take a range; a change costs some refreshes."""
        if wanted != self.range:
            self.range = wanted
            self.gap = GAP_AFTER_RANGE_CHANGE

    def takes(self, rms: float) -> bool:
        """Whether a value fits, its peak included; may change the range for it."""
        if self.automatic:
            fitting = [each for each in self.ranges if each >= rms * 1.05]
            self.choose(fitting[0] if fitting else self.ranges[-1])
        if self.gap:
            self.gap -= 1
            return False
        within = rms * CREST <= self.range * self.crest_factor
        return within and rms <= self.range * 1.1


class Integrator:
    """Energy and the time it was integrated over."""

    def __init__(self) -> None:
        self.enabled = True
        self.running = False
        self.reset()

    def reset(self) -> None:
        """Begin again at zero."""
        self.seconds = 0.0
        self.watt_hours = 0.0
        self.ampere_hours = 0.0

    def add(self, active: float, current: float, seconds: float) -> None:
        """Take one refresh, where it runs."""
        if self.running:
            self.seconds += seconds
            self.watt_hours += active * seconds / 3600.0
            self.ampere_hours += current * seconds / 3600.0


class Acquisition:
    """Averages what the mains see over each 100 ms and holds it until the next."""

    def __init__(self) -> None:
        self.voltage = Input(VOLTAGES, 300.0)
        self.current = Input(CURRENTS, 0.1)
        self.integrator = Integrator()
        self.values: dict[str, float] = {}
        self._sum = [0.0] * len(fields(Electric))
        self._time = 0.0

    def reset(self) -> None:
        """Go back to how the meter leaves the factory."""
        self.voltage = Input(VOLTAGES, 300.0)
        self.current = Input(CURRENTS, 0.1)
        self.integrator = Integrator()

    def add(self, electric: Electric, seconds: float) -> None:
        """Take what was there for some seconds."""
        for index, field in enumerate(fields(Electric)):
            self._sum[index] += getattr(electric, field.name) * seconds
        self._time += seconds
        if self._time >= REFRESH_S * 0.999:
            means = Electric(*(total / self._time for total in self._sum))
            self._refresh(means, self._time)
            self._sum = [0.0] * len(self._sum)
            self._time = 0.0

    def _refresh(self, now: Electric, seconds: float) -> None:
        has_voltage = self.voltage.takes(now.voltage)
        has_current = self.current.takes(now.current)
        if has_voltage and has_current:
            self.integrator.add(now.active, now.current, seconds)
        values: dict[str, float] = {}
        if has_voltage:
            values |= {
                "URMS": now.voltage,
                "UAVG": 0.0,
                "UPP": now.voltage * math.sqrt(2.0),
                "UMP": -now.voltage * math.sqrt(2.0),
                "UTHD": 1.8,
                "FU": now.frequency,
                "FPLL": now.frequency,
            }
        if has_current:
            values |= {
                "IRMS": now.current,
                "IAVG": 0.0,
                "IPP": now.current * CREST,
                "IMP": -now.current * CREST,
                "ITHD": 4.5,
                "FI": now.frequency,
            }
        if has_voltage and has_current:
            ratio = now.active / now.apparent
            values |= {
                "P": now.active,
                "S": now.apparent,
                "Q": now.reactive,
                "LAMB": ratio,
                "PHI": math.degrees(math.acos(min(1.0, ratio))),
                "PPP": now.active * 2.0,
                "PMP": 0.0,
            }
        self.values = values | self._always()

    def _always(self) -> dict[str, float]:
        total = self.integrator
        return {
            "URAN": self.voltage.range,
            "IRAN": self.current.range,
            "TIME": total.seconds,
            "WH": total.watt_hours,
            "WHP": total.watt_hours,
            "WHM": 0.0,
            "AH": total.ampere_hours,
            "AHP": total.ampere_hours,
            "AHM": 0.0,
        }


def engineering(value: float | None) -> str:
    """Write a number as the meter does, such as "231.27E+00"; None is "NAN"."""
    if value is None:
        return "NAN"
    exponent = 0
    if value != 0.0:
        exponent = math.floor(math.log10(abs(value)) / 3.0) * 3
    mantissa = f"{value / 10.0**exponent:.5g}"
    return f"{mantissa}E{exponent:+03d}"
