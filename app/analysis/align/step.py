"""The alignment step of a session: offsets of power and sound, found and kept."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.align.bursts import Burst, Template, find_bursts
from app.analysis.align.edges import Edges
from app.analysis.align.result import (
    LEAST_CONTRAST,
    Alignment,
    checked,
    refused,
    too_little,
)
from app.analysis.samples import Floats, Times
from app.record.store import Notebook, Session, Trace, Window
from instruments.reading import SECOND, Channel

# First a coarse grid over the whole reach, then a fine one about its best.
_COARSE_NS = 20_000_000
_FINE_NS = 1_000_000

_SETTLED = 0.01
"""A sample whose window reaches no further over an edge shows a level."""


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
    Introduction to the Bootstrap", 1993, chapter 6) of whole bursts, with what the time
    between two samples and the noise of the levels leave open.

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
    found = search.run(range_s, seed, levels.contrast)
    return found if found.why_not else checked(found, range_s)


class _Search:
    """Compares samples, scaled to 0 and 1, with the shifted template."""

    def __init__(
        self, template: Template, channel: Channel, times: Times, scaled: Floats
    ) -> None:
        self._template = template
        self._channel = channel
        self._times = times
        self._scaled = scaled

    def run(self, range_s: float, seed: int, contrast: float) -> Alignment:
        """Search coarsely in the whole range, then finely, then on the edges."""
        reach = range_s * SECOND
        coarse = np.arange(-reach, reach + _COARSE_NS, _COARSE_NS)
        best = _lowest(coarse, self._costs(coarse))
        near = max(3 * _COARSE_NS, self._channel.period_ns)
        fine = np.arange(best - near, best + near + 1, _FINE_NS)
        best = _lowest(fine, self._costs(fine))
        model = self._model(best)
        scaled, level = _settled(self._scaled, model, contrast)
        edges = Edges(self._template, self._times, scaled, best)
        if not edges.used:
            why = f"{self._channel.name} has no offset: all its edges lie in gaps"
            return refused(self._channel, why, contrast, len(self._template.bursts))
        shift = best + edges.crossing_ns
        spread = math.hypot(
            edges.spread_ns(seed),
            edges.resolution_ns(self._channel.window_ns),
            level * edges.length_ns / 0.8,
        )
        quality = float(np.corrcoef(self._scaled, model)[0, 1])
        fall_late = edges.fall_ns - edges.crossing_ns
        return Alignment(
            self._channel,
            -round(shift),
            round(spread),
            quality,
            contrast,
            len(self._template.bursts),
            edges.used,
            round(edges.length_ns),
            round(fall_late),
        )

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


def _settled(scaled: Floats, model: Floats, contrast: float) -> tuple[Floats, float]:
    """Scale samples by those whose windows lie between edges; a slow meter has few.

    Returns:
        The samples, and the standard deviation of half way between the two levels,
        which are medians (pi / 2 times the variance of a mean).
    """
    low, high = scaled[model < _SETTLED], scaled[model > 1 - _SETTLED]
    if not (low.size and high.size):
        return scaled, 0.0
    levels = Levels(float(np.median(low)), float(np.median(high)), 0.0)
    noise = math.sqrt(math.pi / 2 * (1 / low.size + 1 / high.size)) / contrast
    return levels.scaled(scaled), noise / 2


def _lowest(shifts: Floats, costs: Floats) -> float:
    """Get the shift of the least cost; of several alike, the middle."""
    least = costs.min()
    alike = shifts[costs <= least + 1e-9]
    return float((alike[0] + alike[-1]) / 2)


MARGIN_NS = SECOND
"""How much before and after the step is looked at, too."""

_QUANTITIES = {"power": ("P", "W"), "noise": ("LAeq", "dB")}


def bursts_of(session: Session, window: Window) -> tuple[Burst, ...]:
    """Find the bursts of load in a window, from rates in B/s.

    Of several traces of one load that with the shortest period counts, such as fio's
    log beside its documents; reads and writes of it are summed.
    """
    loads = {s.name for s in session.sources() if s.section == "load"}
    traces = [
        session.trace(channel, window, None)
        for channel in session.channels()
        if channel.source in loads and channel.unit == "B/s"
    ]
    traces = [trace for trace in traces if not np.isnan(trace.mean).all()]
    if not traces:
        return ()
    best = min((trace.channel for trace in traces), key=lambda one: one.period_ns)
    rates = _summed(trace for trace in traces if trace.channel.source == best.source)
    return find_bursts(*rates, best.period_ns)


def _summed(traces: Iterable[Trace]) -> tuple[Times, Floats]:
    """Add up traces of one source, such as its reads and writes, time by time."""
    total: dict[int, float] = {}
    for trace in traces:
        known = ~np.isnan(trace.mean)
        rates = trace.mean[known].tolist()
        for at, rate in zip(trace.times[known].tolist(), rates, strict=True):
            total[at] = total.get(at, 0.0) + rate
    times = sorted(total)
    return np.array(times, np.int64), np.array([total[at] for at in times], np.float64)


def align_step(
    session: Session,
    window: Window,
    bursts: Sequence[Burst] = (),
) -> list[Alignment]:
    """Find the offset of each power analyser and sound meter over an alignment step.

    Every other source keeps its period as its uncertainty: a shelf that is read
    every ten seconds is not given an offset.

    Args:
        session: The session; call `refresh` first while it is recorded.
        window: From the start of the step to its end in ns.
        bursts: The measured windows of the loads, where they are known; found in the
            traces of the loads where they are not given.
    """
    found = tuple(bursts) or bursts_of(session, window)
    around = (window[0] - MARGIN_NS, window[1] + MARGIN_NS)
    results = []
    for channel in _candidates(session):
        trace = session.trace(channel, around, None)
        results.append(align(found, channel, trace.times, trace.mean))
    return results


def keep_alignment(
    session: Session, notebook: Notebook, found: Sequence[Alignment]
) -> None:
    """Store what was found beside the data; it is applied on reading from then on.

    Traces are read with the offset that is stored already, so the new one is added.
    A source without an offset keeps what it has.
    """
    stored = {row.source: row.offset_ns for row in session.offsets()}
    for one in found:
        if one.offset_ns is None:
            continue
        source = one.channel.source
        whole = stored.get(source, 0) + one.offset_ns
        notebook.offset(source, whole, one.spread_ns, f"alignment step, {one}")


def _candidates(session: Session) -> list[Channel]:
    """Get the first channel of each source that may show the load."""
    chosen: dict[str, Channel] = {}
    sections = {source.name: source.section for source in session.sources()}
    for channel in session.channels():
        wanted = _QUANTITIES.get(sections[channel.source])
        if (channel.quantity, channel.unit) == wanted:
            chosen.setdefault(channel.source, channel)
    return list(chosen.values())


_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Levels:
    """Two levels of a signal."""

    low: float  # the median of the lower values
    high: float  # the median of the upper ones
    noise: float  # standard deviation about the own level, from the median deviation

    @property
    def contrast(self) -> float:
        """How many times the noise the levels lie apart."""
        apart = self.high - self.low
        return apart / self.noise if self.noise > 0 else (1e6 if apart > 0 else 0.0)

    def scaled(self, values: Floats) -> Floats:
        """Map the low level to 0 and the high one to 1."""
        scaled: Floats = (values - self.low) / (self.high - self.low)
        return scaled


def find_levels(values: Floats) -> Levels:
    """Part values in two by their size and take the median of each.

    The parting is that of Lloyd's algorithm (k-means) in one dimension, begun
    between the 10th and the 90th percentile; the noise is 1.4826 times the median
    absolute deviation from the own level, which edges and single peaks hardly move.
    """
    if values.size < 4:
        return Levels(0.0, 0.0, 0.0)
    middle = float(np.percentile(values, (10, 90)).mean())
    for _ in range(_ROUNDS):
        upper = values > middle
        if upper.all() or not upper.any():
            break
        moved = float((values[upper].mean() + values[~upper].mean()) / 2)
        if moved == middle:
            break
        middle = moved
    upper = values > middle
    if upper.all() or not upper.any():
        level = float(np.median(values))
        return Levels(level, level, 0.0)
    low, high = float(np.median(values[~upper])), float(np.median(values[upper]))
    away = np.abs(np.where(upper, values - high, values - low))
    return Levels(low, high, 1.4826 * float(np.median(away)))
