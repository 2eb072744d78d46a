"""What channels came to in stretches of a long session, from the overview; no Qt.

A cell of the overview has the mean of what was measured in it. It counts for that time
only, and several channels together for the time in which all of them were measured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.record.store import Session, Trace, Window
from app.report.chart.line import Floats
from instruments.reading import MISSED_PERIODS, Channel


@dataclass(frozen=True, slots=True)
class Stretches:
    """Means in stretches that follow each other, in ns since the begin of a window.

    Attributes:
        starts: Where each begins.
        ends: Where it ends.
        means: Of each channel over what of a stretch it was measured in; NaN for none.
        together: For how long all channels were measured.
        is_same: Whether each mean is of just that time, and they go together.
    """

    starts: Floats
    ends: Floats
    means: Mapping[Channel, Floats]
    together: Floats
    is_same: np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class _Cells:
    """Means of one channel, and when it was not measured (rows of start and end)."""

    starts: Floats
    ends: Floats
    means: Floats
    width: float
    away: Floats


def stretches_of(
    session: Session, channels: Sequence[Channel], window: Window, points: int
) -> Stretches | None:
    """Get about so many stretches of a window; None where a channel has no value."""
    cells = {}
    for channel in channels:
        found = _cells(session, channel, window, points)
        if found is None:
            return None
        cells[channel] = found
    every = list(cells.values())
    widest = max(every, key=lambda one: one.width)
    # On the lattice of the overview, so that no cell is cut but by the window.
    phase = float(widest.starts[min(1, widest.starts.size - 1)]) % widest.width
    first = min(float(one.starts[0]) for one in every)
    last = max(float(one.ends[-1]) for one in every)
    # A fast channel may have few samples, and those far apart.
    width = max(1, (last - first) // (2 * points * widest.width)) * widest.width
    inner = np.arange(first // width, last // width + 1) * width + phase
    edges = np.r_[first, inner[(inner > first) & (inner < last)], last]
    together = np.diff(_measured(_united([one.away for one in every]), edges))
    slack = max(one.period_ns for one in channels)
    is_same = np.ones(edges.size - 1, dtype=np.bool_)
    means = {}
    for channel, own in cells.items():
        known = np.diff(_measured(own.away, edges))
        is_same &= known - together <= slack
        nodes = _measured(own.away, np.r_[own.starts[0], own.ends])
        added = np.r_[0.0, np.cumsum(np.diff(nodes) * own.means)]
        total = np.interp(_measured(own.away, edges), nodes, added)
        means[channel] = np.diff(total) / np.where(known > 1, known, np.nan)
    return Stretches(edges[:-1], edges[1:], means, together, is_same)


def _cells(
    session: Session, channel: Channel, window: Window, points: int
) -> _Cells | None:
    trace = session.trace(channel, window, points)
    known = np.isfinite(trace.mean)
    if not known.any():
        return None
    times = (trace.times[known] - window[0]).astype(np.float64)
    period = float(channel.period_ns)
    if trace.exact:
        apart = np.diff(times)
        apart = np.where(apart <= MISSED_PERIODS * period, apart, period) / 2
        starts = times - np.r_[period / 2, apart]
        ends = times + np.r_[apart, period / 2]
        width = period
    else:
        width = float(trace.spans[known].max())
        starts, ends = times - width / 2, times + width / 2
        # The middles of the first and the last cell are moved to where samples are.
        ends[0] = min(ends[0], *starts[1:2])
        starts[-1] = max(starts[-1], *ends[-2:-1])
        first, last = _edges(session, trace, window, round(width))
        starts[0] = max(starts[0], first - period / 2)
        ends[-1] = min(ends[-1], last + period / 2)
    uncovered = np.c_[np.r_[-np.inf, ends], np.r_[starts, np.inf]]
    away = [uncovered[uncovered[:, 1] > uncovered[:, 0]]]
    if not trace.exact:
        away.append(_gaps(session, channel, window, starts, ends))
    return _Cells(starts, ends, trace.mean[known], width, _united(away))


def _edges(
    session: Session, trace: Trace, window: Window, width: int
) -> tuple[float, float]:
    """Get the times of the first and the last sample, which a cell does not tell."""
    begin = window[0], int(trace.times[0]) + width
    end = int(trace.times[-1]) - width, window[1]
    first, last = (
        session.trace(trace.channel, part, None).times for part in (begin, end)
    )
    return float(first[0] - window[0]), float(last[-1] - window[0])


def _gaps(
    session: Session, channel: Channel, window: Window, starts: Floats, ends: Floats
) -> Floats:
    """Get the gaps of a channel, but not those that readings have filled since."""
    rows = session.gaps(channel.name, window)
    spans = np.array([(one.start_ns, one.end_ns) for one in rows], dtype=np.int64)
    gaps = (spans.reshape(-1, 2) - window[0]).astype(np.float64)
    inside = np.searchsorted(ends, gaps[:, 1], side="right")
    is_filled = inside > np.searchsorted(starts, gaps[:, 0])
    return gaps[~is_filled]


def _united(spans: Sequence[Floats]) -> Floats:
    """Get the spans that any of some spans are in, rising and apart."""
    every = np.concatenate(spans)
    every = every[np.argsort(every[:, 0], kind="stable")]
    ends = np.maximum.accumulate(every[:, 1])
    firsts = np.flatnonzero(np.r_[True, every[1:, 0] > ends[:-1]])
    lasts = np.r_[firsts[1:], len(every)] - 1
    return np.asarray(np.c_[every[firsts, 0], ends[lasts]])


def _measured(away: Floats, at: Floats) -> Floats:
    """Get for how long until each moment nothing was away."""
    starts, ends = away[:, 0], away[:, 1]
    # The first has no begin and the last no end; what lies between is measured.
    lengths = starts[1:] - ends[:-1]
    totals = np.r_[0.0, np.cumsum(lengths)]
    place = np.clip(np.searchsorted(ends, at, side="right") - 1, 0, len(lengths) - 1)
    inside = np.clip(at - ends[place], 0.0, lengths[place])
    return np.asarray(np.where(at < ends[0], 0.0, totals[place] + inside))
