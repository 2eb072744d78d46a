"""The temperature of the air that goes in: the mean of all sensors that tell it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.analysis.result import Result
from app.analysis.samples import Samples, ever_known, result_of, samples_of
from app.record.store import Session, Window
from instruments.reading import Channel

AMBIENT_LOCATIONS = ("inlet", "ambient", "room")

_WHOLE = 0.95
"""A sensor that is there for less than this share of the window is named."""


@dataclass(frozen=True, slots=True)
class _Sensor:
    """One sensor in the window.

    Attributes:
        samples: Its values.
        expected: How many there are where it is there all the time.
    """

    samples: Samples
    expected: int

    @property
    def share(self) -> float:
        """The share of the window in which it is there."""
        return min(1.0, self.samples.values.size / self.expected)


def ambient_result(
    session: Session, channels: Sequence[Channel], window: Window
) -> list[Result]:
    """Average the sensors of the ambient, each by its own mean over the window.

    So none counts more for being read more often, and one that drops out does not
    shift those that stay. A sensor that has had values in the session is missed where
    it has none, whatever reason it gives.

    Args:
        session: The session.
        channels: The sensors.
        window: Start and end in monotonic ns.
    """
    if not channels:
        return []
    all_samples = [samples_of(session, channel, window) for channel in channels]
    sensors = [
        sensor
        for samples in all_samples
        if (sensor := _sensor(session, samples, window)).expected
    ]
    means = [float(s.samples.values.mean()) for s in sensors if s.samples.values.size]
    value = float(np.mean(means)) if means else None
    result = result_of("ambient_c", value, "degC", window, all_samples)
    expected = sum(sensor.expected for sensor in sensors)
    share = float(np.mean([s.share for s in sensors])) if sensors else 0.0
    return [
        replace(
            result,
            n_valid=round(share * expected),
            n_expected=expected,
            note=_note(sensors) if means else "",
        )
    ]


def _sensor(session: Session, samples: Samples, window: Window) -> _Sensor:
    nominal = round((window[1] - window[0]) / samples.channel.period_ns)
    is_short = samples.values.size < nominal - 1
    if is_short and ever_known(session, samples.channel, window[1]):
        return _Sensor(samples, nominal)
    return _Sensor(samples, samples.expected)


def _note(sensors: Sequence[_Sensor]) -> str:
    """Name the sensors that were not there all the time; "" for none."""
    gone = [
        f"{sensor.samples.channel.name} in {100 * sensor.share:.0f} % of the time"
        for sensor in sensors
        if sensor.share < _WHOLE
    ]
    if not gone:
        return ""
    return f"mean of {len(sensors)} sensors, but only with {', '.join(gone)}"
