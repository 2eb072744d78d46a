"""The measuring part of the simulated meter: 100 ms means, ranges, integrator."""

import math
from dataclasses import dataclass, fields, replace

from instruments.simulated.physics import Electric

REFRESH_S = 0.1
BURST_EVERY = 20
"""Refreshes from one burst without values to the next, where that is the fault."""

CREST = 1.5
"""Peak over RMS of the simulated current, unless it is set."""

RAIL_V = 12.0
RAIL_SHARE = 0.01
"""Direct current is simulated as one drive's rail with a part of the power."""

HARMONICS = {1: 1.0, 3: 0.035, 5: 0.02, 7: 0.015, 9: 0.01}
"""Share of the RMS current by order; the voltage has a quarter of all but the first."""

_EVERY_HARMONIC = {order: HARMONICS.get(order, 0.0) for order in range(1, 51)}

GAP_AFTER_CHANGE = 3
"""Refreshes without a value after a change of range, seen in logs of the real meter;
and after a change of functions, where the real one is waited for longer."""

FULL_SCALE = 1.1
"""RMS over range from which on there is no value any more; assumed."""

# The HMC8015's ranges.
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
            self.gap = GAP_AFTER_CHANGE

    def follow(self, rms: float) -> None:
        """Take the range that fits a value, where the meter chooses by itself."""
        if self.automatic:
            fitting = [each for each in self.ranges if each >= rms * 1.05]
            self.choose(fitting[0] if fitting else self.ranges[-1])

    @property
    def peak(self) -> float:
        """The greatest peak that is not clipped."""
        return self.range * self.crest_factor

    def overflows(self, rms: float) -> bool:
        """Whether a value is too great to be shown."""
        return rms > self.range * FULL_SCALE


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
    """Averages what the mains see over each 100 ms and holds it until the next.

    Attributes:
        values: What is shown, by function of the HMC8015; NaN is "no value now",
            infinity is over range.
        crest: Peak over RMS of the current.
        share: Share of the enclosure's power that goes through this meter.
        direct: Whether it measures direct current.
        frozen: Whether it has stopped to refresh.
        bursts: Whether values stay away for some refreshes now and then.
    """

    def __init__(self) -> None:
        self.crest = CREST
        self.share = 1.0
        self.direct = False
        self.frozen = False
        self.bursts = False
        self.values: dict[str, float] = {}
        self._sum = [0.0] * len(fields(Electric))
        self._time = 0.0
        self._count = 0
        self.reset()

    def reset(self) -> None:
        """Go back to how the meter leaves the factory."""
        self.voltage = Input(VOLTAGES, 300.0)
        self.current = Input(CURRENTS, 0.1)
        self.integrator = Integrator()
        self.direct = False
        self._gap = 0

    def blank(self) -> None:
        """Show nothing for some refreshes, as after a change of functions."""
        self._gap = GAP_AFTER_CHANGE
        self.values = dict.fromkeys(self.values, math.nan) | self._always()

    def add(self, electric: Electric, seconds: float) -> None:
        """Take what was there for some seconds."""
        for index, field in enumerate(fields(Electric)):
            self._sum[index] += getattr(electric, field.name) * seconds
        self._time += seconds
        if self._time >= REFRESH_S * 0.999:  # two steps of 50 ms, but for rounding
            means = Electric(*(total / self._time for total in self._sum))
            if not self.frozen:
                self._refresh(self._shared(means), self._time)
            self._sum = [0.0] * len(self._sum)
            self._time = 0.0

    def _shared(self, whole: Electric) -> Electric:
        if self.direct:
            watts = whole.active * RAIL_SHARE
            return Electric(watts, watts, 0.0, RAIL_V, watts / RAIL_V, 0.0)
        return replace(
            whole,
            active=whole.active * self.share,
            apparent=whole.apparent * self.share,
            reactive=whole.reactive * self.share,
            current=whole.current * self.share,
        )

    def _refresh(self, now: Electric, seconds: float) -> None:
        self._count += 1
        if self.bursts and self._count % BURST_EVERY == 0:
            self._gap = GAP_AFTER_CHANGE
        self.voltage.follow(now.voltage)
        self.current.follow(now.current)
        voltage_mask = self._mask(self.voltage, now.voltage)
        current_mask = self._mask(self.current, now.current)
        mask = voltage_mask + current_mask  # NaN and infinity outlast a sum
        if mask == 0.0:
            self.integrator.add(now.active, now.current, seconds)
        hidden = math.nan if self._gap else 0.0
        self._gap = max(0, self._gap - 1)
        values = {
            **self._of_voltage(now, voltage_mask + hidden),
            **self._of_current(now, current_mask + hidden),
            **self._of_both(now, mask + hidden),
        }
        self.values = values | self._always()

    def _mask(self, chosen: Input, rms: float) -> float:
        """Get 0 for a value that is there, NaN for none, infinity for over range."""
        if chosen.gap:
            chosen.gap -= 1
            return math.nan
        return math.inf if chosen.overflows(rms) else 0.0

    def _of_voltage(self, now: Electric, mask: float) -> dict[str, float]:
        crest = math.sqrt(2.0) if now.frequency else 1.0
        peak = min(now.voltage * crest, self.voltage.peak)
        values = {
            "URMS": now.voltage,
            "UAVG": now.voltage if now.frequency == 0.0 else 0.0,
            "UPP": peak,
            "UMP": -peak,
            "UTHD": 1.8,
            "FU": now.frequency or math.nan,
            "FPLL": now.frequency or math.nan,
        }
        for order, part in _EVERY_HARMONIC.items():
            quarter = part if order == 1 else part / 4.0
            values[f"UK{order}"] = now.voltage * quarter
        return {name: value + mask for name, value in values.items()}

    def _of_current(self, now: Electric, mask: float) -> dict[str, float]:
        crest = self.crest if now.frequency else 1.0
        peak = min(now.current * crest, self.current.peak)
        values = {
            "IRMS": now.current,
            "IAVG": now.current if now.frequency == 0.0 else 0.0,
            "IPP": peak,
            "IMP": -peak,
            "ITHD": 4.5,
            "FI": now.frequency or math.nan,
        }
        for order, part in _EVERY_HARMONIC.items():
            values[f"IK{order}"] = now.current * part
        return {name: value + mask for name, value in values.items()}

    def _of_both(self, now: Electric, mask: float) -> dict[str, float]:
        ratio = now.active / now.apparent
        values = {
            "P": now.active,
            "S": now.apparent,
            "Q": now.reactive,
            "LAMB": ratio,
            "PHI": math.degrees(math.acos(min(1.0, ratio))),
            "PPP": now.active * 2.0,
            "PMP": 0.0,
        }
        for order, part in _EVERY_HARMONIC.items():
            share = part if order == 1 else part**2 / 4.0
            values[f"PK{order}"] = now.active * share
        return {name: value + mask for name, value in values.items()}

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
    """Write a number as the meter does, such as "231.27E+00"; None is "NAN".

    What the meter writes over range is not known; "INF" is inferred from its logs.
    """
    if value is None or math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INF"
    exponent = 0
    if value != 0.0:
        exponent = math.floor(math.log10(abs(value)) / 3.0) * 3
    mantissa = f"{value / 10.0**exponent:.5g}"
    return f"{mantissa}E{exponent:+03d}"
