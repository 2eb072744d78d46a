"""The valid samples of a channel in a window."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from app.analysis.frozen import VARYING, measured
from app.analysis.trapezoid import Weighed, beyond, trapezoids
from app.record.store import Session, Trace, Window
from instruments.reading import EXCUSED, SECOND, Channel, Status

Floats = npt.NDArray[np.float64]
Times = npt.NDArray[np.int64]

_REACH_NS = 15 * SECOND
"""At least so far beyond a window documents are looked for that reach into it, and
before it the last reading of power."""

_FAR_BEATS = 10
"""At least so many beats before a window the last reading of power is looked for."""

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
    window: Window  # start and end in ns
    # how long in ns each reading took; none where that is not known
    spans: Floats = field(default_factory=lambda: np.empty(0))
    # whether each tells of all of its span, as a document of a load does; one at an
    # edge of the window is cut there, and its time is the middle of what is left
    is_of_documents: bool = False
    # time and value of the last sample before the window and of the first one from its
    # end on, between which and those in it what varies goes straight over its edges
    before: tuple[int, float] | None = None
    after: tuple[int, float] | None = None
    # whether it is known between its samples; None: where its unit says so
    varies: bool | None = None

    @property
    def mean(self) -> float | None:
        """The mean over the time that is known, None where there is none.

        Power, voltage and current: by trapezoids between readings that follow each
        other, cut at the edges of the window; what lies in a gap is left out. Where
        readings beside the gaps say that it may have been unlike the rest by more than
        1 % of the mean, the mean is not known. What a load did is told in documents,
        and each counts by its length.
        """
        if not self.values.size:
            return None
        if not self.is_varying:
            return float(np.average(self.values, weights=self.lengths))
        mean, bridged = self.weighed.mean, self._weighed(bridged=True).mean
        return mean if abs(mean - bridged) <= _UNLIKE * abs(bridged) else None

    @property
    def share(self) -> float:
        """How much of what is expected is there, 0 to 1.

        A document of a load covers all of its length, also where it is late.
        """
        known = float(self.values.size)
        if self.is_of_documents and self.expected:
            length = self.window[1] - self.window[0]
            promised = self.expected * min(self.channel.period_ns, length)
            return min(1.0, float(self.spans.sum()) / promised)
        if self._has_spans and not self.is_varying:
            known = max(known, float(self.spans.sum()) / self.channel.period_ns)
        return min(1.0, known / self.expected) if self.expected else 0.0

    @property
    def lengths(self) -> Floats:
        """What each weighs as a document of a load: its length, else all the same."""
        return self.spans if self._has_spans else np.ones(self.values.size)

    @property
    def is_varying(self) -> bool:
        """Whether it goes straight from one sample to the next, as power does."""
        return self.channel.unit in VARYING if self.varies is None else self.varies

    @property
    def _has_spans(self) -> bool:
        return bool(self.spans.size and self.spans.all())

    @property
    def weighed(self) -> Weighed:
        """What counts, and for how long; nothing is said of what lies in a gap.

        A document of a load covers its length; what is read in a moment counts for a
        period. Of what varies see `trapezoids`.
        """
        if self.is_varying:
            return self._weighed()
        period = float(self.channel.period_ns)
        usual = float(np.median(self.lengths)) if self.values.size else period
        is_whole = self.is_of_documents or (self._has_spans and usual >= period / 2)
        weights = self.lengths if is_whole else np.full(self.values.size, period)
        return Weighed(self.times, self.values, weights)

    def _weighed(self, *, bridged: bool = False) -> Weighed:
        times, values = self.all_times, self.all_values
        period = self.channel.period_ns
        weights = trapezoids(times, self.window, period, bridged=bridged)
        return Weighed(times, values, weights)

    @property
    def all_times(self) -> Times:
        """The times, with those just beyond the window."""
        before, after = self._beyond
        sides = [np.array([t for t, _ in one], np.int64) for one in (before, after)]
        return np.concatenate((sides[0], self.times, sides[1]))

    @property
    def all_values(self) -> Floats:
        """The values, with those just beyond the window."""
        before, after = ([value for _, value in one] for one in self._beyond)
        return np.concatenate((before, self.values, after))

    @property
    def _beyond(self) -> tuple[Sequence[tuple[int, float]], ...]:
        return tuple(() if one is None else (one,) for one in (self.before, self.after))

    def at(self, chosen: npt.NDArray[np.bool_]) -> "Samples":
        """Keep some of them; those just beyond the window are chosen among them."""
        first = self.before is not None
        inside = chosen[first : first + self.times.size]
        spans = self.spans[inside] if self.spans.size else self.spans
        kept = self.holding(self.all_times[chosen], self.all_values[chosen])
        return replace(kept, spans=spans)

    def holding(self, times: Times, values: Floats) -> "Samples":
        """Put others in their place; those before and after the window are put aside.

        Args:
            times: In ns, rising.
            values: One a time; how long each took to read is not known.
        """
        first, last = np.searchsorted(times, self.window)
        sides = [
            (int(times[place]), float(values[place]))
            if 0 <= place < times.size
            else None
            for place in (first - 1, last)
        ]
        return replace(
            self,
            times=times[first:last],
            values=values[first:last],
            spans=np.empty(0),
            before=sides[0],
            after=sides[1],
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
    a moment is none, nor is any where two of a moment differ. Of power, voltage and
    current those just beyond the window are there as well. Others are given the same
    arrays, which cannot be changed.
    """
    return session.once_at_all(Recent).get(session, channel, window)


def _samples_of(session: Session, channel: Channel, window: Window) -> Samples:
    is_load = session.once_at_all(_section_of, channel.source) == "load"
    wide = _around(channel, window, is_load=is_load)
    trace = session.trace(channel, wide, None)
    documents = cut_documents(trace, window, channel.period_ns) if is_load else None
    trace = documents or trace
    valid = (trace.times >= wide[0]) & (trace.times < wide[1])
    valid &= ~np.isnan(trace.mean)
    valid &= measured(session, channel, wide, trace.times)
    _keep_one_of_a_moment(valid, trace.times, trace.mean)
    nothing = Samples(channel, trace.times[:0], trace.mean[:0], 0, window)
    is_of_documents = documents is not None
    found = nothing.holding(trace.times[valid], trace.mean[valid])
    if channel.unit not in VARYING:
        found = replace(found, before=None, after=None)
    times = found.times
    valid &= (trace.times >= window[0]) & (trace.times < window[1])
    spans = trace.spans[valid]
    expected = max(1, round((window[1] - window[0]) / channel.period_ns))
    count = times.size
    if is_of_documents:
        count = max(min(1, count), round(float(spans.sum()) / channel.period_ns))
    if count < expected:
        expected = _without_excused(session, channel, window, expected, count)
    if not is_of_documents and _misses_an_edge(times, expected, channel.period_ns):
        expected -= 1
    for array in (times, found.values, spans):
        array.flags.writeable = False
    return replace(
        found, expected=expected, spans=spans, is_of_documents=is_of_documents
    )


def _around(channel: Channel, window: Window, *, is_load: bool) -> Window:
    """Get where what tells of a window is looked for."""
    if is_load:
        return reaching(window, channel.period_ns)
    reach = beyond(channel.period_ns) if channel.unit in VARYING else 0
    # What was read before a gap says what may lack behind it. Of one at the end nothing
    # is waited for, so that what comes later must not count either.
    earlier = max(_REACH_NS, _FAR_BEATS * channel.period_ns) if reach else 0
    return window[0] - earlier, window[1] + reach


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


def cut_documents(trace: Trace, window: Window, period_ns: int) -> Trace | None:
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
