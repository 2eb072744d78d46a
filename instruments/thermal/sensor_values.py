"""Values of a management controller or a probe, their channels, their sources."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from instruments.bounds import within_bounds
from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Judged, Reading, Status
from instruments.settings import Settings
from instruments.timebase import monotonic_ns

_FAN = re.compile(
    r"(?:sys(?:tem)?[ _-]?|chassis[ _-]?)?fan[ _#-]*(\d{1,18})([a-z]?)"
    r"(?:[ _-]*(?:rpm|speed|tach|reading))?"
)
# After short_name: "psu1-temp", "power-supply-2", "ps-1-inlet".
_SUPPLY = re.compile(
    r"(?:psu|ps|pws|power-supply(?:-bay|-unit|-slot)?)-?(\d{1,18})(?=-|$)"
)
_PLACES = (
    ("inlet", re.compile(r"\b(?:inlet|intake|front panel)\b")),
    ("exhaust", re.compile(r"\bexhaust\b|\boutlet\b(?! \d)")),
    ("ambient", re.compile(r"\bambient\b")),
)
ZONES = tuple(place for place, _ in _PLACES)
"""Where air goes in, where it comes out, and what is around."""

_PART = re.compile(
    r"\b(?:psu|ps|pws|power|supply|cpu|proc\w*|dimm|mem\w*|gpu|nic|ocp|pch|chipset|vr\w*|"
    r"riser|slot|card|drive|disk|hdd|ssd|nvme|raid|fan|battery|module|expander|hba|pcie|"
    r"mezz\w*|liquid|coolant|water|cdu|pump|manifold|iom|canister|controller|esm|ecm|"
    r"chip|backplane|bbu|asic|fpga|bmc|soc|oam|retimer|transceiver|sfp|qsfp)\d*\b"
)
"""Names of parts of a machine, whose inlet is not that of its air.

Where the device tells what a sensor is part of, that decides; names do where it does
not, or calls everything a board.
"""

# Such as "CPU1 DTS Margin": kelvins up to where a processor throttles.
_MARGIN = re.compile(r"margin|\bmgn\b|\bdelta\b")

TO_CELSIUS = {"degC": (1.0, 0.0), "degF": (5 / 9, -160 / 9), "K": (1.0, -273.15)}
"""Factor and offset that make degC of a unit of temperature."""

_QUANTITIES = {
    "degC": "temperature",
    "1/min": "fan",
    "%": "percent",
    "V": "voltage",
    "A": "current",
    "W": "power",
    "VA": "apparent_power",
    "Hz": "frequency",
    "Wh": "energy",
    "dB": "level",
}


@dataclass(frozen=True, slots=True)
class SensorValue:
    """One sensor as it was read.

    Attributes:
        key: Tells it from the others of its device, the same at every read.
        label: The device's own name for it.
        quantity: What is measured, as in `Channel`.
        unit: Its unit, as in `Channel`.
        value: NaN where the status is not a value.
        status: What the value is worth.
        location: Its place, "" for the whole; made from the label where it is None.
    """

    key: str
    label: str
    quantity: str
    unit: str
    value: float
    status: Status
    location: str | None = None


def quantity_of(unit: str, label: str = "") -> str:
    """Name what is measured in a unit, such as "temperature" for degC.

    A margin, which some processors tell of, is not a temperature but a difference.
    """
    quantity = _QUANTITIES.get(unit, "value")
    if quantity == "temperature" and _MARGIN.search(label.lower()):
        return "temperature_margin"
    return quantity


def location_of(label: str, *, is_part: bool = False) -> str:
    """Make a location of a device's name.

    "Inlet Temp" is inlet, "FAN 1" fan1, "Power Supply 2" psu2.

    Args:
        label: The name.
        is_part: Whether it is known to be near a part of the machine, whose inlet is
            not that of the machine; some names tell that themselves.
    """
    if fan := _FAN.fullmatch(label.strip().lower()):
        return f"fan{int(fan[1])}{fan[2]}"
    if not is_part and not names_part(label):
        for place, pattern in _PLACES:
            if pattern.search(_words(label)):
                return place
    name = short_name(label)
    if re.fullmatch(rf"(?:{'|'.join(ZONES)}|room)(?:-?\d+)?", name):
        return f"part-{name}"  # "Inlet" of a supply; ours would not have come here
    supply = _SUPPLY.match(name)
    return f"psu{int(supply[1])}{name[supply.end() :]}" if supply else name


def names_part(label: str) -> bool:
    """Tell whether a name is that of a part of a machine."""
    return _PART.search(_words(label)) is not None


def _words(label: str) -> str:
    return re.sub(r"[_\W]+", " ", label.lower())


def short_name(label: str) -> str:
    """Make a name of letters, digits, - and _ of any text; never empty."""
    return re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-").lower() or "sensor"


def judged(value: float | None, status: Status = Status.OK) -> Judged:
    """Keep value and status together: no number without a value's status."""
    if not status.is_value:
        return math.nan, status
    if value is None or not math.isfinite(value):
        return math.nan, Status.NAN
    return float(value), status


