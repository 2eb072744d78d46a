"""How far off the power of a step may be, by what the meters' data sheets promise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.samples import Floats, Samples, channels_of, result_of, samples_of
from app.record.store import Result, Session, Window
from instruments.power.accuracy import HMC8015, Accuracy, accuracy_of
from instruments.reading import Channel

_KNOWN = "hmc8015"
"""The only driver whose meter's accuracy is known, from its data sheet or the bench."""

_USUAL_CREST_FACTOR = 3.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How far off each sample of a meter may be."""

    power: Samples
    values: Floats  # the limit of error of each, in W
    source: str  # where the coefficients come from


def error_results(
    session: Session, feeds: Sequence[Channel], window: Window
) -> list[Result]:
    """Compute the limit of error of the mean power of one device.

    The error of a meter is the same in each sample, so it does not shrink with their
    number; those of several feeds are added up at their worst. Where one feed's
    accuracy or ranges are not known there is no limit.
    """
    found = sample_limits(session, feeds, window)
    if not found:
        return []
    total = sum(float(one.values.mean()) for one in found)
    note = "; ".join(dict.fromkeys(one.source for one in found))
    parts = [one.power for one in found]
    return [result_of("power_error_w", total, "W", window, parts, note=note)]


def sample_limits(
    session: Session, feeds: Sequence[Channel], window: Window
) -> list[Limits]:
    """Compute the limit of error of each sample of power, from reading and range.

    Returns:
        One for each feed; none where one feed's accuracy or ranges are not known.
    """
    sources = {source.name: source for source in session.sources()}
    found: list[Limits] = []
    for channel in channels_of(feeds, "P", "W"):
        source = sources.get(channel.source)
        ranges = [
            channel_of
            for name, unit in (("U_range", "V"), ("I_range", "A"))
            for channel_of in channels_of(feeds, name, unit)
            if channel_of.source == channel.source
        ]
        if source is None or source.driver != _KNOWN or len(ranges) != 2:
            return []
        power, voltage, current = (
            samples_of(session, one, window) for one in (channel, *ranges)
        )
        if not (power.values.size and voltage.values.size and current.values.size):
            return []
        accuracy = accuracy_of(source.keys)
        crest = source.keys.get("crest_factor", _USUAL_CREST_FACTOR)
        limits = limit(
            power.values,
            _at(power, voltage) * _at(power, current),
            accuracy,
            float(crest) if isinstance(crest, int | float) else _USUAL_CREST_FACTOR,
        )
        found.append(Limits(power, limits, accuracy.source or HMC8015.source))
    return found


def limit(
    values: Floats | float,
    ranges: Floats | float,
    accuracy: Accuracy,
    crest_factor: float = _USUAL_CREST_FACTOR,
) -> Floats:
    """Compute the limit of error of voltages, currents or active powers.

    With a crest factor of 6 a range covers peaks twice as high, and its share is
    taken twice (assumed).

    Args:
        values: Readings in V, A or W; NaN stays NaN.
        ranges: Range of each, in the same unit; for power U range times I range.
        accuracy: What the data sheet promises.
        crest_factor: The meter's setting.
    """
    share = accuracy.range * crest_factor / 3.0
    found = accuracy.reading * np.abs(values) + share * np.asarray(ranges)
    return np.asarray(np.where(np.isnan(values), np.nan, found), dtype=np.float64)


def _at(samples: Samples, ranges: Samples) -> Floats:
    """Get the range that held at each sample: the last one told by then."""
    places = np.searchsorted(ranges.times, samples.times, side="right") - 1
    return np.asarray(ranges.values[np.maximum(places, 0)], dtype=np.float64)
