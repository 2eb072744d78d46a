"""What the read-outs show at a moment: value, extremes, or the reason of a gap."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from app.record.store import Session
from app.ui.lines import Floats
from app.ui.panels import FINE_LOG
from app.ui.units import Scale, scale_of
from instruments.reading import SECOND, Channel, Status

NO_LOAD = "no load running"
"""Not a gap: nothing was to be measured."""

_REACH_PERIODS = 3
_LEAST_REACH = 2 * SECOND
_MANY = 4000
"""Up to twice so many samples are averaged one by one, more from the overview."""


class Kind(Enum):
    """How several channels become one number."""

    ONE = auto()
    SUM = auto()
    HIGHEST = auto()


@dataclass(frozen=True, slots=True)
class Readout:
    """One read-out of the panel.

    Attributes:
        caption: What it is.
        channels: What it is made of.
        scale: How it is written.
        colour: Index of the trace colour it has in the charts.
        kind: How its channels become one number.
        simulated: Whether a simulator delivers it.
    """

    caption: str
    channels: tuple[Channel, ...]
    scale: Scale
    colour: int
    kind: Kind = Kind.ONE
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """What a read-out says now.

    Attributes:
        value: The number as text, "" where there is a gap.
        unit: Its unit.
        note: Extremes so far, or how many of how many were read.
        gap: Reason of the gap, "" where there is a value.
    """

    value: str = ""
    unit: str = ""
    note: str = ""
    gap: str = ""


@dataclass
class Extremes:
    """Lowest and highest value so far, kept up as the playhead moves on."""

    until: int = 0
    low: float = np.inf
    high: float = -np.inf


def readouts_of(
    channels: Sequence[Channel], simulated: frozenset[str]
) -> list[Readout]:
    """Choose the read-outs for what is recorded."""
    found: list[Readout] = []
    live = [one for one in channels if one.source != FINE_LOG]

    def add(caption: str, quantity: str, colour: int, kind: Kind = Kind.ONE) -> None:
        fitting = tuple(one for one in live if one.quantity == quantity)
        if not fitting:
            return
        if kind is Kind.ONE:
            fitting = fitting[:1]
        fake = any(one.source in simulated for one in fitting)
        scale = scale_of(fitting[0].unit)
        found.append(Readout(caption, fitting, scale, colour, kind, fake))

    add("Read throughput", "read_bw", 0)
    add("Write throughput", "write_bw", 1)
    iops = tuple(one for one in live if one.quantity in ("read_iops", "write_iops"))
    if iops:
        found.append(Readout("IOPS, read + write", iops, scale_of("1/s"), 0, Kind.SUM))
    add("Power", "P", 0, Kind.SUM)
    add("Power factor λ", "lambda", 0)
    slots = tuple(one for one in live if one.location.startswith("slot"))
    slots = tuple(one for one in slots if one.quantity == "temperature")
    if slots:
        fake = slots[0].source in simulated
        scale = scale_of("degC")
        found.append(Readout("Hottest drive", slots, scale, 0, Kind.HIGHEST, fake))
    inlet = [one for one in live if one.location == "inlet"]
    if inlet:
        fake = inlet[0].source in simulated
        found.append(Readout("Inlet", (inlet[0],), scale_of("degC"), 1, Kind.ONE, fake))
    add("Noise", "LAeq", 0)
    return found


def read_all(
    session: Session,
    readouts: Sequence[Readout],
    t_ns: int,
    extremes: dict[str, Extremes],
) -> tuple[list[Shown], dict[str, float]]:
    """Read every read-out at a moment; runs in a worker.

    Args:
        session: Where from.
        readouts: What.
        t_ns: The playhead.
        extremes: What was lowest and highest so far, by channel name; brought up
            to date.

    Returns:
        What each says, and the value of each channel, NaN in a gap.
    """
    values: dict[str, float] = {}
    shown = [_read(session, one, t_ns, extremes, values) for one in readouts]
    return shown, values


def read_whole(session: Session, readouts: Sequence[Readout]) -> list[Shown]:
    """Read the means of the whole session instead; runs in a worker.

    It takes about as long for many hours as for one: long traces come from the
    overview, whose cells are equally long, so that the mean of their means differs
    from that of all samples by what the first and the last cell lack.
    """
    return [_whole(session, one) for one in readouts]


def _whole(session: Session, readout: Readout) -> Shown:
    scale = readout.scale
    traces = [session.trace(one, None, _MANY) for one in readout.channels]
    traces = [one for one in traces if np.isfinite(one.mean).any()]
    if not traces:
        return Shown(gap=NO_LOAD if _is_load(readout.channels[0]) else "no reading")
    low = min(float(np.nanmin(one.low)) for one in traces)
    high = max(float(np.nanmax(one.high)) for one in traces)
    if readout.kind is Kind.HIGHEST:
        note = f"highest  (lowest {scale.text(low)})"
        return Shown(scale.text(high), scale.unit, note)
    if len({one.channel.source for one in traces}) == 1:
        times = np.concatenate([one.times for one in traces])
        values = np.concatenate([one.mean for one in traces])
        known = np.isfinite(values)
        _, place = np.unique(times[known], return_inverse=True)
        sums = np.bincount(place, values[known])
        if len(traces) > 1:  # what a cell's extremes add up to was never measured
            low, high = float(sums.min()), float(sums.max())
        exact = len(traces) == 1 or all(one.exact for one in traces)
        note = f"min {scale.text(low)}  max {scale.text(high)}" if exact else ""
        return Shown(scale.text(float(sums.mean())), scale.unit, note)
    total = sum(float(np.nanmean(one.mean)) for one in traces)
    return Shown(scale.text(total), scale.unit)


def _read(
    session: Session,
    readout: Readout,
    t_ns: int,
    extremes: dict[str, Extremes],
    found: dict[str, float],
) -> Shown:
    last = [_last(session, channel, t_ns) for channel in readout.channels]
    for channel, (value, _) in zip(readout.channels, last, strict=True):
        found[channel.name] = value
    if any(np.isfinite(value) for value, _ in last):
        # A load that only reads has no write channels: that is no gap in the sum.
        last = [pair for pair in last if pair[1] != NO_LOAD]
    values = np.array([value for value, _ in last])
    known = np.isfinite(values)
    scale = readout.scale
    if readout.kind is Kind.HIGHEST and known.any():
        note = f"coolest {scale.text(float(values[known].min()))}"
        if not known.all():
            note += f"  {int(known.sum())} of {len(values)} read"
        return Shown(scale.text(float(values[known].max())), scale.unit, note)
    if not known.all():
        reason = next(reason for value, reason in last if not np.isfinite(value))
        return Shown(gap=reason)
    if len(last) < len(readout.channels):
        note = ""
    elif len(last) == 1:
        note = _extremes(session, readout.channels[0], t_ns, extremes)
    else:
        note = _parts(readout, values)
    return Shown(scale.text(float(values.sum())), scale.unit, note)


def _parts(readout: Readout, values: Floats) -> str:
    """Write what a sum is made of."""
    names = [one.quantity.split("_")[0] for one in readout.channels]
    if len(set(names)) < len(names):
        names = [one.source for one in readout.channels]
    pairs = zip(names, values, strict=True)
    return "  ".join(f"{name} {readout.scale.text(float(v))}" for name, v in pairs)


def _extremes(
    session: Session, channel: Channel, t_ns: int, extremes: dict[str, Extremes]
) -> str:
    """Write the lowest and highest value up to a moment."""
    seen = extremes.setdefault(channel.name, Extremes())
    if t_ns < seen.until:
        seen = extremes[channel.name] = Extremes()
    trace = session.trace(channel, (seen.until, t_ns), 16)
    known = np.isfinite(trace.mean)
    if known.any():
        seen.low = min(seen.low, float(trace.low[known].min()))
        seen.high = max(seen.high, float(trace.high[known].max()))
    seen.until = t_ns
    scale = scale_of(channel.unit)
    if not np.isfinite(seen.low):
        return ""
    return f"min {scale.text(seen.low)}  max {scale.text(seen.high)}"


def _last(session: Session, channel: Channel, t_ns: int) -> tuple[float, str]:
    """Get the last value up to a moment, or NaN and why there is none."""
    reach = max(_REACH_PERIODS * channel.period_ns, _LEAST_REACH)
    trace = session.trace(channel, (t_ns - reach, t_ns), None)
    if len(trace.times) and np.isfinite(trace.mean[-1]):
        return float(trace.mean[-1]), ""
    gaps = session.gaps(channel.name, (t_ns - reach, t_ns))
    reason = gaps[-1].reason if gaps else ""
    if _is_load(channel) and reason in ("", Status.STANDBY):
        return float("nan"), NO_LOAD
    return float("nan"), reason or "no reading"


def _is_load(channel: Channel) -> bool:
    return channel.quantity.startswith(("read_", "write_"))
