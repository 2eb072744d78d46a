"""What an enclosure's pages say, in one form, whichever sg_ses printed them."""

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
    ENCLOSURE = 0x0E
    VOLTAGE = 0x12
    CURRENT = 0x13
    ARRAY_SLOT = 0x17
    EXPANDER = 0x18

    @classmethod
    def of(cls, code: int) -> "Kind":
        """Get the kind of a type code; OTHER where it is of no use here."""
        return cls(code) if code in cls._value2member_map_ else cls.OTHER

    @property
    def is_slot(self) -> bool:
        """Whether its elements are bays for drives."""
        return self in (Kind.DEVICE_SLOT, Kind.ARRAY_SLOT)


@dataclass(frozen=True, slots=True)
class Group:
    """One type descriptor header: elements of one type in one subenclosure."""

    kind: Kind
    code: int
    subenclosure: int
    count: int


@dataclass(frozen=True, slots=True)
class Configuration:
    """The configuration page.

    Attributes:
        generation: Changes whenever the configuration does.
        logical_id: Enclosure logical identifier, 16 hexadecimal digits.
        vendor: Vendor as it names itself.
        product: Product as it names itself.
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


_STATES = {
    "unsupported": (0, Status.UNSUPPORTED),
    "ok": (1, Status.OK),
    "critical": (2, Status.CRIT),
    "noncritical": (3, Status.WARN),
    "unrecoverable": (4, Status.CRIT),
    "not installed": (5, Status.ABSENT),
    "unknown": (6, Status.ERROR),
    "not available": (7, Status.ABSENT),
    "no access allowed": (8, Status.ERROR),
}
WARNINGS = frozenset(
    {
        "ac fail",
        "ot warning",
        "predicted failure",
        "temperature warn",
        "ut warning",
        "warn over",
        "warn under",
    }
)
FAILURES = frozenset(
    {
        "crit over",
        "crit under",
        "dc fail",
        "fail",
        "fault sensed",
        "ot failure",
        "overtmp fail",
        "ut failure",
    }
)


@dataclass(frozen=True, slots=True)
class Element:
    """The status of one element.

    Attributes:
        kind: What it is.
        state: Its status as printed, such as "OK" or "Not installed".
        value: degC, 1/min, V or A by its kind; NaN where it has no reading.
        speed_code: The 3-bit speed of a fan, 0 (stopped) to 7 (highest).
        flags: Names of the bits that are set, in small letters.
    """

    kind: Kind
    state: str
    value: float = math.nan
    speed_code: int | None = None
    flags: frozenset[str] = frozenset()

    @property
    def state_code(self) -> int:
        """Get the element status code of SES-3; -1 for one that is not known."""
        return _STATES.get(self.state.lower(), (-1, Status.ERROR))[0]

    @property
    def status(self) -> Status:
        """Get what its reading is worth by its state and its bits."""
        status = _STATES.get(self.state.lower(), (-1, Status.ERROR))[1]
        if not status.is_value or status is Status.CRIT:
            return status
        if self.flags & FAILURES:
            return Status.CRIT
        return Status.WARN if self.flags & WARNINGS else status


@dataclass(frozen=True, slots=True)
class StatusPage:
    """The enclosure status page, without the overall descriptors.

    Attributes:
        generation: Generation code of the configuration it belongs to.
        elements: Status by element.
    """

    generation: int
    elements: Mapping[Key, Element]


@dataclass(frozen=True, slots=True)
class Bay:
    """What the additional element status tells of one bay.

    Attributes:
        slot: The enclosure's own slot number; None where it tells none.
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


def temperature(raw: int) -> float:
    """Convert the temperature byte of SES-3 to degC; 0 is reserved: no reading."""
    return float(raw - 20) if raw else math.nan


def address(number: int) -> str:
    """Write a SAS address or an enclosure logical identifier; "" for none.

    Args:
        number: Its 64 bits, with a sign or without: the JSON of sg3_utils has one.
    """
    return f"{number & 0xFFFF_FFFF_FFFF_FFFF:016x}" if number else ""
