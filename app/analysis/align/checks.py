"""When a channel is given no offset, and what is said then."""

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

MOST_SPREAD_S = 0.075
"""Bursts that disagree by more give no offset. [judged]"""


@dataclass(frozen=True, slots=True)
class Found:
    """What the search for an offset has found; see Alignment for the words."""

    shift_ns: float
    spread_ns: float
    quality: float
    used: int
    edge_ns: float
    fall_late_ns: float


def too_little(bursts: Sequence[Burst], channel: Channel, times: Times) -> str:
    """Say why no offset can come of this, "" where one can."""
    slowest = max(channel.period_ns, channel.window_ns) / SECOND
    if slowest > SLOWEST_S:
        return (
            f"{channel.name} is too slow for an offset: it has one value in "
            f"{slowest:g} s, and edges are placed only by {SLOWEST_S:g} s or less"
        )
    if len(bursts) < FEWEST_BURSTS:
        return (
            f"{channel.name} has no offset: {len(bursts)} bursts of load were found, "
            f"{FEWEST_BURSTS} are needed"
        )
    shortest = Template(bursts).shortest_ns
    if shortest < 2 * max(channel.period_ns, channel.window_ns):
        return (
            f"{channel.name} has no offset: a burst or pause of "
            f"{shortest / SECOND:.1f} s holds fewer than two of its values"
        )
    start, end = bursts[0].start_ns, bursts[-1].end_ns
    inside = int(np.count_nonzero((times >= start) & (times < end)))
    expected = (end - start) / channel.period_ns
    if inside < 0.8 * expected:
        return (
            f"{channel.name} has no offset: it has {inside} of {expected:.0f} values "
            "in the alignment step"
        )
    return ""


def not_found(channel: Channel, found: Found, range_s: float, bursts: int) -> str:
    """Say why what was found is no offset, "" where it is one."""
    if abs(found.shift_ns) > range_s * SECOND:
        return (
            f"{channel.name} has no offset: the best one lies at the border of the "
            f"{range_s:g} s that were searched"
        )
    if not found.quality >= LEAST_QUALITY:
        return (
            f"{channel.name} has no offset: its edges do not follow the load "
            f"(correlation {found.quality:.2f}, {LEAST_QUALITY:g} is needed)"
        )
    needed = max(FEWEST_BURSTS, math.ceil(LEAST_AGREEING * bursts))
    if found.used < needed:
        return (
            f"{channel.name} has no offset: only {found.used} of {bursts} bursts agree "
            f"on one, {needed} are needed; repeat the step while nothing else uses the "
            "device"
        )
    if found.spread_ns > MOST_SPREAD_S * SECOND:
        return (
            f"{channel.name} has no offset: the bursts disagree by "
            f"{found.spread_ns / 1e6:.0f} ms, {MOST_SPREAD_S * 1000:.0f} ms are "
            "allowed; repeat the step while nothing else uses the device"
        )
    return ""
