"""The frozen display of a power analyser, of which nothing was measured."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from app.record.store import Session, Window
from instruments.reading import SECOND, Channel, Status

VARYING = ("W", "VA", "var", "V", "A")
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
    seconds. Those seconds were not measured either.
    """
    kept = np.ones(times.size, dtype=np.bool_)
    if channel.unit not in (*VARYING, ""):
        return kept
    gaps = session.gaps(channel.name, (window[0], window[1] + _REACH_NS))
    starts = [gap.start_ns for gap in gaps if gap.reason == Status.STALE]
    if not starts or not _is_meter(session, channel.source):
        return kept
    first = window[0] - _REACH_NS
    frozen = session.once(_frozen_since, channel.source, first, tuple(starts))
    for start, since in zip(starts, frozen, strict=True):
        if start - since >= _LEAST_NS:
            kept &= (times < since) | (times >= start)
    return kept


def _is_meter(session: Session, name: str) -> bool:
    return any(s.name == name and s.section == "power" for s in session.sources())


def _frozen_since(
    session: Session, source: str, first: int, starts: Sequence[int]
) -> list[int]:
    """Find when anything that varies last changed on a meter's display.

    Args:
        session: The session.
        source: The meter.
        first: What comes out where nothing changed since.
        starts: When the display was called frozen.
    """
    window = first, max(starts)
    found = [np.empty(0, np.int64)]
    for channel in session.channels():
        if channel.source != source or channel.unit not in VARYING:
            continue
        trace = session.trace(channel, window, None)
        known = np.isfinite(trace.mean)
        times, values = trace.times[known], trace.mean[known]
        found += [times[:1], times[1:][np.diff(values) != 0]]
    changes = np.append(np.sort(np.concatenate(found)), first)
    return [int(changes[place - 1]) for place in np.searchsorted(changes[:-1], starts)]
