"""The valid samples of a channel in a window."""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from app.analysis.frozen import VARYING, measured
from app.record.store import Session, Trace, Window
from instruments.reading import EXCUSED, MISSED_PERIODS, SECOND, Channel, Status

Floats = npt.NDArray[np.float64]
Times = npt.NDArray[np.int64]

_REACH_NS = 15 * SECOND
"""At least so far beyond a window documents are looked for that reach into it."""

_SLOW = 20
"""Up to this many expected samples one that fell outside the window is not missed."""

NEAR = 0.75
"""Of a period: a value so close to another is of the same time, and one a whole period
away is not."""


_MOST_RECENT = 1_000_000
"""So many samples are kept at hand for whoever asks for them again: 24 MB."""

_MOST_WINDOWS = 500
"""And of so many channels and windows, for one without samples takes room as well."""

_UNLIKE = 0.01
"""By so much what lies beside the gaps may move a mean that leaves them out."""


@dataclass(frozen=True, slots=True)
class Samples:
    """The valid samples of one channel in one window."""

    channel: Channel
    times: Times  # their times in ns
    values: Floats  # one value a time
    # how many the channel's nominal period promises, without the times in which there
    # was nothing to measure
    expected: int
    # how long in ns each reading took; none where that is not known
    spans: Floats = field(default_factory=lambda: np.empty(0))
    # whether each tells of all of its span, as a document of a load does; one at an
    # edge of the window is cut there, and its time is the middle of what is left
    is_told: bool = False
    length_ns: int = 0  # of the window, which may be shorter than a document

    @property
    def mean(self) -> float | None:
        """The mean over the time that is known, None where there is none.

        Power, voltage and current: by trapezoids between readings that follow each
        other; what lies in a gap is left out. Where readings beside the gaps say that
        it may have been unlike the rest by more than 1 % of the mean, the mean is not
        known. What a load did is told in documents, and each counts by its length.
        """
        if not self.values.size:
            return None
        if self.channel.unit not in VARYING:
            return float(np.average(self.values, weights=self.lengths))
        period = float(self.channel.period_ns)
        apart = np.diff(self.times).astype(np.float64)
        mean = self._by_time(np.where(apart <= MISSED_PERIODS * period, apart, period))
        bridged = self._by_time(apart)
        return mean if abs(mean - bridged) <= _UNLIKE * abs(bridged) else None

    @property
    def share(self) -> float:
        """How much of what is expected is there, 0 to 1.

        A document of a load covers all of its length, also where it is late.
        """
        known = float(self.values.size)
        if self.is_told and self.expected:
            promised = self.expected * min(self.channel.period_ns, self.length_ns)
            return min(1.0, float(self.spans.sum()) / promised)
        if self._has_spans and self.channel.unit not in VARYING:
            known = max(known, float(self.spans.sum()) / self.channel.period_ns)
        return min(1.0, known / self.expected) if self.expected else 0.0

    @property
    def lengths(self) -> Floats:
        """What each weighs as a document of a load: its length, else all the same."""
        return self.spans if self._has_spans else np.ones(self.values.size)

    @property
    def _has_spans(self) -> bool:
        return bool(self.spans.size and self.spans.all())

    @property
    def weights(self) -> Floats:
        """For how long each counts, in ns; nothing is said of what lies in a gap.

        Of power, voltage and current half the time to the neighbours; a document of a
        load covers its length; what is read in a moment counts for a period.
        """
        period = float(self.channel.period_ns)
        if self.channel.unit not in VARYING:
            usual = float(np.median(self.lengths)) if self.values.size else period
            is_whole = self.is_told or (self._has_spans and usual >= period / 2)
            return self.lengths * (1 if is_whole else period / usual)
        apart = np.diff(self.times).astype(np.float64)
        return (
            self._around(np.where(apart <= MISSED_PERIODS * period, apart, period)) / 2
        )

    def _by_time(self, apart: Floats) -> float:
        """Weigh samples by half the time to their neighbours, half a period outside."""
        return float(np.average(self.values, weights=self._around(apart)))

    def _around(self, apart: Floats) -> Floats:
        edge = float(self.channel.period_ns)
        around = np.concatenate(([edge], apart, [edge]))
        return np.asarray(around[:-1] + around[1:], dtype=np.float64)

    def at(self, chosen: npt.NDArray[np.bool_]) -> "Samples":
        """Keep some of them."""
        spans = self.spans[chosen] if self.spans.size else self.spans
        return replace(
            self, times=self.times[chosen], values=self.values[chosen], spans=spans
        )


