"""Several channels as one: feeds are added up while all are known, sensors counted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from app.analysis.samples import NEAR, Floats, Samples, Times
from app.record.store import Result, Window
from instruments.reading import MISSED_PERIODS

_WHOLE = 0.95
"""A sensor that is there for less than this share of the window is named."""

_NAMED = 3


def sum_of_means(samples: Sequence[Samples]) -> float | None:
    """Add up the means of the feeds, see `together`; None where the sum is unknown."""
    means = [part.mean for part in samples]
    known = [mean for mean in means if mean is not None]
    return sum(known) if means and len(known) == len(means) else None


def together(samples: Sequence[Samples]) -> list[Samples]:
    """Keep what was measured while all channels had a value.

    A sum, and a ratio, is known only then: one feed that is gone while the load is
    high would have its mean of another load. What varies is known between two of its
    readings, too, that follow each other.
    """
    if len(samples) < 2:
        return list(samples)
    near = NEAR * max(part.channel.period_ns for part in samples)
    kept = []
    for part in samples:
        # One from beyond the window tells of its edge, where others have to be known.
        times = np.clip(part.all_times, *part.window)
        known = np.ones(times.size, dtype=bool)
        for other in samples:
            known &= _is_between(times, other) | (
                _nearest(times, other.all_times) <= near
            )
        kept.append(part.at(known))
    return kept


def _is_between(times: Times, part: Samples) -> npt.NDArray[np.bool_]:
    """Tell which times lie between two readings of what varies, without a gap."""
    others = part.all_times
    if not part.is_varying or others.size < 2:
        return np.zeros(times.size, dtype=np.bool_)
    after = np.clip(np.searchsorted(others, times), 1, others.size - 1)
    inside = (times >= others[after - 1]) & (times <= others[after])
    apart = others[after] - others[after - 1]
    is_known = apart <= MISSED_PERIODS * part.channel.period_ns
    return np.asarray(inside & is_known, dtype=np.bool_)


def known_together(samples: Sequence[Samples]) -> tuple[int, int]:
    """Count the moments at which all channels have a value, and those expected.

    A sum is known only there. The slowest channel sets the beat, so that none counts
    more for being read more often.

    Returns:
        How many moments are known, and how many are expected: no fewer, as a window of
        40.5 periods has 40 readings or 41, by where in a period it begins.
    """
    promised = [part for part in samples if part.expected]
    if not promised:
        return 0, 0
    slowest = min(promised, key=lambda part: part.expected)
    known = np.ones(slowest.times.size, dtype=bool)
    for part in promised:
        if part is slowest:
            continue
        distance = _nearest(slowest.times, part.times)
        known &= distance <= NEAR * slowest.channel.period_ns
    least = min(part.times.size / part.expected for part in promised)
    valid = min(int(known.sum()), round(least * slowest.expected))
    if slowest.is_of_documents:  # those cut at an edge are more, not longer
        return valid, slowest.expected
    return valid, max(valid, slowest.expected)


def summed(samples: Sequence[Samples]) -> Samples | None:
    """Add up feeds, reading by reading of the one with the fewest; None for none."""
    parts = together(samples)
    if not parts or not all(part.values.size for part in parts):
        return None
    slowest = min(parts, key=lambda part: part.values.size)
    times = slowest.all_times
    values = [part.all_values[nearest(part.all_times, times)] for part in parts]
    return slowest.holding(times, np.sum(values, axis=0))


def nearest(times: Times, others: Times) -> npt.NDArray[np.intp]:
    """Get which of some times, of which there are any, is the nearest to each other."""
    after = np.minimum(np.searchsorted(times, others), times.size - 1)
    before = np.maximum(after - 1, 0)
    is_before = others - times[before] <= times[after] - others
    return np.where(is_before, before, after)


def _nearest(times: Times, others: Times) -> Floats:
    """Get how far the nearest of other times is from each, in ns."""
    if not others.size:
        return np.full(times.size, np.inf)
    apart = np.abs(others[nearest(others, times)] - times)
    return np.asarray(apart, dtype=np.float64)


def result_of(
    name: str,
    value: float | None,
    unit: str,
    window: Window,
    samples: Sequence[Samples],
    *,
    note: str = "",
    over_range_s: float = 0.0,
) -> Result:
    """Make a result that counts the moments at which all its channels are known."""
    valid, expected = known_together(samples)
    return Result(
        name,
        value,
        unit,
        *window,
        n_valid=valid,
        n_expected=expected,
        origin=_origin(samples),
        note=note,
        channels=tuple(part.channel for part in samples),
        over_range_s=over_range_s,
    )


def _origin(samples: Sequence[Samples]) -> str:
    names = [part.channel.name for part in samples]
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} .. {names[-1]}"


@dataclass(frozen=True, slots=True)
class Sensor:
    """One sensor in the window."""

    samples: Samples
    expected: int  # how many there are where it is there all the time

    @property
    def share(self) -> float:
        """The share of the window in which it is there."""
        return min(1.0, self.samples.values.size / self.expected)

    @property
    def name(self) -> str:
        """The name of its channel."""
        return self.samples.channel.name

    @property
    def told(self) -> str:
        """For how much of the time it is there, in words."""
        return f"in {100 * self.share:.0f} % of the time"


def counted(result: Result, sensors: Sequence[Sensor], remark: str) -> Result:
    """Give a result the coverage of its sensors, each of which counts alike.

    So one of sixty that dies costs a sixtieth, and none costs more for being read more
    often. Those that are lost are named in the note.
    """
    expected = sum(sensor.expected for sensor in sensors)
    share = float(np.mean([sensor.share for sensor in sensors])) if sensors else 0.0
    return replace(
        result,
        n_valid=round(share * expected),
        n_expected=expected,
        note=_note(sensors, remark) if result.value is not None else "",
    )


def _note(sensors: Sequence[Sensor], remark: str) -> str:
    """Name the sensors that were not there all the time; "" for none."""
    gone = [sensor for sensor in sensors if sensor.share < _WHOLE]
    if not gone:
        return ""
    gone.sort(key=lambda sensor: sensor.share)
    if len(sensors) == 1:
        return f"{remark} of {gone[0].name}, known {gone[0].told}"
    named = [f"{sensor.name} {sensor.told}" for sensor in gone[:_NAMED]]
    if len(gone) > _NAMED:
        named.append(f"{len(gone) - _NAMED} more for part of it")
    return f"{remark} of {len(sensors)} sensors, but only with {', '.join(named)}"
