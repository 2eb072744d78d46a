"""A power peak: the highest mean over a window of samples without a gap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.samples import Floats, Times
from app.record.store import Window
from instruments.reading import SECOND

Feed = tuple[Times, Floats]
"""Times in ns, rising, and one value in W each; what is not known is left out."""


@dataclass(frozen=True, slots=True)
class Peak:
    """A highest mean, and what it is of.

    Attributes:
        mean: The sum of the means of all feeds in W.
        window: From and to in ns; a reading stands for half a period beside it.
        readings: Those of each feed that it is the mean of, in W.
    """

    mean: float
    window: Window
    readings: Sequence[Floats]


_MISSED = 1.5
"""Two samples that are this many periods apart have a missed one between them."""

_LACKING = 0.1
"""Of a window at most this share may lack at its end, and half a period. [judged]"""


def highest_mean(feeds: Sequence[Feed], window_s: float) -> float | None:
    """Compute the highest mean over a sliding window of real samples.

    A window begins at each sample, give or take a quarter of a period, so that one of
    500 ms has five samples of a meter that reads every 100 ms, however it trembles. One
    in which a sample was missed counts for nothing: what was drawn then is not known.
    Several feeds are summed: each counts with its own mean over the same window.

    Args:
        feeds: Of each its sample times in ns, rising, and one value a sample.
        window_s: Length of the window in seconds.

    Returns:
        The highest mean, None where no window is covered by samples of every feed,
        or where a feed is too slow to have two samples in each.
    """
    found = highest_window(feeds, window_s)
    return None if found is None else found.mean


def highest_window(feeds: Sequence[Feed], window_s: float) -> Peak | None:
    """Get the highest mean with what it is of; see `highest_mean`."""
    length = round(window_s * SECOND)
    if any(times.size < 2 for times, _ in feeds):
        return None
    starts = np.sort(np.concatenate([times for times, _ in feeds]), kind="stable")
    total = np.zeros(starts.size)
    full = np.ones(starts.size, dtype=bool)
    for times, values in feeds:
        step = _period(times)
        begin = starts - round(step / 4)
        first = np.searchsorted(times, begin, side="left")
        end = np.searchsorted(times, begin + length, side="left")
        some = end - first >= 2
        head, tail = np.minimum(first, times.size - 1), np.maximum(end - 1, 0)
        missed = np.concatenate(([0], np.cumsum(np.diff(times) > _MISSED * step)))
        lacks = length - (times[tail] - times[head] + step)
        full &= some & (2 * step <= length) & (missed[tail] == missed[head])
        full &= lacks <= min(step / 2, _LACKING * length)
        sums = np.concatenate(([0.0], np.cumsum(values)))
        total += (sums[end] - sums[first]) / np.maximum(end - first, 1)
    if not full.any():
        return None
    best = int(np.argmax(np.where(full, total, -np.inf)))
    readings, half = [], 0
    for times, values in feeds:
        step = _period(times)
        from_ns = int(starts[best]) - round(step / 4)
        own = np.searchsorted(times, (from_ns, from_ns + length), side="left")
        readings.append(values[slice(*own)])
        half = max(half, round(step / 2))
    from_ns = int(starts[best]) - half
    return Peak(float(total[best]), (from_ns, from_ns + length), readings)


def peak_note(feeds: Sequence[Feed], window_s: float, peak: float | None) -> str:
    """Say how a peak was found, or why there is none."""
    window = f"{1000 * window_s:.0f} ms"
    periods = [_period(times) for times, _ in feeds if times.size > 1]
    slowest = max(periods, default=0.0)
    if peak is None and 2 * slowest > window_s * SECOND:
        return (
            f"a mean over {window} needs two samples in it, and the meter gives one "
            f"every {slowest / 1e6:.0f} ms"
        )
    if peak is None:
        return f"no {window} were read without a gap"
    note = f"highest mean over {window} of real samples"
    if len(feeds) > 1:
        note += " of the sum of the feeds"
    # By its phase to the readings, up to half of one of them lies beside the pulse.
    share = slowest / 2 / (window_s * SECOND)
    note += f"; of a pulse as short, up to {share:.0%} of its height may lack"
    unread_s = max(_unread_s(times) for times, _ in feeds)
    if unread_s:
        note += f"; {unread_s:.1f} s were not read, and a higher one may lie there"
    return note


def _unread_s(times: Times) -> float:
    """Get how much of the time between the first and the last sample was missed."""
    steps, step = np.diff(times), _period(times)
    return float((steps[steps > _MISSED * step] - step).sum()) / SECOND


def _period(times: Times) -> float:
    return float(np.median(np.diff(times)))
