"""What the pages of an enclosure say (SES-3)."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from instruments.reading import Status

Key = tuple[int, int]
"""Position of the element's type in the configuration, and its number there."""


class Kind(IntEnum):
    """Element types that are used here; the numbers are those of SES-3."""

    OTHER = -1
    DEVICE_SLOT = 0x01
    POWER_SUPPLY = 0x02
    COOLING = 0x03
    TEMPERATURE = 0x04
    CONTROLLER = 0x07
    VOLTAGE = 0x12
    CURRENT = 0x13
    ARRAY_SLOT = 0x17

    @property
    def is_slot(self) -> bool:
        """Whether its elements are bays for drives."""
        return self in (Kind.DEVICE_SLOT, Kind.ARRAY_SLOT)


@dataclass(frozen=True, slots=True)
class Group:
    """One type descriptor header: elements of one type, by its code."""

    code: int
    count: int

    @property
    def kind(self) -> Kind:
        """Get the type; OTHER where it is of no use here."""
        return Kind(self.code) if self.code in set(Kind) else Kind.OTHER


@dataclass(frozen=True, slots=True)
class Configuration:
    """The configuration page.

    Attributes:
        generation: Changes whenever the configuration does.
        logical_id: Enclosure logical identifier, 16 hexadecimal digits.
        vendor: Vendor identification.
        product: Product identification.
        revision: Firmware revision.
        groups: Type descriptor headers in their order.
    """

    generation: int
    logical_id: str
    vendor: str
    product: str
    revision: str
    groups: tuple[Group, ...]

    def keys(self) -> Iterator[Key]:
        """List all elements that a status page of it has."""
        for header, group in enumerate(self.groups):
            yield from ((header, number) for number in range(group.count))


_STATES = (
    Status.UNSUPPORTED,
    Status.OK,
    Status.CRIT,
    Status.WARN,  # noncritical
    Status.CRIT,  # unrecoverable
    Status.ABSENT,  # not installed
    Status.ERROR,  # unknown
    Status.ABSENT,  # not available
    Status.ERROR,  # no access allowed
)
"""By element status code; those above are reserved."""


@dataclass(frozen=True, slots=True)
class Element:
    """The status of one element.

    Attributes:
        state: Its element status code, 0 to 15.
        value: degC, 1/min, V or A by its kind; NaN where it has no reading.
        speed_code: The 3-bit speed of a fan, 0 (stopped) to 7 (highest).
        alarm: OK, WARN or CRIT by the bits that its type has for it.
        ident: Whether its light flashes.
    """

    state: int
    value: float = math.nan
    speed_code: int | None = None
    alarm: Status = Status.OK
    ident: bool = False

    @property
    def status(self) -> Status:
        """Get what its reading is worth by its state and its bits."""
        status = _STATES[self.state] if self.state < len(_STATES) else Status.ERROR
        if not status.is_value or status is Status.CRIT:
            return status
        return status if self.alarm is Status.OK else self.alarm


@dataclass(frozen=True, slots=True)
class StatusPage:
    """The enclosure status page, without the overall descriptors.

    Attributes:
        generation: Generation code of the configuration it belongs to.
        elements: Status by element; empty where the configuration is another one.
    """

    generation: int
    elements: Mapping[Key, Element]


@dataclass(frozen=True, slots=True)
class Bay:
    """What the additional element status says of one bay.

    Attributes:
        slot: The enclosure's own slot number; None where it gives none.
        addresses: SAS addresses of what is attached, 16 hexadecimal digits each.
        serial: Serial number, which only NVMe bays tell.
    """

    slot: int | None
    addresses: tuple[str, ...] = ()
    serial: str = ""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits of a temperature in degC; NaN where the enclosure sets none."""

    low_critical: float = math.nan
    low_warning: float = math.nan
    high_warning: float = math.nan
    high_critical: float = math.nan

    def judge(self, value: float) -> Status:
        """Say whether a value is within the limits."""
        if value >= self.high_critical or value <= self.low_critical:
            return Status.CRIT
        if value >= self.high_warning or value <= self.low_warning:
            return Status.WARN
        return Status.OK


@dataclass(frozen=True, slots=True)
class Static:
    """What stays as long as the generation code does.

    Attributes:
        configuration: The configuration page.
        names: Descriptor text by element.
        bays: Bays by element.
        thresholds: Limits by element.
    """

    configuration: Configuration
    names: Mapping[Key, str] = field(default_factory=dict)
    bays: Mapping[Key, Bay] = field(default_factory=dict)
    thresholds: Mapping[Key, Thresholds] = field(default_factory=dict)
