"""One read-out: what it is made of and what it says; no Qt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto

from app.analysis.ambient import ambient_channels
from app.report.chart.panels_load import load_words
from app.report.chart.scale import Scale, scale_of
from instruments.reading import Channel

_RATES = ("read_bw", "write_bw", "read_iops", "write_iops")


class Kind(Enum):
    """How several channels become one number."""

    ONE = auto()
    SUM = auto()
    HIGHEST = auto()
    MEAN = auto()


class Quiet(StrEnum):
    """Why there is no value where nothing is amiss: nothing was to be measured."""

    NO_LOAD = "no load running"
    OTHER_WAY = "not used by this load"
    NOT_YET = "no reading yet"
    PER_STEP = "differs by step, see Report"


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
        fine: The finer logs of channels, which are shown where charts draw them, by
            the quantity.
    """

    caption: str
    channels: tuple[Channel, ...]
    scale: Scale
    colour: int
    kind: Kind = Kind.ONE
    simulated: bool = False
    fine: Mapping[str, Channel] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a read-out says now.

    Attributes:
        value: The number as text, "" where there is a gap.
        unit: Its unit, and how far off the value may be where that is known.
        note: Extremes so far, or how many of how many were read.
        gap: Reason of the gap, "" where there is a value.
        at_ns: When it was read, where that is earlier than the moment asked for.
    """

    value: str = ""
    unit: str = ""
    note: str = ""
    gap: str | Quiet = ""
    at_ns: int | None = None


def readouts_of(
    channels: Sequence[Channel],
    simulated: frozenset[str],
    ambient: Sequence[str] = (),
) -> list[Readout]:
    """Choose the read-outs for what is recorded; `ambient` is what the bench names."""
    readouts: list[Readout] = []
    words, logs = load_words(channels)
    live = _of_one_load(words)

    def add(caption: str, quantity: str, colour: int, kind: Kind = Kind.ONE) -> None:
        # The devices or hosts of a load are in its sum.
        fitting = tuple(one for one in live if one.quantity == quantity)
        whole = tuple(one for one in fitting if not one.location)
        fitting = whole or fitting
        if not fitting:
            return
        if kind is Kind.ONE:
            if len({one.source for one in fitting}) > 1:
                caption = f"{caption}, {fitting[0].source}"
            fitting = fitting[:1]
        fake = any(one.source in simulated for one in fitting)
        scale = scale_of(fitting[0].unit)
        fine = {} if fitting[0].location else logs
        readouts.append(Readout(caption, fitting, scale, colour, kind, fake, fine))

    add("Read throughput", "read_bw", 0)
    add("Write throughput", "write_bw", 1)
    iops = tuple(one for one in live if one.quantity in ("read_iops", "write_iops"))
    if iops:
        iops = tuple(iop for iop in iops if not iop.location) or iops
        fine = {} if iops[0].location else logs
        told, unit = "IOPS, read + write", scale_of("1/s")
        readouts.append(Readout(told, iops, unit, 0, Kind.SUM, fine=fine))
    add("Power", "P", 0, Kind.SUM)
    add("Power factor λ", "lambda", 0)
    slots = tuple(one for one in live if one.location.startswith("slot"))
    slots = tuple(slot for slot in slots if slot.quantity == "temperature")
    if slots:
        fake = slots[0].source in simulated
        scale = scale_of(slots[0].unit)
        slots = tuple(slot for slot in slots if slot.unit == slots[0].unit)
        readouts.append(Readout("Hottest drive", slots, scale, 0, Kind.HIGHEST, fake))
    inlet = tuple(ambient_channels(live, ambient))
    if inlet:
        fake = any(one.source in simulated for one in inlet)
        kind = Kind.MEAN if len(inlet) > 1 else Kind.ONE
        readouts.append(Readout("Inlet", inlet, scale_of("degC"), 1, kind, fake))
    add("Noise", "LAeq", 0)
    return readouts


def _of_one_load(channels: Sequence[Channel]) -> list[Channel]:
    """Leave out the rates that others than the load itself see of it.

    They count the same operations again, and those of everybody else on the disk: they
    would stand for the reads of a load that only writes.
    """
    loads = [channel.source for channel in channels if channel.quantity in _RATES]
    return [
        channel
        for channel in channels
        if channel.quantity not in _RATES or channel.source == loads[0]
    ]


def is_load_channel(channel: Channel) -> bool:
    """Tell whether a channel is of a load."""
    return channel.quantity.startswith(("read_", "write_"))