def make_channels(
    source: str, values: Iterable[SensorValue], period_s: float
) -> dict[str, Channel]:
    """Make a channel for each value, by its key; equal names are numbered.

    Args:
        source: Name of the source.
        values: What the device has.
        period_s: Seconds from one read to the next.
    """
    channels: dict[str, Channel] = {}
    taken: set[tuple[str, str]] = set()
    period_ns = round(period_s * SECOND)
    for value in values:
        if value.key in channels:
            continue
        base = value.location
        if base is None:
            base = location_of(value.label)
        location, number = base, 1
        # In the order of the device, which stays the same from one opening to the next.
        while (value.quantity, location) in taken:
            number += 1
            location = f"{base}-{number}" if base else f"{number}"
        taken.add((value.quantity, location))
        channels[value.key] = Channel(
            source, value.quantity, value.unit, location, period_ns
        )
    return channels


_ABSENT = (math.nan, Status.ABSENT)


def make_reading(
    channels: tuple[Channel, ...],
    keys: Iterable[str],
    values: Mapping[str, SensorValue],
    span: tuple[int, int],
    raw: bytes,
    *,
    trouble: str = "",
) -> Reading:
    """Make a reading of all channels; what is missing, or cannot be, is a gap.

    Args:
        channels: The source's channels.
        keys: The key of each channel.
        values: What was read, by key.
        span: Start and end of the read in monotonic ns.
        raw: The reply as it came.
        trouble: Why some are missing, where that is known.
    """
    read = (values.get(key) for key in keys)
    pairs = ((value.value, value.status) if value else _ABSENT for value in read)
    return within_bounds(Reading.of(channels, span, pairs, raw, trouble=trouble))


class HostSensors:
    """Sensors of a machine as a source of section "thermal".

    Args:
        settings: Name, the machine and options.
        clock: Gives monotonic nanoseconds.
    """

    section = "thermal"

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self.name = settings.name
        self.period_s = settings.number("period")
        self._host = settings.host
        self._names = settings.texts("chips")
        self._clock = clock
        self._keys: tuple[str, ...] = ()
        self.channels: tuple[Channel, ...] = ()

    def close(self) -> None:
        """Let go of the machine."""
        self._host.close()

    def _declare(self, values: Iterable[SensorValue]) -> None:
        channels = make_channels(self.name, values, self.period_s)
        self._keys, self.channels = tuple(channels), tuple(channels.values())

    def _not_open(self) -> SourceError:
        return SourceError("the source is not open", where=self.name)

    def _reading(
        self,
        values: Mapping[str, SensorValue],
        span: tuple[int, int],
        raw: str,
        trouble: str = "",
    ) -> Reading:
        return make_reading(
            self.channels, self._keys, values, span, raw.encode(), trouble=trouble
        )