def channels_of(channels: Iterable[Channel], quantity: str, unit: str) -> list[Channel]:
    """Pick the channels of one quantity in one unit."""
    return [c for c in channels if c.quantity == quantity and c.unit == unit]


class Recent:
    """The samples that were asked for last: a row takes those of power five times.

    A session has one, see `Session.once_at_all`. What is shown with other clock offsets
    is other samples, which count with the rest.
    """

    def __init__(self, _: Session) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[tuple[object, ...], Samples] = OrderedDict()
        self._size = 0  # of all of them together

    def __len__(self) -> int:
        return len(self._found)

    def get(self, session: Session, channel: Channel, window: Window) -> Samples:
        """Get those of a channel in a window; see `samples_of`."""
        key = channel, window, session.shown_offsets
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        found = _samples_of(session, channel, window)
        with self._lock:
            if key not in self._found:  # Another thread may have been faster.
                self._found[key] = found
                self._size += found.values.size
            while self._size > _MOST_RECENT or len(self._found) > _MOST_WINDOWS:
                _, oldest = self._found.popitem(last=False)
                self._size -= oldest.values.size
        return found


def samples_of(session: Session, channel: Channel, window: Window) -> Samples:
    """Get the valid samples of a channel in a window, its end excluded.

    Documents of a load count with as much of their spans as lies in the window. Of
    others, those of a display that turned out to be frozen are none. The second one of
    a moment is none, nor is any where two of a moment differ. Others are given the same
    arrays, which cannot be changed.
    """
    return session.once_at_all(Recent).get(session, channel, window)


def _samples_of(session: Session, channel: Channel, window: Window) -> Samples:
    is_load = session.once_at_all(_section_of, channel.source) == "load"
    reach = reaching(window, channel.period_ns) if is_load else window
    trace = session.trace(channel, reach, None)
    told = told_part(trace, window, channel.period_ns) if is_load else None
    trace = told or trace
    valid = (trace.times >= window[0]) & (trace.times < window[1])
    valid &= ~np.isnan(trace.mean)
    valid &= measured(session, channel, window, trace.times)
    _keep_one_of_a_moment(valid, trace.times, trace.mean)
    times, spans = trace.times[valid], trace.spans[valid]
    is_told = told is not None
    expected = max(1, round((window[1] - window[0]) / channel.period_ns))
    count = times.size
    if is_told:
        count = max(min(1, count), round(float(spans.sum()) / channel.period_ns))
    if count < expected:
        expected = _without_excused(session, channel, window, expected, count)
    if not is_told and _misses_an_edge(times, expected, channel.period_ns):
        expected -= 1
    arrays = times, trace.mean[valid], spans
    for array in arrays:
        array.flags.writeable = False
    length_ns = window[1] - window[0]
    return Samples(channel, *arrays[:2], expected, arrays[2], is_told, length_ns)


def _section_of(session: Session, source: str) -> str:
    return next(one.section for one in session.sources() if one.name == source)


def reaching(window: Window, period_ns: int) -> Window:
    """Get the window in which documents are looked for that reach into another one.

    Args:
        window: That other one, in ns.
        period_ns: How often the coarsest of it is told.
    """
    reach = max(_REACH_NS, period_ns)
    return window[0] - reach, window[1] + reach


