"""Several channels as one: the feeds of a device, added up while all are known."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from app.analysis.samples import NEAR, Floats, Samples, Times
from app.record.store import Result, Window


def sum_of_means(samples: Sequence[Samples]) -> float | None:
    """Add up the means of the feeds, see `together`; None where the sum is unknown."""
    means = [part.mean for part in samples]
    known = [mean for mean in means if mean is not None]
    return sum(known) if means and len(known) == len(means) else None


def together(samples: Sequence[Samples]) -> list[Samples]:
    """Keep what was measured while all channels had a value.

    A sum, and a ratio, is known only then: one feed that is gone while the load is
    high would have its mean of another load.
    """
    if len(samples) < 2:
        return list(samples)
    near = NEAR * max(part.channel.period_ns for part in samples)
    kept = []
    for part in samples:
        known = np.ones(part.times.size, dtype=bool)
        for other in samples:
            known &= _nearest(part.times, other.times) <= near
        kept.append(part.at(known))
    return kept


def known_together(samples: Sequence[Samples]) -> tuple[int, int]:
    """Count the moments at which all channels have a value, and those expected.

    A sum is known only there. The slowest channel sets the beat, so that none counts
    more for being read more often.

    Returns:
        How many moments are known, and how many are expected.
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
    return min(int(known.sum()), round(least * slowest.expected)), slowest.expected


def summed(samples: Sequence[Samples]) -> Samples | None:
    """Add up feeds, reading by reading of the one with the fewest; None for none."""
    parts = together(samples)
    if not parts or not all(part.values.size for part in parts):
        return None
    slowest = min(parts, key=lambda part: part.values.size)
    values = [part.values[nearest(part.times, slowest.times)] for part in parts]
    return replace(slowest, values=np.sum(values, axis=0))


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
