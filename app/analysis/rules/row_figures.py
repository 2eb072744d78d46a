"""Figures that say how well a row was measured, from what its session keeps of it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from app.analysis.feeds import summed
from app.analysis.power import UNEQUAL, energy_results, power_results
from app.analysis.results import by_device, of_meters, room_channels
from app.analysis.samples import Floats, Samples, channels_of, samples_of
from app.analysis.uncertainty import COVERAGE
from app.plan.gates import Measure
from app.plan.step import Role
from app.plan.verdict import Outcome
from app.record.store import Basis, Result, Session, StepRow, Window
from instruments.base import DUT
from instruments.errors import BadInput
from instruments.files.foreign_text import (
    MISSHAPEN,
    parsed_json,
    stored_table,
    stored_toml,
)
from instruments.reading import SECOND, Channel

RANGING = "ranging.json"
"""The artefact with start and end in ns of each try of the ranging pass, by labels."""

_MAINS_HZ = (50.0, 60.0)

_LEAST_TONE_DB = 90.0
"""Calibrators give 94 dB or more at 1 kHz, where A weighting is 0 dB. [judged]"""


class Lack(StrEnum):
    """Why a figure is not known."""

    NO_POWER = "no-power"
    NOT_POSITIVE = "not-positive"
    NO_ACCURACY = "no-accuracy"
    FEW_READINGS = "few-readings"
    GAPS = "gaps"
    NO_INTEGRATOR = "no-integrator"
    COARSE = "coarse"
    NO_NOMINAL = "no-nominal"
    NO_VOLTAGE = "no-voltage"
    NO_FREQUENCY = "no-frequency"
    NO_ROOM = "no-room"
    NO_RANGING = "no-ranging"
    NO_HOSTS = "no-hosts"
    NO_CLOCK = "no-clock"
    NO_SOUND = "no-sound"
    NO_RECHECK = "no-recheck"
    NO_TONE = "no-tone"
    NO_START = "no-start"
    NO_LATENCY = "no-latency"
    NO_RANGE = "no-range"
    NO_ROUNDS = "no-rounds"
    NOT_TRACKED = "not-tracked"  # what a rule of rounds is not judged of
    NO_CALIBRATION = "no-calibration"


Figure = float | Lack
"""A figure, or why it is not known."""


@dataclass(frozen=True)
class RowRecord:
    """What a session keeps of a measured row.

    Attributes:
        session: The session.
        step_id: The number of the row in it.
        label: Of its step in the plan, which repeats and passes share.
        window: Its measured window.
        results: By their names.
        outcome: What became of it.
    """

    session: Session
    step_id: int
    label: str
    window: Window
    results: Mapping[str, Result]
    outcome: str = Outcome.DONE

    @cached_property
    def feeds(self) -> list[Channel]:
        """The channels of the power meters of the device under test."""
        return of_meters(self.session, by_device(self.session)[DUT])

    @property
    def power(self) -> list[Samples]:
        """The power of each feed."""
        return self.samples("P", "W")

    @property
    def seconds(self) -> float:
        """The length of its window."""
        return (self.window[1] - self.window[0]) / SECOND

    def samples(self, quantity: str, unit: str) -> list[Samples]:
        """Get what each of the meters has of a quantity; sums of phases are none."""
        return self.of(
            channel
            for channel in channels_of(self.feeds, quantity, unit)
            if channel.location != "sum" or quantity == "P"
        )

    @property
    def room(self) -> list[Samples]:
        """What each sensor of the room has."""
        return self.of(room_channels(self.session))

    def of(self, channels: Iterable[Channel]) -> list[Samples]:
        """Get what some channels have in the window."""
        return [samples_of(self.session, channel, self.window) for channel in channels]

    def value(self, name: str) -> float | None:
        """Get the value of a result."""
        return self.results[name].value if name in self.results else None


def row_record(session: Session, step: StepRow) -> RowRecord | None:
    """Get what is kept of a row; None where it has no mean of a window."""
    if step.window_start_ns is None or step.window_end_ns is None:
        return None
    if step.engine == "startup":
        return None
    results = {result.name: result for result in session.results(step.id)}
    label = str(stored_toml(step.plan).get("label", step.label))
    window = step.window_start_ns, step.window_end_ns
    return RowRecord(session, step.id, label, window, results, step.outcome)


@dataclass(frozen=True, slots=True)
class Spread:
    """How the power of the device went over the window, all feeds together.

    Attributes:
        mean_w: Mean of the readings.
        sd_w: Their standard deviation; None for fewer than two.
        slope_w_per_s: Of the least-squares line; None for fewer than three.
        min_w: The lowest reading.
        max_w: The highest one.
    """

    mean_w: float
    sd_w: float | None
    slope_w_per_s: float | None
    min_w: float
    max_w: float


def spread_of(row: RowRecord) -> Spread | None:
    """Compute how its power went; None where there is no reading."""
    whole = summed(row.power)
    if whole is None:
        return None
    values, count = whole.values, whole.values.size
    slope = None
    if count > 2 and whole.times[-1] > whole.times[0]:
        seconds = (whole.times - whole.times.mean()) / SECOND
        slope = float(seconds @ (values - values.mean()) / (seconds @ seconds))
    return Spread(
        float(values.mean()),
        float(values.std(ddof=1)) if count > 1 else None,
        slope,
        float(values.min()),
        float(values.max()),
    )


def _uncertainty(row: RowRecord) -> Figure:
    power = row.results.get("power_w")
    if power is None or power.value is None:
        return Lack.NO_POWER
    if power.value <= 0:
        return Lack.NOT_POSITIVE
    if power.u_meter is None:
        return Lack.NO_ACCURACY
    if power.u_scatter is None:
        return Lack.FEW_READINGS
    expanded = COVERAGE * math.hypot(power.u_meter, power.u_scatter)
    return 100 * expanded / power.value


def _energy(row: RowRecord) -> Figure:
    """How far mean power x time is above energy, in percent of the latter."""
    power, energy = row.results.get("power_w"), row.results.get("energy_wh")
    by_mean = row.value("energy_by_mean_wh")
    if power is None or power.value is None:
        return Lack.NO_POWER
    if energy is None or energy.value is None or energy.basis == Basis.MEAN_POWER:
        return Lack.NO_INTEGRATOR
    if by_mean is None or (power.n_valid or 0) < (power.n_expected or 0):
        return Lack.GAPS  # The mean may be energy over time.
    if energy.value <= 0:
        return Lack.NOT_POSITIVE
    off = by_mean - energy.value
    if abs(off) > UNEQUAL * energy.value:
        again = energy_results(row.session, row.feeds, row.window)
        # One reading more or less at either edge.
        if abs(off) <= 2 * sum(result.resolution for result in again):
            return Lack.COARSE
    return 100 * off / energy.value


def _voltage(row: RowRecord) -> Figure:
    found = mains_voltage(row)
    return found if isinstance(found, Lack) else _percent_off(*found)


def mains_voltage(row: RowRecord) -> tuple[float, float] | Lack:
    """Get the reading that is the farthest from the nominal voltage, and that, in V."""
    nominal = stored_table(row.session.info.bench, "dut").get("mains_voltage")
    readings = _readings(row.samples("U", "V"))
    if not readings.size:
        return Lack.NO_VOLTAGE
    if not isinstance(nominal, int | float) or nominal <= 0:
        return Lack.NO_NOMINAL
    return _farthest(readings, float(nominal))


def _frequency(row: RowRecord) -> Figure:
    found = mains_frequency(row)
    return found if isinstance(found, Lack) else _percent_off(*found)


def mains_frequency(row: RowRecord) -> tuple[float, float] | Lack:
    """Get the reading that is the farthest from 50 or 60 Hz, and which of them."""
    readings = _readings(row.samples("f", "Hz"))
    if not readings.size:
        return Lack.NO_FREQUENCY
    mean = float(readings.mean())
    return _farthest(readings, min(_MAINS_HZ, key=lambda one: abs(one - mean)))


def _readings(samples: Sequence[Samples]) -> Floats:
    """Get all readings of some channels; none where one of them has none."""
    if not all(part.values.size for part in samples):
        return np.empty(0)
    return np.concatenate([np.empty(0), *(part.values for part in samples)])


def _farthest(readings: Floats, nominal: float) -> tuple[float, float]:
    return float(readings[np.abs(readings - nominal).argmax()]), nominal


def _percent_off(reading: float, nominal: float) -> float:
    return 100 * (reading - nominal) / nominal


def _room(row: RowRecord) -> Figure:
    value = row.value("ambient_c")
    return Lack.NO_ROOM if value is None else value


def _room_drift(row: RowRecord) -> Figure:
    """The greatest range of a sensor in the window."""
    found = room_extremes(row)
    return found if isinstance(found, Lack) else found[0] - found[1]


def room_extremes(row: RowRecord) -> tuple[float, float] | Lack:
    """Get highest and lowest reading of the sensor of the room that moved the most."""
    sizes = [part.values.size for part in row.room]
    if not any(sizes):
        return Lack.NO_ROOM
    if max(sizes) < 2:
        return Lack.FEW_READINGS
    known = [part.values for part in row.room if part.values.size]
    extremes = [(float(values.max()), float(values.min())) for values in known]
    return max(extremes, key=lambda one: one[0] - one[1])


def _rate(row: RowRecord) -> Figure:
    """What the meters' beat promises, less what is missing of it."""
    power = row.results.get("power_w")
    if power is None or not power.n_expected or not row.power:
        return Lack.NO_POWER
    slowest = max(part.channel.period_ns for part in row.power)
    return min(1.0, (power.n_valid or 0) / power.n_expected) * SECOND / slowest