def told_part(trace: Trace, window: Window, period_ns: int) -> Trace | None:
    """Cut documents of a load at the edges of a window.

    Each tells of all of its span; its time is the middle of what is left of it.

    Args:
        trace: What was told, also of what lies up to `reaching` beyond.
        window: The window, in ns.
        period_ns: How often the finest of it is told.

    Returns:
        None where its readings are not of spans that follow each other.
    """
    if not trace.spans.size:
        return None
    starts, ends = trace.times - trace.spans / 2, trace.times + trace.spans / 2
    inside = (ends > window[0]) & (starts < window[1]) & ~np.isnan(trace.mean)
    whole = trace.spans[inside]
    if not (whole.size and whole.all() and np.median(whole) >= period_ns / 2):
        return None
    starts = np.maximum(starts[inside], window[0])
    ends = np.minimum(ends[inside], window[1])
    return replace(
        trace,
        times=((starts + ends) / 2).astype(np.int64),
        low=trace.low[inside],
        high=trace.high[inside],
        mean=trace.mean[inside],
        spans=ends - starts,
    )


def _keep_one_of_a_moment(
    valid: npt.NDArray[np.bool_], times: Times, values: Floats
) -> None:
    """Leave out all but one reading of a moment, and all where they contradict.

    A log that tells a row twice makes no second reading; of two values at one moment
    nobody knows which holds.
    """
    places = np.flatnonzero(valid)
    firsts = np.flatnonzero(np.diff(times[places], prepend=times[places][:1] - 1))
    if firsts.size == places.size:
        return
    own = values[places]
    valid[places] = False
    valid[places[firsts]] = np.minimum.reduceat(own, firsts) == np.maximum.reduceat(
        own, firsts
    )


def _without_excused(
    session: Session, channel: Channel, window: Window, expected: int, valid: int
) -> int:
    """Leave out the beats at which a channel said that there was nothing to measure.

    Such a time is known only from the first beat on at which it was said: a beat at
    either end of it is not missed, and without any value none at all is.
    """
    gaps = session.gaps(channel.name, window)
    spans = [
        min(gap.end_ns, window[1]) - max(gap.start_ns, window[0])
        for gap in gaps
        if gap.reason in EXCUSED
    ]
    if not valid and gaps and never_was(session, channel, window[1]):
        return 0
    if not spans:
        return expected
    if not valid and len(spans) == len(gaps):
        return 0
    left = expected - round(sum(spans) / channel.period_ns)
    return valid if left - valid <= 2 * len(spans) else left


def ever_known(session: Session, channel: Channel, until_ns: int) -> bool:
    """Tell whether a channel has had a value in a session up to a moment."""
    start, _ = session.extent()
    if start >= until_ns:
        return False
    return not np.isnan(session.trace(channel, (start, until_ns), 1).mean).all()


def never_was(session: Session, channel: Channel, until_ns: int) -> bool:
    """Tell whether a channel is of a sensor that there has never been in a session.

    Its source said so, and it never had a value: it is not missed where its source
    drops out.
    """
    if ever_known(session, channel, until_ns):
        return False
    start, _ = session.extent()
    gaps = session.gaps(channel.name, (start, until_ns))
    return any(gap.reason in (Status.ABSENT, Status.UNSUPPORTED) for gap in gaps)


def _misses_an_edge(times: Times, expected: int, period_ns: int) -> bool:
    """Tell whether the one sample that lacks only lies beside the window.

    A channel is not read in step with the window: of a slow one a whole sample fewer
    may lie in it. Where one lacks between two others it is missed.
    """
    if not 0 < times.size == expected - 1 < _SLOW:
        return False
    return times.size == 1 or int(np.diff(times).max()) <= 1.5 * period_ns


def over_range(session: Session, channels: Iterable[Channel], window: Window) -> float:
    """Get for how many seconds a value lacks what a meter had over range.

    What was above the range is not in its mean, nor in the sum of an integrator.
    """
    spans = [
        sum(
            min(gap.end_ns, window[1]) - max(gap.start_ns, window[0])
            for gap in session.gaps(channel.name, window)
            if gap.reason == Status.OVERRANGE
        )
        for channel in channels
    ]
    return max([0, *spans]) / SECOND
