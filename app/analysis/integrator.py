"""What the integrator of a power analyser says of a window."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.samples import Samples, channels_of, samples_of
from app.record.store import Session, Window
from instruments.reading import MISSED_PERIODS, SECOND, Channel, Status

LEAST_WH = 1e-3
"""Taken for the last digit of an integrator that has not moved. [judged]"""

_REACH_NS = 10 * SECOND
"""So far beyond an edge of the window a reading of an integrator is looked for."""

_SLACK = 0.001
"""Of a window: so little of it may lack at its edges, which changes no digit shown."""

_NEAR = 1 / 3
"""Of what an integrator rose by: power that comes to less says it was misread."""

_FAR = 10
"""So many usual steps of an integrator are no step of it. [judged]"""

_FALLS = (
    "the analyser's integrator falls: energy was fed back, it counts down, or it was "
    "set back"
)


_MISREAD = (
    "the analyser's integrator was misread or set back, and no reading of power tells "
    "which"
)


@dataclass(frozen=True, slots=True)
class Integrated:
    """What one integrator says of a window."""

    energy: float | None  # in Wh, None where it covers too little
    share: float  # how much of the window it covers
    # in Wh: what it shows at one reading more or less, or its last digit
    resolution: float
    note: str  # how much is covered, and, where that is too little, what lacks
    steps: Sequence[float] = ()  # what it counted in Wh, from reading to reading
    # in Wh: what it counts at once, where it stood still at most readings, else 0;
    # infinite where it did so at all of them
    digit: float = 0.0
    # whether it fell while its readings were there, which power above 0 contradicts
    falls: bool = False


def integrated(session: Session, channel: Channel, window: Window) -> Integrated:
    """Difference an integrator over the window, interpolated at both of its edges.

    A reading that fell behind the one before says that the integrator was set back,
    as at the begin of a step: the pieces between are summed, and carry their mean
    rate over the one that lacks. Over missed beats it went on, the source was there all
    the time. Where no reading lies at or beyond an edge, or more is missing than 2 %
    or three readings, 5 % at most, there is no energy.
    """
    start, end = window
    length, period = float(end - start), channel.period_ns
    reach = max(_REACH_NS, 3 * period)
    around = samples_of(session, channel, (start - reach, end + reach))
    around, doubts = _sound(session, around)
    # What lacks so little of the window that it cannot matter is not missed.
    slack = round(_SLACK * length)
    first = int(np.searchsorted(around.times, start + slack, side="right")) - 1
    last = int(np.searchsorted(around.times, end - slack))
    if first < 0 or last >= around.times.size or first >= last:
        why = "the analyser's integrator has no reading before and after the window"
        return Integrated(None, 0.0, 0.0, why)
    times, values = around.times[first : last + 1], around.values[first : last + 1]
    if any(times[0] < doubt < times[-1] for doubt in doubts):
        return Integrated(None, 0.0, 0.0, _MISREAD)
    steps, spans = np.diff(values), np.diff(times)
    whole = spans <= MISSED_PERIODS * period
    for place in np.flatnonzero(~whole):
        # Over another gap it may have been set back and overtaken itself.
        gaps = session.gaps(channel.name, (int(times[place]), int(times[place + 1])))
        whole[place] = all(gap.reason == Status.MISSED for gap in gaps)
    inside = np.clip(times, start, end)
    parts = np.diff(inside)
    needed = 1 - max(0.02, min(0.05, 3 * period / length))
    is_there = parts[whole].sum() >= needed * length
    whole &= steps >= 0
    covered = float(parts[whole].sum())
    share = min(1.0, covered / length)
    if share < needed:
        if is_there:
            return Integrated(None, share, 0.0, _FALLS, falls=True)
        note = (
            f"the analyser's integrator covers {100 * share:.1f} % of the "
            f"window, {100 * needed:.1f} % are needed"
        )
        return Integrated(None, share, 0.0, note)
    sums = steps[whole] * parts[whole] / spans[whole]
    energy = float(sums.sum()) * length / covered
    moved = steps[whole & (steps > 0)]
    # What stands still between two readings shows its last digit when it moves.
    resolution = energy * period / length
    least = float(moved.min()) if moved.size else math.inf
    if moved.size < np.count_nonzero(whole):
        resolution = max(resolution, least if moved.size else LEAST_WH)
    digit = least if moved.size < np.count_nonzero(whole) / 2 else 0.0
    note = f"the analyser's integrator over {100 * share:.1f} % of the window"
    note += f", to {resolution:.2g} Wh"
    return Integrated(energy, share, resolution, note, sums.tolist(), digit)


def _sound(session: Session, readings: Samples) -> tuple[Samples, list[int]]:
    """Leave out single readings of an integrator from which the next one comes back.

    One that is misread low or high is no energy: the reading after it is hardly above
    the one before it. After an integrator was set back it is below it, or above it by
    anything; where that is hardly anything, by chance, power tells: it comes to what
    was counted since, and is far from it where a reading was misread. Where it is not
    known, one that is set back again and again is nowhere many steps away from its
    neighbours.

    Returns:
        The others, and the times of those of which power does not tell it.
    """
    values = readings.values
    steps = np.diff(values)
    moved = np.abs(steps[steps != 0])
    if values.size < 3 or not moved.size:
        return readings, []
    across = values[2:] - values[:-2]
    away = np.minimum(np.abs(steps[:-1]), np.abs(steps[1:]))
    usual = np.maximum(across, np.median(moved))
    is_back = (away > usual) & (steps[:-1] * steps[1:] < 0) & (across >= 0)
    kept = np.ones(values.size, dtype=np.bool_)
    doubts = []
    for place in np.flatnonzero(is_back):
        rise = place + int(steps[place] < 0)
        span = int(readings.times[rise]), int(readings.times[rise + 1])
        energy = _energy_by_power(session, readings.channel, span)
        if energy is not None:
            kept[place + 1] = energy > _NEAR * steps[rise]
        elif away[place] > _FAR * usual[place]:
            kept[place + 1] = False
            doubts.append(int(readings.times[place + 1]))
    return readings.at(kept), doubts


def _energy_by_power(session: Session, own: Channel, span: Window) -> float | None:
    """Get about what power comes to in Wh; None where it is not known at both ends."""
    for feed in channels_of(session.channels(), "P", "W"):
        if (feed.source, feed.location) != (own.source, own.location):
            continue
        period = feed.period_ns
        found = samples_of(session, feed, (span[0] - period, span[1] + period + 1))
        times, watts = found.times, found.values
        is_known = times.size and times[0] <= span[0] + period
        if is_known and times[-1] >= span[1] - period:
            hours = np.array([span[0], *np.clip(times, *span), span[1]]) / SECOND / 3600
            return float(np.trapezoid([watts[0], *watts, watts[-1]], hours))
    return None
