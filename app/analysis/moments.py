"""Moments of a step by which sessions are laid over each other."""

from enum import StrEnum

import numpy as np

from app.analysis.samples import channels_of, samples_of
from app.record.store import Session, StepRow, Window
from instruments.base import DUT
from instruments.reading import EXCUSED, MISSED_PERIODS, SECOND, Channel

_BEFORE_NS, _AFTER_NS = 5 * SECOND, 60 * SECOND
"""A load may begin to draw power a little before its first answer, or after a ramp."""

_HALF_S = 0.5
_LEAST_RISE = 0.01
"""Of the power: a smaller rise is not an edge."""

_CLEAR = 6.0
"""Times as far as the means around a place scatter an edge has to stand out."""

_RATES = ("read_bw", "write_bw", "read_iops", "write_iops")


class Alignment(StrEnum):
    """What of sessions lies at the same place of the time axis."""

    STEP = "step start"
    WINDOW = "measured window"
    FIRST_IO = "first I/O"
    POWER = "power edge"
    CAMPAIGN = "campaign start"
    CLOCK = "wall clock"

    @property
    def is_whole(self) -> bool:
        """Whether whole sessions are laid over each other, and no steps."""
        return self in (Alignment.CAMPAIGN, Alignment.CLOCK)


class Lacking(StrEnum):
    """Why a step has no such moment."""

    STEP = "the step was not begun"
    WINDOW = "nothing was measured"
    FIRST_IO = "no reading of I/O"
    LOAD_GAP = "a gap before its first I/O"
    METER = "too few readings of its power"
    RISE = "no clear rise"
    METER_GAP = "a gap where power rises most"


def moment_of(session: Session, step: StepRow, by: Alignment) -> int | Lacking:
    """Get the moment of a step that is laid over that of another one, in ns.

    Returns:
        Why there is none, where there is none.
    """
    if by is Alignment.FIRST_IO:
        return _first_io(session, step)
    if by is Alignment.POWER:
        return _power_edge(session, step)
    if by is Alignment.WINDOW:
        moment, otherwise = step.window_start_ns, Lacking.WINDOW
    else:
        moment, otherwise = step.start_ns, Lacking.STEP
    return otherwise if moment is None else moment


def clock_moment(session: Session, realtime_ns: int) -> int:
    """Get the moment of a session at which the wall clock said so."""
    return realtime_ns - session.info.realtime_ns + session.info.monotonic_ns


def _window(session: Session, step: StepRow, before: int, most: int) -> Window | None:
    if step.start_ns is None:
        return None
    end = step.end_ns if step.end_ns is not None else session.extent()[1]
    return step.start_ns - before, min(end, step.start_ns + most)


def _first_io(session: Session, step: StepRow) -> int | Lacking:
    """Get the begin of the first reading of a load that moved anything."""
    window = _window(session, step, 0, 2**62)
    if window is None:
        return Lacking.STEP
    first = []
    for channel in session.channels():
        if channel.quantity in _RATES:
            samples = samples_of(session, channel, window)
            moved = np.flatnonzero(samples.values > 0)
            if moved.size:
                place = int(moved[0])
                span = samples.lengths[place] if samples.spans.size else 0.0
                begin = int(samples.times[place] - span / 2)
                if place:
                    unknown = begin - int(samples.times[place - 1])
                else:
                    unknown = _longest_fault(session, channel, (window[0], begin))
                first.append((begin, unknown > MISSED_PERIODS * channel.period_ns))
    if not first:
        return Lacking.FIRST_IO
    begin, is_after_gap = min(first)
    return Lacking.LOAD_GAP if is_after_gap else begin


def _longest_fault(session: Session, channel: Channel, window: Window) -> int:
    """Get the longest gap in a window, in ns; that no load ran yet is none."""
    spans = [
        min(gap.end_ns, window[1]) - max(gap.start_ns, window[0])
        for gap in session.gaps(channel, window)
        if gap.reason not in EXCUSED
    ]
    return max(spans, default=0)


def _power_edge(session: Session, step: StepRow) -> int | Lacking:
    """Get where the power of the device rises most, half a second around each place.

    With a gap in that second nobody knows when it rose.
    """
    window = _window(session, step, _BEFORE_NS, _AFTER_NS)
    meters = {one.name for one in session.sources() if one.measures == DUT}
    known = channels_of(session.channels(), "P", "W")
    feeds = [one for one in known if one.source in meters]
    if window is None or not feeds:
        return Lacking.METER
    found = samples_of(session, feeds[0], window)
    reach = max(1, round(_HALF_S * SECOND / feeds[0].period_ns))
    if found.values.size <= 2 * reach:
        return Lacking.METER
    sums = np.concatenate(([0.0], np.cumsum(found.values)))
    means = (sums[reach:] - sums[:-reach]) / reach
    rises = means[reach:] - means[:-reach]
    best = int(np.argmax(rises))
    scatter = float(np.median(np.abs(np.diff(found.values)))) * np.sqrt(2 / reach)
    least = max(_LEAST_RISE * abs(float(found.values.mean())), _CLEAR * scatter)
    if rises[best] < least:
        return Lacking.RISE
    around = found.times[best : best + 2 * reach]
    if np.diff(around).max() > MISSED_PERIODS * feeds[0].period_ns:
        return Lacking.METER_GAP
    return int((around[reach - 1] + around[reach]) // 2)
