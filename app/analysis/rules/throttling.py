"""Whether heat slowed down drives or processors while a row was measured."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.analysis.rules.row_figures import RowRecord
from app.analysis.samples import Samples, samples_of
from app.record.store import Session, Window
from instruments.throttling import NVME, QUANTITIES


@dataclass(frozen=True, slots=True)
class Throttling:
    """What the counters of a row say.

    Attributes:
        grown: By channels whose counter grew, by how much, in their unit.
        is_known: Whether it grew, or counters of a drive say that it did not.
        samples: What was read of each counter, from before to after the window.
    """

    grown: Mapping[str, float]
    is_known: bool
    samples: tuple[Samples, ...]


def throttling_of(row: RowRecord) -> Throttling:
    """Compare counters before and after the window of a row.

    Drives may be left alone under load, so what was read last before and first after
    the window counts, too, as long as no other row was measured in between. Without
    such readings it is not known that a counter did not grow.
    """
    between = _between(row.session, row.window)
    grown: dict[str, float] = {}
    rested, found = False, []
    for channel in row.session.channels():
        if channel.quantity not in QUANTITIES:
            continue
        samples = _around(samples_of(row.session, channel, between), row.window)
        steps = np.diff(samples.values)
        if not steps.size:
            continue
        found.append(samples)
        if growth := float(steps[steps > 0].sum()):
            grown[channel.name] = growth
        is_whole = (
            samples.times[0] <= row.window[0] and samples.times[-1] >= row.window[1]
        )
        # One that went back belongs to another drive, or its machine began anew.
        is_flat = is_whole and not steps.any()
        rested = rested or (channel.quantity in NVME and is_flat)
    return Throttling(grown, bool(grown) or rested, tuple(found))


def _between(session: Session, window: Window) -> Window:
    """Get the time from the row before to the one after, without their windows."""
    start, end = session.begin_ns, window[1] + 2**62
    for step in session.steps():
        other = (step.window_start_ns, step.window_end_ns)
        if other[1] is not None and other[1] <= window[0]:
            start = max(start, other[1])
        if other[0] is not None and other[0] >= window[1]:
            end = min(end, other[0])
    return min(start, window[0]), end


def _around(samples: Samples, window: Window) -> Samples:
    """Keep those in the window, and one on either side of it."""
    first = int(np.searchsorted(samples.times, window[0], side="right")) - 1
    last = int(np.searchsorted(samples.times, window[1], side="left"))
    places = np.arange(samples.times.size)
    return samples.at((places >= max(first, 0)) & (places <= last))
