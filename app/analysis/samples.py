"""The valid samples of a channel in a window, and results made of them."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from app.analysis.frozen import VARYING, measured
from app.record.store import Result, Session, Window
from instruments.reading import EXCUSED, MISSED_PERIODS, SECOND, Channel, Status

Floats = npt.NDArray[np.float64]
Times = npt.NDArray[np.int64]

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
            is_whole = self._has_spans and usual >= period / 2
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

    Those of a display that turned out to be frozen are none, nor is the second one of a
    moment, nor any where two of a moment differ. Others are given the same arrays,
    which cannot be changed.
    """
    return session.once_at_all(Recent).get(session, channel, window)


def _samples_of(session: Session, channel: Channel, window: Window) -> Samples:
    trace = session.trace(channel, window, None)
    inside = (trace.times >= window[0]) & (trace.times < window[1])
    valid = inside & ~np.isnan(trace.mean)
    valid &= measured(session, channel, window, trace.times)
    _keep_one_of_a_moment(valid, trace.times, trace.mean)
    times = trace.times[valid]
    expected = max(1, round((window[1] - window[0]) / channel.period_ns))
    if times.size < expected:
        expected = _without_excused(session, channel, window, expected, times.size)
    if _misses_an_edge(times, expected, channel.period_ns):
        expected -= 1
    arrays = times, trace.mean[valid], trace.spans[valid]
    for array in arrays:
        array.flags.writeable = False
    return Samples(channel, *arrays[:2], expected, arrays[2])


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


def sum_of_means(samples: Sequence[Samples]) -> float | None:
    """Add up the means of the feeds, see `together`; None where the sum is unknown."""
    means = [part.mean for part in samples]
    known = [mean for mean in means if mean is not None]
    return sum(known) if means and len(known) == len(means) else None


def together(samples: Sequence[Samples]) -> list[Samples]:
    """Keep what was measured while all channels had a value.

    A sum, and a ratio, is known only then: one feed that is gone while the load is
    high would have its mean of another load.
    """
    if len(samples) < 2:
        return list(samples)
    near = NEAR * max(part.channel.period_ns for part in samples)
    kept = []
    for part in samples:
        known = np.ones(part.times.size, dtype=bool)
        for other in samples:
            known &= _nearest(part.times, other.times) <= near
        kept.append(part.at(known))
    return kept


def known_together(samples: Sequence[Samples]) -> tuple[int, int]:
    """Count the moments at which all channels have a value, and those expected.

    A sum is known only there. The slowest channel sets the beat, so that none counts
    more for being read more often.

    Returns:
        How many moments are known, and how many are expected.
    """
    promised = [part for part in samples if part.expected]
    if not promised:
        return 0, 0
    slowest = min(promised, key=lambda part: part.expected)
    known = np.ones(slowest.times.size, dtype=bool)
    for part in promised:
        if part is slowest:
            continue
        distance = _nearest(slowest.times, part.times)
        known &= distance <= NEAR * slowest.channel.period_ns
    least = min(part.times.size / part.expected for part in promised)
    return min(int(known.sum()), round(least * slowest.expected)), slowest.expected


def summed(samples: Sequence[Samples]) -> Samples | None:
    """Add up feeds, reading by reading of the one with the fewest; None for none."""
    parts = together(samples)
    if not parts or not all(part.values.size for part in parts):
        return None
    slowest = min(parts, key=lambda part: part.values.size)
    values = [part.values[nearest(part.times, slowest.times)] for part in parts]
    return replace(slowest, values=np.sum(values, axis=0))


def nearest(times: Times, others: Times) -> npt.NDArray[np.intp]:
    """Get which of some times, of which there are any, is the nearest to each other."""
    after = np.minimum(np.searchsorted(times, others), times.size - 1)
    before = np.maximum(after - 1, 0)
    is_before = others - times[before] <= times[after] - others
    return np.where(is_before, before, after)


def _nearest(times: Times, others: Times) -> Floats:
    """Get how far the nearest of other times is from each, in ns."""
    if not others.size:
        return np.full(times.size, np.inf)
    apart = np.abs(others[nearest(others, times)] - times)
    return np.asarray(apart, dtype=np.float64)


def result_of(
    name: str,
    value: float | None,
    unit: str,
    window: Window,
    samples: Sequence[Samples],
    *,
    note: str = "",
    over_range_s: float = 0.0,
) -> Result:
    """Make a result that counts the moments at which all its channels are known."""
    valid, expected = known_together(samples)
    return Result(
        name,
        value,
        unit,
        *window,
        n_valid=valid,
        n_expected=expected,
        origin=_origin(samples),
        note=note,
        channels=tuple(part.channel for part in samples),
        over_range_s=over_range_s,
    )


def _origin(samples: Sequence[Samples]) -> str:
    names = [part.channel.name for part in samples]
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} .. {names[-1]}"
