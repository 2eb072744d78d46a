"""The first seconds of a frozen display, which are known to be so only afterwards."""

import numpy as np
import numpy.typing as npt

from app.record.store import Session, Window
from instruments.reading import SECOND, Channel, Status

_VARYING = ("W", "VA", "var", "V", "A")
"""What a power analyser never shows twice to the last digit for seconds."""

_LEAST_NS = 2 * SECOND
"""Less than any meter's display has to stand still to be called frozen, and more than
one refresh that is read twice."""

_REACH_NS = 15 * SECOND
"""How long before it is called frozen a display is looked at."""


def measured(
    session: Session, channel: Channel, window: Window, times: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Tell which samples of a power analyser are not of a frozen display.

    A meter's driver calls its values stale once they have been the same for some
    seconds. Those seconds were no measurement either.

    Args:
        session: The session.
        channel: Whose samples they are.
        window: Where they lie, start and end in monotonic ns.
        times: Their times in ns, rising.
    """
    kept = np.ones(times.size, dtype=np.bool_)
    if channel.unit not in (*_VARYING, ""):
        return kept
    gaps = session.gaps(channel.name, (window[0], window[1] + _REACH_NS))
    starts = [gap.start_ns for gap in gaps if gap.reason == Status.STALE]
    if not starts or not _is_meter(session, channel.source):
        return kept
    first = window[0] - _REACH_NS
    changes = _changes(session, channel.source, (first, max(starts)))
    for start in starts:
        place = int(np.searchsorted(changes, start)) - 1
        since = int(changes[place]) if place >= 0 else first
        if start - since >= _LEAST_NS:
            kept &= (times < since) | (times >= start)
    return kept


def _is_meter(session: Session, name: str) -> bool:
    return any(s.name == name and s.section == "power" for s in session.sources())


def _changes(session: Session, source: str, window: Window) -> npt.NDArray[np.int64]:
    """Find when anything that varies appeared or changed on a meter's display."""
    found = [np.empty(0, np.int64)]
    for channel in session.channels():
        if channel.source != source or channel.unit not in _VARYING:
            continue
        trace = session.trace(channel, window, None)
        known = np.isfinite(trace.mean)
        times, values = trace.times[known], trace.mean[known]
        found += [times[:1], times[1:][np.diff(values) != 0]]
    return np.unique(np.concatenate(found))
