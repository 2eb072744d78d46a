"""The offset of a measured channel against the load, from the edges of load bursts."""

import math
from collections.abc import Sequence

import numpy as np

from app.analysis.align.bursts import Burst, Template
from app.analysis.align.checks import LEAST_CONTRAST, Found, not_found, too_little
from app.analysis.align.edges import Edges
from app.analysis.align.levels import find_levels
from app.analysis.align.result import Alignment, refused
from app.analysis.samples import Floats, Times
from instruments.reading import SECOND, Channel

_COARSE_NS = 20_000_000
_FINE_NS = 1_000_000


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
    refusal = too_little(bursts, channel, times)
    if refusal:
        return refused(channel, refusal, bursts=len(bursts))
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
        return refused(channel, why, levels.contrast, len(bursts))
    search = _Search(template, channel, times, levels.scaled(values))
    found = search.run(range_s, seed)
    why = not_found(channel, found, range_s, len(bursts))
    if why:
        return refused(channel, why, levels.contrast, len(bursts), found.quality)
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


class _Search:
    """Compares samples, scaled to 0 and 1, with the shifted template."""

    def __init__(
        self, template: Template, channel: Channel, times: Times, scaled: Floats
    ) -> None:
        self._template = template
        self._channel = channel
        self._times = times
        self._scaled = scaled

    def run(self, range_s: float, seed: int) -> Found:
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
        return Found(shift, spread, quality, edges.used, edges.length_ns, fall_late)

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
