"""What a quantity can be: a number beyond it is not a value, and becomes a gap.

Devices say of a sensor that is not there, or that they cannot read, one number or
another: 255, 0x8000, -999, -273. What a maker's documents call no value is excluded
where it is read; here is what nothing on a bench can be.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from instruments.reading import Channel, Reading, Status

_BY_UNIT: Mapping[str, tuple[float, float]] = {
    # The lowest of the LM75 and the like, which an open input is below; and more than
    # any silicon bears.
    "degC": (-55.0, 150.0),
    "1/min": (0.0, 60_000.0),
    "V": (-1000.0, 1000.0),
    "A": (-2000.0, 2000.0),
    "W": (0.0, 1e6),
    "VA": (0.0, 1e6),
    "var": (-1e6, 1e6),
    "Hz": (0.0, 450.0),  # of a supply, up to that of aircraft
    "Wh": (0.0, 1e12),
    "%": (-100.0, 1000.0),  # distortion may be several times what is distorted
    "dB": (-100.0, 200.0),
    "deg": (-360.0, 360.0),
}
_BY_QUANTITY: Mapping[str, tuple[float, float]] = {
    # A meter's own: power is fed in, or a clamp is the wrong way round.
    "P": (-1e6, 1e6),
    "Wh": (-1e12, 1e12),
    "lambda": (-1.1, 1.1),
    "humidity": (0.0, 100.0),
    "fan_percent": (0.0, 200.0),
    "temperature_margin": (-200.0, 200.0),
    "wear": (0.0, 300.0),
    "power_on_hours": (0.0, 1e6),  # a hundred years
}
_SHOWN = 3  # of a device that is gone all values are wrong; three say as much


def is_possible(channel: Channel, value: float) -> bool:
    """Tell whether a quantity in its unit can have a value; a gap (NaN) can be."""
    bounds = _BY_QUANTITY.get(channel.quantity) or _BY_UNIT.get(channel.unit)
    return bounds is None or not (value < bounds[0] or value > bounds[1])


def within_bounds(reading: Reading) -> Reading:
    """Make gaps of the values of a reading that cannot be, and say which and why."""
    pairs = zip(reading.channels, reading.values, strict=True)
    wrong = [n for n, (channel, v) in enumerate(pairs) if not is_possible(channel, v)]
    if not wrong:
        return reading
    values, statuses = list(reading.values), list(reading.statuses)
    beyond = []
    for number in wrong:
        channel = reading.channels[number]
        beyond.append(f"{channel.name} says {values[number]:g} {channel.printed_unit}")
        # The raw reply keeps the number, should it have been a real one.
        values[number], statuses[number] = math.nan, Status.ABSENT
    others = f" and {len(beyond) - _SHOWN} more" if len(beyond) > _SHOWN else ""
    explanation = (
        f"{', '.join(beyond[:_SHOWN])}{others}, which cannot be: is nothing connected?"
    )
    trouble = "; ".join(filter(None, (reading.trouble, explanation)))
    return replace(
        reading, values=tuple(values), statuses=tuple(statuses), trouble=trouble
    )
