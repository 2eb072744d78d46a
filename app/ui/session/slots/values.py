"""What the slots of an enclosure read at a moment; no Qt."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.record.store import Session
from app.ui.session.readings import last_moment, last_value
from instruments.reading import Channel

SLOT = "slot"
_FEW = 64
_NO_SPAN = 10.0
"""Kelvin that the colours span at least, so that noise does not look like heat."""


@dataclass(frozen=True, slots=True)
class SlotValue:
    """One slot: its temperature in degC, or NaN and why there is none."""

    temperature: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SlotState:
    """All slots at one moment.

    Attributes:
        slots: By location, such as "slot07".
        inlet: Temperature of the air that goes in, degC; NaN where it is not known.
        low: Where the colours begin, degC; the same for the whole session.
        high: Where they end.
    """

    slots: Mapping[str, SlotValue] = field(default_factory=dict)
    inlet: float = math.nan
    low: float = 20.0
    high: float = 60.0

    @property
    def known(self) -> dict[str, float]:
        """The slots that have a value."""
        found = {name: slot.temperature for name, slot in self.slots.items()}
        return {name: value for name, value in found.items() if math.isfinite(value)}

    def rise(self, name: str) -> float:
        """Get how much warmer than the inlet a slot is, in kelvin, or NaN."""
        return self.slots[name].temperature - self.inlet

    @property
    def summary(self) -> str:
        """Name the hottest and the coldest slot, the spread and the inlet."""
        known = self.known
        if not known:
            return "No slot has a temperature at this moment"
        hottest = max(known, key=lambda name: known[name])
        coldest = min(known, key=lambda name: known[name])
        parts = [
            f"Hottest {hottest} {known[hottest]:.1f} °C",
            f"coldest {coldest} {known[coldest]:.1f} °C",
            f"spread {known[hottest] - known[coldest]:.1f} K",
            f"mean {np.mean(list(known.values())):.1f} °C",
        ]
        if math.isfinite(self.inlet):
            rise = known[hottest] - self.inlet
            parts.append(f"inlet {self.inlet:.1f} °C, rise up to {rise:.1f} K")
        if len(known) < len(self.slots):
            parts.append(f"{len(known)} of {len(self.slots)} slots read")
        return "   ·   ".join(parts)


def slot_channels(channels: Iterable[Channel]) -> list[Channel]:
    """Choose the temperatures of slots, in the order of their locations."""
    found = [
        channel
        for channel in channels
        if channel.quantity == "temperature"
        and channel.unit == "degC"
        and channel.location.startswith(SLOT)
    ]
    return sorted(found, key=lambda one: one.location)


def colour_span(session: Session, channels: Sequence[Channel]) -> tuple[float, float]:
    """Choose where colours begin and end, in degC, from the whole session.

    They stay the same in a replay, so that a colour always means one temperature.
    """
    lows, highs = [], []
    for channel in channels:
        trace = session.trace(channel, None, _FEW)
        known = np.isfinite(trace.mean)
        if known.any():
            lows.append(float(trace.low[known].min()))
            highs.append(float(trace.high[known].max()))
    if not lows:
        return 20.0, 60.0
    low = 5.0 * math.floor(min(lows) / 5.0)
    high = 5.0 * math.ceil(max(highs) / 5.0)
    return low, max(high, low + _NO_SPAN)


def read_slots(
    session: Session,
    channels: Sequence[Channel],
    inlet: Channel | None,
    t_ns: int,
    span: tuple[float, float],
) -> SlotState:
    """Read all slots at a moment; runs in a worker.

    Args:
        session: Where from.
        channels: As `slot_channels` gives them; of two for one slot the first that
            has a value counts.
        inlet: The channel of the inlet, or None.
        t_ns: The moment, in nanoseconds.
        span: As `colour_span` gives it.
    """
    if channels:
        t_ns = last_moment(session, channels, t_ns)
    slots: dict[str, SlotValue] = {}
    for channel in channels:
        known = slots.get(channel.location)
        if known is None or math.isnan(known.temperature):
            slots[channel.location] = SlotValue(*last_value(session, channel, t_ns))
    air = math.nan if inlet is None else last_value(session, inlet, t_ns)[0]
    return SlotState(slots, air, *span)
