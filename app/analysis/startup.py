"""Start-up numbers of a recorded cold start, each with its window and how it came."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.feeds import result_of
from app.analysis.peak import highest_mean, peak_note
from app.analysis.samples import Floats, Samples, Times, channels_of, samples_of
from app.analysis.trapezoid import trapezoids
from app.record.store import Result, Session, Window
from instruments.base import DUT
from instruments.reading import MISSED_PERIODS, SECOND

Feed = tuple[Times, Floats]
"""Times in ns, rising, and one value in W each; NaN is a gap."""

OFF_S = 1.0
"""So long the trace has to show the device off, before anything is said of a start."""

_LEAST_SHARE = 0.03
"""A step is at least this share of what the power rises by in all. [judged]"""

_LONGEST_STEP_S = 1.0
"""What rises for longer is a slope and no step. [judged]"""

_LEAST_KNOWN = 0.8
"""Of the time that shows the device off at least this share has to be known: a meter
that is read over a network misses a refresh now and then. [judged]"""

_LONGEST_GAP_S = 1.0
"""A longer time without a value is not taken for a settled one. [judged]"""

_ADD_UP = 0.9
"""Rises that add up to a smaller share of what power rose by are not all of them."""

_LEVEL_S = 0.5
"""The level at the ready moment is the median over so long before and after it."""

_BEYOND_NOISE = 5.0
"""Of noise alone no mean of a second lies so many of its deviations away. [judged]"""

_SETTLED_SHARE = 0.05
_SETTLED_S = 10.0


@dataclass(frozen=True, slots=True)
class Rise:
    """One uninterrupted rise of power: begin and end in ns, and its height."""

    start_ns: int
    end_ns: int
    watts: float

    @property
    def is_step(self) -> bool:
        """Whether it is quick enough to be a step."""
        return self.end_ns - self.start_ns <= _LONGEST_STEP_S * SECOND


class StartTrace:
    """The sum of all feeds in bins of the slowest one's period.

    A bin without a sample of every feed is a gap; nothing is interpolated.

    Attributes:
        times: The middle of each bin in ns.
        watts: The sum of the feeds' means in it; NaN is a gap.
        bin_ns: Length of a bin.
    """

    def __init__(self, feeds: Sequence[Feed]) -> None:
        known = [(t[~np.isnan(v)], v[~np.isnan(v)]) for t, v in feeds]
        self.times: Times = np.array([], dtype=np.int64)
        self.watts: Floats = np.array([])
        self.bin_ns = 0
        if not known or any(times.size < 3 for times, _ in known):
            return
        self.bin_ns = int(max(np.median(np.diff(times)) for times, _ in known))
        start = max(int(times[0]) for times, _ in known) - self.bin_ns // 2
        end = min(int(times[-1]) for times, _ in known) + self.bin_ns // 2
        count = (end - start) // self.bin_ns
        if count < 3:
            return
        self.times = start + self.bin_ns * np.arange(count) + self.bin_ns // 2
        self.watts = sum(
            (
                _binned(times, values, start, self.bin_ns, count)
                for times, values in known
            ),
            np.zeros(count),
        )

    @property
    def noise(self) -> float:
        """Standard deviation of a bin, from second differences, whose drift cancels."""
        second = np.abs(np.diff(self.watts, 2))
        second = second[~np.isnan(second)]
        # Off there is hardly any noise; the noisier half is of the device on.
        upper = second[second >= np.median(second)] if second.size else second
        return float(np.median(upper)) / np.sqrt(6) if upper.size else 0.0

    def switched_on(self) -> tuple[int, float] | None:
        """Find when power left its level at the begin, and that level in W.

        None where the trace does not begin with the device off: less than a second
        of a level below a tenth of the highest power.
        """
        count = max(2, round(OFF_S * SECOND / self.bin_ns)) if self.bin_ns else 2
        first = self.watts[:count]
        known = first[~np.isnan(first)]
        if first.size < count or known.size < max(2.0, _LEAST_KNOWN * count):
            return None
        first = known
        off, highest = float(np.median(first)), float(np.nanmax(self.watts))
        most = off + 0.05 * (highest - off)
        if off > highest / 10 or first.max() > most:
            return None
        above = np.flatnonzero(self.watts > most)
        return int(self.times[above[0]] - self.bin_ns // 2), off

    def rises(
        self, on_ns: int, off_w: float, until_ns: int
    ) -> tuple[list[Rise], float]:
        """Find the distinct rises of power from the start until the device was ready.

        What rises later is its work, or that of its fans, and no part of its start.
        Bins are joined into a rise as long as each is higher than the one before by
        more than the noise; what rises by less than a share of the whole is left out.

        Returns:
            The rises, and what all rises come to in W, those that are left out and the
            level at the end among them: where the distinct ones do not add up to it,
            there were more than these.
        """
        times, watts = self._known
        first = max(1, int(np.searchsorted(times, on_ns)))
        last = min(times.size - 1, int(np.searchsorted(times, until_ns)))
        height = float(np.nanmax(self.watts)) - off_w
        least = max(_LEAST_SHARE * height, 4 * self.noise)
        steps = np.diff(watts, append=-np.inf) > 2 * self.noise
        rises_found: list[Rise] = []
        every = 0.0
        begin: int | None = None
        for index in range(first - 1, last + 1):
            if steps[index] and begin is None:
                begin = index
            elif not steps[index] and begin is not None:
                rise = float(watts[index] - watts[begin])
                every += rise if rise > 4 * self.noise else 0.0
                if rise >= least:
                    span = int(times[begin]), int(times[index])
                    rises_found.append(Rise(*span, rise))
                begin = None
        around = np.abs(times - until_ns) <= _LEVEL_S * SECOND
        level = float(np.median(watts[around])) if around.any() else off_w
        return rises_found, max(every, level - off_w)

    def settled_ns(self) -> int | None:
        """Find from when on power stays within 5 % of its level at the end.

        None where it does not do so for the last ten seconds of the trace at least, or
        goes on rising or falling in these.
        """
        times, watts = self._known
        last = times > self.times[-1] - _SETTLED_S * SECOND
        if not last.any():
            return None
        level = float(np.median(watts[last]))
        most = max(_SETTLED_SHARE * level, 3 * self.noise)
        early, late = (np.median(half) for half in np.array_split(watts[last], 2))
        if abs(late - early) > most / 2:
            return None
        gaps = np.diff(times, append=self.times[-1]) > _LONGEST_GAP_S * SECOND
        away = np.flatnonzero((np.abs(watts - level) > most) | gaps)
        if not away.size:
            return None
        begin = int(times[away[-1]]) + self.bin_ns // 2
        return begin if self.times[-1] - begin >= _SETTLED_S * SECOND else None

    def changed_until(self, since_ns: int) -> int | None:
        """Find until when power went on changing by less than tells when it settled.

        Means of a second are compared with those of the last ten seconds, beyond their
        noise and what they do in these: the last drives of many that spin up are each
        less than 5 % of the whole.

        Args:
            since_ns: From when on it stays within 5 % of its level at the end.

        Returns:
            None where it did not change any more.
        """
        times, watts = self._known
        count = max(1, round(SECOND / self.bin_ns))
        if times.size < 2 * count:
            return None
        means = np.convolve(watts, np.full(count, 1 / count), "valid")
        starts, ends = times[: means.size], times[count - 1 :]
        last = means[ends > self.times[-1] - _SETTLED_S * SECOND]
        level = float(np.median(last))
        most = _BEYOND_NOISE * self.noise / np.sqrt(count)
        most = max(most, float(np.abs(last - level).max()))
        away = np.flatnonzero((np.abs(means - level) > most) & (starts > since_ns))
        if not away.size:
            return None
        # Somewhere in the last second that differs it changed.
        return int(starts[away[-1]] + ends[away[-1]]) // 2

    @property
    def _known(self) -> tuple[Times, Floats]:
        """Times and watts of the bins that have a value."""
        known = ~np.isnan(self.watts)
        return self.times[known], self.watts[known]


def _binned(
    times: Times, values: Floats, start: int, bin_ns: int, count: int
) -> Floats:
    number = (times - start) // bin_ns
    inside = (number >= 0) & (number < count)
    sums = np.bincount(number[inside], values[inside], count)
    counts = np.bincount(number[inside], minlength=count)
    means: Floats = np.full(count, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


PEAK_WINDOWS_S = (0.1, 0.2, 0.5, 1.0, 5.0)
"""Peaks are quoted over these; a meter that is too slow for one has none there."""


def startup_results(
    session: Session, window: Window, ready_ns: int | None = None
) -> list[Result]:
    """Compute the start-up numbers of a session's power trace.

    Args:
        session: The session; call `refresh` first while it is recorded.
        window: From before the device was switched on until it has settled.
        ready_ns: When it was ready, where something else says so, such as the
            last drive that answered; else power has to settle.

    Returns:
        startup_peak_..., startup_steps, time_to_ready_s and energy_to_ready_wh. A
        value is None where the trace does not support it, and the note says why.
    """
    sources = {source.name: source for source in session.sources()}
    feeds = [
        samples_of(session, channel, window)
        for channel in channels_of(session.channels(), "P", "W")
        if sources[channel.source].section == "power"
        and sources[channel.source].measures == DUT
    ]
    if not feeds:
        return []
    return _peaks(feeds, window) + _course(feeds, window, ready_ns)


def _peaks(feeds: Sequence[Samples], window: Window) -> list[Result]:
    arrays = _arrays(feeds)
    found = []
    for seconds in PEAK_WINDOWS_S:
        peak = highest_mean(arrays, seconds)
        note = peak_note(arrays, seconds, peak)
        name = f"startup_peak_{round(1000 * seconds)}ms_w"
        found.append(result_of(name, peak, "W", window, feeds, note=note))
    return found


def _course(
    feeds: Sequence[Samples], window: Window, ready_ns: int | None
) -> list[Result]:
    trace = StartTrace(_arrays(feeds))
    on = trace.switched_on() if trace.times.size else None
    if on is None:
        why = "the trace does not start with the device off for a second"
        return [
            result_of(name, None, unit, window, feeds, note=why)
            for name, unit in (
                ("startup_steps", ""),
                ("time_to_ready_s", "s"),
                ("energy_to_ready_wh", "Wh"),
            )
        ]
    on_ns, _ = on
    return [
        _steps(trace, on, ready_ns or trace.settled_ns(), feeds, window),
        *_ready(trace, on_ns, feeds, window, ready_ns),
    ]


def _steps(
    trace: StartTrace,
    on: tuple[int, float],
    until_ns: int | None,
    feeds: Sequence[Samples],
    window: Window,
) -> Result:
    """Count the steps in which power rises: groups of drives that spin up."""
    name = "startup_steps"
    if until_ns is None:
        note = "the end of the start-up is unknown: power did not settle"
        return result_of(name, None, "", window, feeds, note=note)
    on_ns, off_w = on
    rises, every = trace.rises(on_ns, off_w, until_ns)
    smooth = [rise for rise in rises if not rise.is_step]
    if smooth:
        longest = max(rise.end_ns - rise.start_ns for rise in smooth) / SECOND
        note = f"power rises for {longest:.1f} s without distinct steps"
        return result_of(name, None, "", window, feeds, note=note)
    if not rises:
        note = "no rise exceeds the noise"
        return result_of(name, None, "", window, feeds, note=note)
    listed = ", ".join(
        f"{rise.watts:.0f} W after {(rise.end_ns - on_ns) / SECOND:.1f} s"
        for rise in rises[:12]
    )
    note = f"rises until it was ready, including the electronics: {listed}"
    found_w = sum(rise.watts for rise in rises)
    if found_w < _ADD_UP * every:
        note = (
            f"at least {len(rises)}: these are {found_w:.0f} W of the {every:.0f} W "
            f"that power rose by, others overlap or are too small; {note}"
        )
    if len(rises) > 12:
        note += f" and {len(rises) - 12} more"
    return result_of(name, float(len(rises)), "", window, feeds, note=note)


def _ready(
    trace: StartTrace,
    on_ns: int,
    feeds: Sequence[Samples],
    window: Window,
    ready_ns: int | None,
) -> list[Result]:
    how = "the given moment"
    if ready_ns is None:
        ready_ns = trace.settled_ns()
        how = "power within 5 % of its level at the end"
        changed_ns = None if ready_ns is None else trace.changed_until(ready_ns)
        if changed_ns is not None:
            seconds = (changed_ns - on_ns) / SECOND
            how += f"; at least, as it went on changing by less until {seconds:.1f} s"
    if ready_ns is None or ready_ns <= on_ns:
        note = "power did not settle for ten seconds"
        if ready_ns is not None:
            note = "it was ready before it was switched on"
        return [
            result_of("time_to_ready_s", None, "s", window, feeds, note=note),
            result_of("energy_to_ready_wh", None, "Wh", window, feeds, note=note),
        ]
    span = (on_ns, ready_ns)
    seconds = (ready_ns - on_ns) / SECOND
    energy = _energy_wh(feeds, span)
    note = f"from the rise of power to {how}"
    remark = f"{note}, trapezoids between real samples"
    if energy is None:
        remark = "samples are missing in between"
    return [
        result_of("time_to_ready_s", seconds, "s", span, feeds, note=note),
        result_of("energy_to_ready_wh", energy, "Wh", span, feeds, note=remark),
    ]


def _energy_wh(feeds: Sequence[Samples], span: Window) -> float | None:
    """Integrate each feed by trapezoids; None over a gap."""
    total = 0.0
    for part in feeds:
        step = part.channel.period_ns
        near = (part.times >= span[0] - step) & (part.times <= span[1] + step)
        times, values = part.times[near], part.values[near]
        if times.size < 3 or np.diff(times).max() > MISSED_PERIODS * step:
            return None
        if times[0] > span[0] + step or times[-1] < span[1] - step:
            return None
        total += float(trapezoids(times, span, step) @ values) / SECOND / 3600
    return total


def _arrays(feeds: Sequence[Samples]) -> list[Feed]:
    return [(part.times, part.values) for part in feeds]
