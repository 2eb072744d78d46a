"""Rounds of a session: the means of performance, power and temperature in each."""

from collections.abc import Sequence

import numpy as np

from app.analysis.feeds import known_together, sum_of_means, together
from app.analysis.results import DRIVE_LOCATIONS, whole_loads
from app.analysis.samples import Samples, channels_of, samples_of
from app.analysis.steady.state import SLACK, Quantity
from app.analysis.trapezoid import beyond
from app.record.store import Session, Window
from instruments.base import DUT
from instruments.reading import SECOND, Channel

PERFORMANCE, POWER, TEMPERATURE = "performance", "power", "temperature"
NEAR_NS = 10 * SECOND
"""So late a document of a load may be that tells of a round, beside its length."""

LEAST_SHARE = 0.5
"""A round in which fewer of the expected samples are values has no mean."""


class Rounds:
    """What of a session is judged for a steady state.

    Performance is the sum of all transfers a second, power the sum of the feeds of the
    device under test, temperature that of its hottest drive.

    Args:
        session: The session; call `refresh` before `means` while it is recorded.
        since_ns: When the load began: what it did since then it does; None where only
            the round itself shows that.

    Attributes:
        drives: The temperatures of the drives of the device under test.
    """

    def __init__(self, session: Session, since_ns: int | None = None) -> None:
        self._session = session
        self._since = since_ns
        sources = {source.name: source for source in session.sources()}
        channels = session.channels()
        of_dut = [c for c in channels if sources[c.source].measures == DUT]
        loads = {name for name, one in sources.items() if one.section == "load"}
        whole = whole_loads(channels, loads)
        # What goes one way only may tell no directions.
        self._loads = [c for c in whole if c.quantity.endswith("_iops")] or [
            c for c in whole if c.quantity == "iops"
        ]
        self._feeds = [
            c
            for c in channels_of(of_dut, "P", "W")
            if sources[c.source].section == "power"
        ]
        self.drives = tuple(
            c
            for c in channels_of(of_dut, "temperature", "degC")
            if c.location.startswith(DRIVE_LOCATIONS)
        )

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """What there is to be judged."""
        known = (
            (self._loads, Quantity(PERFORMANCE, "1/s")),
            (self._feeds, Quantity(POWER, "W")),
            (self.drives, Quantity(TEMPERATURE, "degC")),
        )
        return tuple(quantity for channels, quantity in known if channels)

    @property
    def sources(self) -> frozenset[str]:
        """Which meters and sensors are read, beside the load."""
        return frozenset(channel.source for channel in (*self._feeds, *self.drives))

    def means(self, window: Window) -> dict[str, float]:
        """Get the means over one round; what has too few samples is left out."""
        found: dict[str, float | None] = {
            PERFORMANCE: self._performance(window),
            POWER: self._power(window),
            TEMPERATURE: max(
                (
                    float(part.values.mean())
                    for part in self._samples(self.drives, window)
                    if _is_whole(part)
                ),
                default=None,
            ),
        }
        return {name: value for name, value in found.items() if value is not None}

    def has_documents_until(self, until_ns: int, now_ns: int) -> bool:
        """Tell whether all that the load does is stored up to a moment, or too late.

        While it has told nothing at all since it began, no round of it can be judged.
        """
        if self._since is None:
            return True
        so_far = self._since, max(until_ns, now_ns)
        used = [load for load in self._loads if self._is_used(load, so_far)]
        return bool(used) and all(
            now_ns >= until_ns + _near(load)
            or _documents_end(self._session, load, until_ns) >= until_ns
            for load in used
        )

    def has_power_until(self, until_ns: int, now_ns: int) -> bool:
        """Tell whether power is stored up to a moment and at it, or too late."""
        return all(
            now_ns >= until_ns + reach
            or samples_of(self._session, feed, (until_ns, until_ns + reach)).values.size
            for feed in self._feeds
            if (reach := beyond(feed.period_ns))
        )

    def _performance(self, window: Window) -> float | None:
        """Add up what the load does; one direction without a mean leaves no sum."""
        used = [load for load in self._loads if self._is_used(load, window)]
        return _sum(self._samples(used, window))

    def _is_used(self, channel: Channel, window: Window) -> bool:
        """Tell whether the load does this: the channels are those of the session."""
        since = min(window[0], window[0] if self._since is None else self._since)
        found = self._session.trace(channel, (since, window[1]), 1)
        if not np.isnan(found.mean).all():
            return True
        # The middle of a long document lies beyond what it begins with.
        return bool(samples_of(self._session, channel, window).values.size)

    def _power(self, window: Window) -> float | None:
        """Add up the feeds as the result does, while all of them were read."""
        feeds = self._samples(self._feeds, window)
        valid, expected = known_together(feeds)
        return _sum(together(feeds)) if valid >= LEAST_SHARE * expected else None

    def _samples(self, channels: Sequence[Channel], window: Window) -> list[Samples]:
        return [samples_of(self._session, channel, window) for channel in channels]


def _near(channel: Channel) -> int:
    """Get how far from a moment the end of the document may be that tells of it."""
    return NEAR_NS + channel.period_ns


def _documents_end(session: Session, channel: Channel, around_ns: int) -> float:
    """Get until when the last reading tells that there is about a moment."""
    near = around_ns - _near(channel), around_ns + _near(channel)
    trace = session.trace(channel, near, None)
    return float(np.max(trace.times + np.nan_to_num(trace.spans) / 2, initial=0))


_NAMES = {"iops": PERFORMANCE, "power": POWER, "temperature": TEMPERATURE}
_UNITS = {PERFORMANCE: "1/s", POWER: "W", TEMPERATURE: "degC"}


def quantities_of(
    names: Sequence[str], session: Session, *, is_load: bool
) -> tuple[Quantity, ...]:
    """Get what is judged: what a plan names, else what the bench measures."""
    if names:
        return tuple(Quantity(_NAMES[n], _UNITS[_NAMES[n]]) for n in names)
    found = Rounds(session).quantities
    return tuple(one for one in found if is_load or one.name != PERFORMANCE)


def _is_whole(samples: Samples) -> bool:
    return bool(samples.values.size) and samples.share >= LEAST_SHARE


def _sum(parts: Sequence[Samples]) -> float | None:
    return sum_of_means(parts) if all(_is_whole(part) for part in parts) else None


def rounds_within(window: Window, length_ns: int) -> int:
    """Count the rounds that a load did, of the last one all but SLACK."""
    done = window[1] - window[0] + round(SLACK * length_ns)
    return max(0, done // length_ns)


def rounds_of(window: Window, round_s: float) -> list[Window]:
    """Cut a window into whole rounds; what is left at its end is not a round."""
    length = round(round_s * SECOND)
    count = (window[1] - window[0]) // length
    return [
        (window[0] + number * length, window[0] + (number + 1) * length)
        for number in range(count)
    ]