def _count(row: RowRecord) -> Figure:
    power = row.results.get("power_w")
    if power is None or not power.n_expected:
        return Lack.NO_POWER
    return float(power.n_valid or 0)


def _ranging(row: RowRecord) -> Figure:
    """How far mean power is above that of the step's try, in percent of the latter."""
    found = tried_power(row)
    return found if isinstance(found, Lack) else _percent_off(*found)


def tried_power(row: RowRecord) -> tuple[float, float] | Lack:
    """Get mean power, and that of the step's try in the ranging pass, in W."""
    power = row.value("power_w")
    if power is None:
        return Lack.NO_POWER
    try:
        start, end = parsed_json(row.session.artefact(RANGING))[row.label]
        window = int(start), int(end)
    except (BadInput, *MISSHAPEN):
        return Lack.NO_RANGING
    active = channels_of(row.feeds, "P", "W")
    tried = power_results(row.session, active, window)
    before = tried[0].value if tried else None
    if before is None:
        return Lack.NO_RANGING
    return (power, before) if before > 0 else Lack.NOT_POSITIVE


def _sound(row: RowRecord) -> Figure:
    """How far the sound meter's own calibrator reads apart after and before a row.

    A row with the role calibration is held against the one before it.
    """
    found = calibrator_levels(row)
    return found if isinstance(found, Lack) else found[1] - found[0]


