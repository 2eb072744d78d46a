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
    words, logs = load_words(channels)
    live = _of_one_load(words)
    inlet = tuple(ambient_channels(live, ambient))
    choices = (
        ("Read throughput", _of_quantity(live, "read_bw"), 0, Kind.ONE),
        ("Write throughput", _of_quantity(live, "write_bw"), 1, Kind.ONE),
        (
            "IOPS, read + write",
            _of_quantity(live, "read_iops", "write_iops"),
            0,
            Kind.SUM,
        ),
        ("Power", _of_quantity(live, "P"), 0, Kind.SUM),
        ("Power factor λ", _of_quantity(live, "lambda"), 0, Kind.ONE),
        ("Hottest drive", _slot_temperatures(live), 0, Kind.HIGHEST),
        ("Inlet", inlet, 1, Kind.MEAN if len(inlet) > 1 else Kind.ONE),
        ("Noise", _of_quantity(live, "LAeq"), 0, Kind.ONE),
    )
    return [
        _make(caption, fitting, colour, kind, simulated=simulated, logs=logs)
        for caption, fitting, colour, kind in choices
        if fitting
    ]


def _make(
    caption: str,
    fitting: tuple[Channel, ...],
    colour: int,
    kind: Kind,
    *,
    simulated: frozenset[str],
    logs: Mapping[str, Channel],
) -> Readout:
    if kind is Kind.ONE:
        if len({one.source for one in fitting}) > 1:
            caption = f"{caption}, {fitting[0].source}"
        fitting = fitting[:1]
    is_fake = any(one.source in simulated for one in fitting)
    fine = {} if fitting[0].location else logs
    scale = scale_of(fitting[0].unit)
    return Readout(caption, fitting, scale, colour, kind, is_fake, fine)


def _of_quantity(live: Sequence[Channel], *quantities: str) -> tuple[Channel, ...]:
    """Get the channels of quantities: the devices or hosts of a load are in its sum."""
    fitting = tuple(one for one in live if one.quantity in quantities)
    return tuple(one for one in fitting if not one.location) or fitting


def _slot_temperatures(live: Sequence[Channel]) -> tuple[Channel, ...]:
    slots = [one for one in live if one.location.startswith("slot")]
    slots = [slot for slot in slots if slot.quantity == "temperature"]
    return tuple(slot for slot in slots if slot.unit == slots[0].unit)


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
