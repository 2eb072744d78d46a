"""An alignment: the offset of a channel against the load, or why it has none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.align.bursts import Burst, Template
from app.analysis.samples import Times
from instruments.reading import SECOND, Channel

SLOWEST_S = 1.0
"""A channel with a longer period or window is not given an offset. [judged]"""

FEWEST_BURSTS = 3
LEAST_AGREEING = 0.75
"""The least share of the bursts that have to agree on an offset. [judged]"""

LEAST_CONTRAST = 4.0
"""The least height of the edges, as a multiple of the noise on a level. [judged]"""

LEAST_QUALITY = 0.7
"""The least correlation of the channel with the shifted load. [judged]"""

MOST_SPREAD_S = 0.1
"""Edges that are known less well give no offset. [judged]"""


@dataclass(frozen=True, slots=True)
class Alignment:
    """How much later or earlier a channel is than the load."""

    channel: Channel
    # to be added to its times, so that its edges meet those of the load; negative
    # where it shows them late. None where there is none
    offset_ns: int | None
    spread_ns: int  # standard deviation of the offset; how it is found: see `align`
    quality: float  # best correlation of the channel with the shifted load, 0 to 1
    contrast: float  # height of the edges over the noise on a level
    bursts: int  # how many bursts there were
    used: int = 0  # how many of them it comes from; the others do not agree with these
    # how long the channel takes from a tenth to nine tenths of an edge
    edge_ns: int = 0
    # how much longer after the end of a burst it takes to fall than after the begin
    # to rise
    fall_late_ns: int = 0
    why_not: str = ""  # why there is no offset, in one sentence; "" where there is one

    def __str__(self) -> str:
        """Say it in a line, such as "mains.P: -98 ms ± 6 ms, from 5 of 5 bursts"."""
        if self.offset_ns is None:
            return self.why_not
        return (
            f"{self.channel.name}: {self.offset_ns / 1e6:+.0f} ms "
            f"± {self.spread_ns / 1e6:.0f} ms, "
            f"from {self.used} of {self.bursts} bursts "
            f"(correlation {self.quality:.2f}, edges of {self.edge_ns / 1e6:.0f} ms, "
            f"falls {self.fall_late_ns / 1e6:+.0f} ms later than it rises)"
        )


def too_little(bursts: Sequence[Burst], channel: Channel, times: Times) -> str:
    """Say why no offset can come of this, "" where one can."""
    why = _why_too_little(bursts, channel, times)
    return why and f"{channel.name} {why}"


def _why_too_little(bursts: Sequence[Burst], channel: Channel, times: Times) -> str:
    slowest = max(channel.period_ns, channel.window_ns) / SECOND
    if slowest > SLOWEST_S:
        return (
            f"is too slow for an offset: it has one value in {slowest:g} s, and edges "
            f"are placed only by {SLOWEST_S:g} s or less"
        )
    if len(bursts) < FEWEST_BURSTS:
        return (
            f"has no offset: {len(bursts)} bursts of load were found, {FEWEST_BURSTS} "
            "are needed"
        )
    shortest = Template(bursts).shortest_ns
    if shortest < 2 * slowest * SECOND:
        return (
            f"has no offset: a burst or pause of {shortest / SECOND:.1f} s holds fewer "
            "than two of its values"
        )
    start, end = bursts[0].start_ns, bursts[-1].end_ns
    inside = int(np.count_nonzero((times >= start) & (times < end)))
    expected = (end - start) / channel.period_ns
    if inside < 0.8 * expected:
        return (
            f"has no offset: it has {inside} of {expected:.0f} values in the alignment "
            "step"
        )
    return ""


def checked(found: Alignment, range_s: float) -> Alignment:
    """Take the offset away from what is none, and say why."""
    why = _why_none(found, range_s)
    if not why:
        return found
    why = f"{found.channel.name} has no offset: {why}"
    return refused(
        found.channel, why, found.contrast, found.bursts, quality=found.quality
    )


def _why_none(found: Alignment, range_s: float) -> str:
    if abs(found.offset_ns or 0) > range_s * SECOND:
        return (
            f"the best one lies at the border of the {range_s:g} s that were searched"
        )
    if not found.quality >= LEAST_QUALITY:
        return (
            "its edges do not follow the load "
            f"(correlation {found.quality:.2f}, {LEAST_QUALITY:g} is needed)"
        )
    needed = max(FEWEST_BURSTS, math.ceil(LEAST_AGREEING * found.bursts))
    if found.used < needed:
        return (
            f"only {found.used} of {found.bursts} bursts agree on one, {needed} are "
            "needed; repeat the step while nothing else uses the device"
        )
    if found.spread_ns > MOST_SPREAD_S * SECOND:
        return (
            f"its edges are known to {found.spread_ns / 1e6:.0f} ms, "
            f"{MOST_SPREAD_S * 1000:.0f} ms are allowed; repeat the step with more "
            "bursts and while nothing else uses the device"
        )
    return ""


def refused(
    channel: Channel,
    why: str,
    contrast: float = 0.0,
    bursts: int = 0,
    quality: float = 0.0,
) -> Alignment:
    """Make an alignment that says why it has no offset."""
    return Alignment(channel, None, 0, quality, contrast, bursts, why_not=why)