def calibrator_levels(row: RowRecord) -> tuple[float, float] | Lack:
    """Get the levels of the calibrator before and after a row, in dB."""
    if row.value("noise_db") is None:
        return Lack.NO_SOUND
    checks = row.session.once(_sound_checks)
    before = [level for _, end, level in checks if end <= row.window[0]]
    after = [level for _, end, level in checks if end > row.window[0]]
    if not before or not after:
        return Lack.NO_RECHECK
    first, last = before[-1], after[0]
    if first is None or last is None or min(first, last) < _LEAST_TONE_DB:
        return Lack.NO_TONE
    return first, last


_CUT_SHORT = (Outcome.VOID, Outcome.ERROR, Outcome.ABORTED)


def _sound_checks(session: Session) -> list[tuple[int, int, float | None]]:
    """Get begin, end and level of the rows in which a calibrator sounded to its end."""
    return sorted(
        (start, end, next((r.value for r in own if r.name == "noise_db"), None))
        for step in session.steps()
        if stored_toml(step.plan).get("role") == Role.CALIBRATION
        and step.outcome not in _CUT_SHORT
        and (start := step.window_start_ns) is not None
        and (end := step.window_end_ns) is not None
        and (own := session.results(step.id))
    )


FIGURES: Mapping[Measure, Callable[[RowRecord], Figure]] = {
    Measure.UNCERTAINTY: _uncertainty,
    Measure.ENERGY: _energy,
    Measure.VOLTAGE: _voltage,
    Measure.FREQUENCY: _frequency,
    Measure.ROOM: _room,
    Measure.ROOM_DRIFT: _room_drift,
    Measure.RATE: _rate,
    Measure.READINGS: _count,
    Measure.RANGING: _ranging,
    Measure.SOUND: _sound,
}
"""What gates bound; `run_figures` has the others."""
