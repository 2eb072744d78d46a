"""Several sensors of one thing in one window: which of them were there, how long."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.analysis.samples import Samples
from app.record.store import Result

_WHOLE = 0.95
"""A sensor that is there for less than this share of the window is named."""

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Sensor:
    """One sensor in the window."""

    samples: Samples
    expected: int  # how many there are where it is there all the time

    @property
    def share(self) -> float:
        """The share of the window in which it is there."""
        return min(1.0, self.samples.values.size / self.expected)


def counted(result: Result, sensors: Sequence[Sensor], remark: str) -> Result:
    """Give a result the coverage of its sensors, each of which counts alike.

    So one of sixty that dies costs a sixtieth, and none costs more for being read more
    often. Those that are lost are named in the note.
    """
    expected = sum(sensor.expected for sensor in sensors)
    share = float(np.mean([sensor.share for sensor in sensors])) if sensors else 0.0
    return replace(
        result,
        n_valid=round(share * expected),
        n_expected=expected,
        note=_note(sensors, remark) if result.value is not None else "",
    )


def _note(sensors: Sequence[Sensor], remark: str) -> str:
    """Name the sensors that were not there all the time; "" for none."""
    gone = [sensor for sensor in sensors if sensor.share < _WHOLE]
    if not gone:
        return ""
    gone.sort(key=lambda sensor: sensor.share)
    named = [
        f"{sensor.samples.channel.name} in {100 * sensor.share:.0f} % of the time"
        for sensor in gone[:_NAMED]
    ]
    if len(gone) > _NAMED:
        named.append(f"{len(gone) - _NAMED} more for part of it")
    return f"{remark} of {len(sensors)} sensors, but only with {', '.join(named)}"
