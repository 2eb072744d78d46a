"""The valid samples of a channel in a window, and results made of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.analysis.result import Result
from app.record.store import Session, Window
from instruments.reading import Channel

Floats = npt.NDArray[np.float64]
Times = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Samples:
    """The valid samples of one channel in one window.

    Attributes:
        channel: The channel.
        times: Their times in ns.
        values: One value a time.
        expected: How many the channel's nominal period promises.
    """

    channel: Channel
    times: Times
    values: Floats
    expected: int


def channels_of(channels: Iterable[Channel], quantity: str, unit: str) -> list[Channel]:
    """Pick the channels of one quantity in one unit."""
    return [c for c in channels if c.quantity == quantity and c.unit == unit]


def samples_of(session: Session, channel: Channel, window: Window) -> Samples:
    """Get the valid samples of a channel in a window, its end excluded."""
    trace = session.trace(channel, window, None)
    inside = (trace.times >= window[0]) & (trace.times < window[1])
    valid = inside & ~np.isnan(trace.mean)
    expected = max(1, round((window[1] - window[0]) / channel.period_ns))
    return Samples(channel, trace.times[valid], trace.mean[valid], expected)


def sum_of_means(samples: Sequence[Samples]) -> float | None:
    """Add up the feeds; a feed without a sample leaves the sum unknown."""
    if not samples or any(not part.values.size for part in samples):
        return None
    return float(sum(part.values.mean() for part in samples))


def result_of(
    name: str,
    value: float | None,
    unit: str,
    window: Window,
    samples: Sequence[Samples],
    *,
    note: str = "",
) -> Result:
    """Make a result that counts the samples it is made of."""
    return Result(
        name,
        value,
        unit,
        *window,
        n_valid=sum(part.values.size for part in samples),
        n_expected=sum(part.expected for part in samples),
        origin=_origin(samples),
        note=note,
    )


def _origin(samples: Sequence[Samples]) -> str:
    names = [part.channel.name for part in samples]
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} .. {names[-1]}"
