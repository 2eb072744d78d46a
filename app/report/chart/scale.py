"""How a channel's values are written: engineering unit, factor, digits."""

import math
from dataclasses import dataclass

from instruments.reading import Channel


@dataclass(frozen=True, slots=True)
class Scale:
    """From a stored value to what is shown."""

    factor: float  # shown value = stored value x factor
    unit: str  # the unit as printed, such as "MB/s"; "" for a ratio
    decimals: int = 1  # most decimals worth printing

    def text(self, value: float) -> str:
        """Write a stored value without its unit; a missing one is a dash."""
        return number(value * self.factor, self.decimals)

    def full(self, value: float) -> str:
        """Write a stored value with its unit."""
        return f"{self.text(value)} {self.unit}".strip()


_SCALES = {
    "B/s": Scale(1e-6, "MB/s", 2),
    "1/s": Scale(1.0, "IOPS", 0),
    "s": Scale(1e3, "ms", 3),
    "degC": Scale(1.0, "°C", 1),
    "dB": Scale(1.0, "dB(A)", 1),
    "": Scale(1.0, "", 3),
    "W": Scale(1.0, "W", 2),
    "VA": Scale(1.0, "VA", 2),
    "var": Scale(1.0, "var", 2),
    "V": Scale(1.0, "V", 1),
    "A": Scale(1.0, "A", 3),
    "Hz": Scale(1.0, "Hz", 2),
    "Wh": Scale(1.0, "Wh", 3),
    "1/min": Scale(1.0, "1/min", 0),
}

_RATE = Scale(1.0, "/s", 2)


def scale_of(unit: str) -> Scale:
    """Get how a stored unit is shown; MB/s is 10^6 bytes."""
    return _SCALES.get(unit, Scale(1.0, unit, 2))


def channel_scale(channel: Channel) -> Scale:
    """Get how a channel is shown: a rate is IOPS only where it counts operations."""
    if channel.unit == "1/s" and "iops" not in channel.quantity:
        return _RATE
    return scale_of(channel.unit)


def number(value: float, decimals: int) -> str:
    """Write a number with about four significant digits."""
    if not math.isfinite(value):
        return "-"
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:.2f} M"
    if size >= 1e5:
        return f"{value / 1e3:.1f} k"
    digits = 0 if size == 0 else math.floor(math.log10(size)) + 1
    return f"{value:.{max(0, min(decimals, 4 - max(digits, 1)))}f}"
