"""The temperature of the air that goes in: the mean of all sensors that tell it."""

import re
from collections.abc import Sequence

import numpy as np

from app.analysis.feeds import Sensor, counted, result_of
from app.analysis.samples import Samples, ever_known, samples_of
from app.record.store import Result, Session, Window
from instruments.files.foreign_text import stored_table
from instruments.reading import Channel

AMBIENT_LOCATIONS = ("inlet", "ambient", "room")
"""Where a sensor of the ambient is, where the bench does not say which one it is."""

_AMBIENT = re.compile(rf"(?:{'|'.join(AMBIENT_LOCATIONS)})(?:[-_]?\d{{1,3}})?")
"""One of several has a number; "inlet-temperature" is the name of a supply's inlet."""


def ambient_channels(
    channels: Sequence[Channel], chosen: Sequence[str]
) -> list[Channel]:
    """Pick the sensors of the ambient among some channels.

    Args:
        channels: All channels.
        chosen: Those that the bench names in `[dut] ambient`; none for all that are
            at an inlet, or in the room.
    """
    found = [c for c in channels if c.quantity == "temperature" and c.unit == "degC"]
    if chosen:
        return [c for c in found if c.name in chosen]
    return [c for c in found if _AMBIENT.fullmatch(c.location)]


def chosen_ambient(bench: str) -> tuple[str, ...]:
    """Get what a bench, as its session keeps it, names as sensors of the ambient."""
    names = stored_table(bench, "dut").get("ambient", ())
    names = [names] if isinstance(names, str) else names
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


def ambient_result(
    session: Session, channels: Sequence[Channel], window: Window
) -> list[Result]:
    """Average the sensors of the ambient, each by its own mean over the window.

    So none counts more for being read more often, and one that drops out does not
    shift those that stay. A sensor that has had values in the session is missed where
    it has none, whatever reason it gives.
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
    return [counted(result, sensors, "mean")]


def _sensor(session: Session, samples: Samples, window: Window) -> Sensor:
    nominal = round((window[1] - window[0]) / samples.channel.period_ns)
    is_short = samples.values.size < nominal - 1
    if is_short and ever_known(session, samples.channel, window[1]):
        return Sensor(samples, nominal)
    return Sensor(samples, samples.expected)
