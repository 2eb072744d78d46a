"""The offset of a measured channel against the load, from the edges of load bursts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.align_bursts import Burst, Template
from app.analysis.align_edges import Edges
from app.analysis.align_levels import find_levels
from app.analysis.samples import Floats, Times
from instruments.reading import SECOND, Channel

SLOWEST_S = 1.0
"""A channel with a longer period or window is not given an offset. [judged]"""

FEWEST_BURSTS = 3
LEAST_CONTRAST = 4.0
"""The least height of the edges, as a multiple of the noise on a level. [judged]"""

LEAST_QUALITY = 0.7
"""The least correlation of the channel with the shifted load. [judged]"""

MOST_SPREAD_S = 0.075
"""Bursts that disagree by more give no offset. [judged]"""

_COARSE_NS = 20_000_000
_FINE_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class Alignment:
    """How much later or earlier a channel is than the load.

    Attributes:
        channel: The channel.
        offset_ns: To be added to its times, so that its edges meet those of the
            load; negative where it shows them late. None where there is none.
        spread_ns: Standard deviation of the offset, by bootstrap over the bursts.
        quality: Best correlation of the channel with the shifted load, 0 to 1.
        contrast: Height of the edges over the noise on a level.
        bursts: How many bursts there were.
        used: How many of them it comes from; the others do not agree with these.
        edge_ns: How long the channel takes from a tenth to nine tenths of an edge.
        fall_late_ns: How much longer after the end of a burst it takes to fall than
            after the begin to rise.
        why_not: Why there is no offset, in one sentence; "" where there is one.
    """

    channel: Channel
    offset_ns: int | None
    spread_ns: int
    quality: float
    contrast: float
    bursts: int
    used: int = 0
    edge_ns: int = 0
    fall_late_ns: int = 0
    why_not: str = ""

    def __str__(self) -> str:
        """Say it in a line, such as "mains.P: -98 ms +- 6 ms, from 5 of 5 bursts"."""
        if self.offset_ns is None:
            return self.why_not
        return (
            f"{self.channel.name}: {self.offset_ns / 1e6:+.0f} ms "
            f"+- {self.spread_ns / 1e6:.0f} ms, "
            f"from {self.used} of {self.bursts} bursts "
            f"(correlation {self.quality:.2f}, edges of {self.edge_ns / 1e6:.0f} ms, "
            f"falls {self.fall_late_ns / 1e6:+.0f} ms later than it rises)"
        )


def align(
    bursts: Sequence[Burst],
    channel: Channel,
    times: Times,
    values: Floats,
    *,
    range_s: float = 3.0,
    seed: int = 1,
) -> Alignment:
    """Find the offset of a channel from its samples over an alignment step.

    The load is taken as a template that is 1 in a burst and 0 outside. Shifted on a
    grid of 1 ms, averaged over the channel's own window about each sample and set
    between the channel's two levels, it is compared with the samples: the shift with
    the least mean square is that of the greatest cross-correlation, normalised for
    what a window cuts off. About this shift all rising edges are laid over one
    another; the instant at which their course is half way up is the offset, finer than
    the period because the samples meet each edge at another phase. Half way is the
    convention of IEEE Std 181-2011 for the instant of a transition; `edge_ns` says how
    far other conventions could lie from it. Falling edges help to find the shift, and
    do not decide: a device may go on working after the last transfer.

    The spread is the standard deviation over a bootstrap (Efron and Tibshirani, "An
    Introduction to the Bootstrap", 1993, chapter 6) of whole bursts, and no less than
    what the time between two windows leaves open.

    Args:
        bursts: When the load was on. Unequal lengths and pauses are better: equal
            ones look alike again after one of their periods.
        channel: Whose samples they are; levels in dB are compared as energies.
        times: Their times in ns, rising, with any stored offset applied.
        values: One value a time; NaN is a gap.
        range_s: The greatest offset looked for.
        seed: Of the bootstrap.
    """
    known = ~np.isnan(values)
    times, values = times[known], values[known]
    refusal = _too_little(bursts, channel, times)
    if refusal:
        return _refused(channel, refusal, bursts=len(bursts))
    if channel.unit == "dB":
        values = 10 ** (values / 10)
    template = Template(bursts)
    levels = find_levels(values)
    if levels.contrast < LEAST_CONTRAST:
        why = (
            f"{channel.name} does not show the load: its levels lie "
            f"{levels.contrast:.1f} times the noise apart, {LEAST_CONTRAST:g} are "
            "needed"
        )
        return _refused(channel, why, levels.contrast, len(bursts))
    search = _Search(template, channel, times, levels.scaled(values))
    found = search.run(range_s, seed)
    why = _not_found(channel, found, range_s)
    if why:
        return _refused(channel, why, levels.contrast, len(bursts), found.quality)
    return Alignment(
        channel,
        -round(found.shift_ns),
        round(found.spread_ns),
        found.quality,
        levels.contrast,
        len(bursts),
        found.used,
        round(found.edge_ns),
        round(found.fall_late_ns),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    shift_ns: float
    spread_ns: float
    quality: float
    used: int
    edge_ns: float
    fall_late_ns: float


class _Search:
    """Compares samples, scaled to 0 and 1, with the shifted template."""

    def __init__(
        self, template: Template, channel: Channel, times: Times, scaled: Floats
    ) -> None:
        self._template = template
        self._channel = channel
        self._times = times
        self._scaled = scaled

    def run(self, range_s: float, seed: int) -> _Found:
        """Search coarsely in the whole range, then finely, then on the edges."""
        reach = range_s * SECOND
        coarse = np.arange(-reach, reach + _COARSE_NS, _COARSE_NS)
        best = _lowest(coarse, self._costs(coarse))
        near = max(3 * _COARSE_NS, self._channel.period_ns)
        fine = np.arange(best - near, best + near + 1, _FINE_NS)
        best = _lowest(fine, self._costs(fine))
        edges = Edges(self._template, self._times, self._scaled, best)
        shift = best + edges.crossing_ns
        blind = max(0, self._channel.period_ns - self._channel.window_ns)
        least = blind / math.sqrt(12) / math.sqrt(edges.used)
        spread = max(edges.spread_ns(seed), least)
        quality = float(np.corrcoef(self._scaled, self._model(best))[0, 1])
        fall_late = edges.fall_ns - edges.crossing_ns
        return _Found(shift, spread, quality, edges.used, edges.length_ns, fall_late)

    def _model(self, shift: float) -> Floats:
        """Get what the channel would show, were it that much later than the load."""
        return self._template.mean(self._times, self._channel.window_ns, shift)

    def _costs(self, shifts: Floats) -> Floats:
        """Get the mean square difference between the samples and each shift."""
        return np.array(
            [
                np.mean((self._scaled - self._model(float(shift))) ** 2)
                for shift in shifts
            ]
        )


def _lowest(shifts: Floats, costs: Floats) -> float:
    """Get the shift of the least cost; of several alike, the middle."""
    least = costs.min()
    alike = shifts[costs <= least + 1e-9]
    return float((alike[0] + alike[-1]) / 2)


def _too_little(bursts: Sequence[Burst], channel: Channel, times: Times) -> str:
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


def _not_found(channel: Channel, found: _Found, range_s: float) -> str:
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
    if found.used < FEWEST_BURSTS:
        return (
            f"{channel.name} has no offset: only {found.used} bursts agree on one, "
            f"{FEWEST_BURSTS} are needed"
        )
    if found.spread_ns > MOST_SPREAD_S * SECOND:
        return (
            f"{channel.name} has no offset: the bursts disagree by "
            f"{found.spread_ns / 1e6:.0f} ms, {MOST_SPREAD_S * 1000:.0f} ms are "
            "allowed; repeat the step while nothing else uses the device"
        )
    return ""


def _refused(
    channel: Channel,
    why: str,
    contrast: float = 0.0,
    bursts: int = 0,
    quality: float = 0.0,
) -> Alignment:
    return Alignment(channel, None, 0, quality, contrast, bursts, why_not=why)
