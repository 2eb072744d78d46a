"""The vocabulary of measurement: channel, status, reading, identity."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

SECOND = 1_000_000_000
"""Nanoseconds in a second; all times are int64 nanoseconds."""


ONCE_NS = 2**62
"""The period of a channel that is read once after a step and not on a beat."""

POLL = "poll"
"""The quantity of how long it took to read a source, which is nothing that it reads."""

MISSED_PERIODS = 2.5
"""A pause between two readings of more nominal periods than this is a gap, and nothing
is integrated over it: a single missed beat still lies between real samples."""


class Status(StrEnum):
    """What a value is worth; only ok, warn and crit are values, the rest are gaps."""

    OK = "ok"
    WARN = "warn"
    CRIT = "crit"
    STALE = "stale"
    STANDBY = "standby"
    ABSENT = "absent"
    UNSUPPORTED = "unsupported"
    ERROR = "error"
    TIMEOUT = "timeout"
    MISSED = "missed beats"  # the source was there, only nobody asked it
    NOT_RECORDED = "not recorded"  # no program ran that could have asked
    OVERRANGE = "overrange"
    UNDERRANGE = "underrange"
    NAN = "nan"

    @property
    def is_value(self) -> bool:
        """Whether a value with this status counts as measured."""
        return self in _VALUES


EXCUSED = frozenset({Status.ABSENT, Status.UNSUPPORTED, Status.STANDBY})
"""Gaps that are not a fault: an empty slot, a sensor there is not, a drive asleep."""


_VALUES = frozenset({Status.OK, Status.WARN, Status.CRIT})

Judged = tuple[float, Status]
"""A number and what it is worth; NaN where the status is not a value."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One quantity of one source.

    Attributes:
        source: Name of the source, unique on the bench.
        quantity: What is measured, such as "P", "temperature", "read_bw".
        unit: One of 1/s, B/s, s, W, VA, var, V, A, Hz, Wh, degC, 1/min, dB, or "".
        location: Chassis, zone, slot or WWN, such as "slot07"; "" for the whole.
        period_ns: Nominal time between two readings.
        latency_ns: How much later than the event the instrument shows it.
        window_ns: Length of the instrument's own averaging window.
    """

    source: str
    quantity: str
    unit: str
    location: str = ""
    period_ns: int = SECOND
    latency_ns: int = 0
    window_ns: int = 0

    @property
    def name(self) -> str:
        """The printed name, such as "mains.P" or "ses.temperature.slot07"."""
        parts = (self.source, self.quantity, self.location)
        return ".".join(part for part in parts if part)

    @property
    def printed_unit(self) -> str:
        """Its unit as it is written for people: °C for degC."""
        return self.unit.replace("degC", "°C")


@dataclass(frozen=True, slots=True)
class Reading:
    """Values of some channels of one source, read at one moment.

    Attributes:
        channels: The channels read; reuse one tuple object for every reading.
        start_ns: Monotonic time at the start of the read.
        end_ns: Monotonic time at its end; the reading's x is the midpoint.
        values: One float a channel; NaN where the status is not a value.
        statuses: One status a channel.
        raw: The reply or document as it came, for the raw stream; may be empty.
        trouble: Why values are missing, where the source knows: a sentence.
        notice: What happened at the source that no value shows, such as a path that
            failed while another one took over; becomes a warning among the events.
    """

    channels: tuple[Channel, ...]
    start_ns: int
    end_ns: int
    values: tuple[float, ...]
    statuses: tuple[Status, ...]
    raw: bytes = b""
    trouble: str = ""
    notice: str = ""

    @classmethod
    def of(
        cls,
        channels: tuple[Channel, ...],
        span: tuple[int, int],
        values: Iterable[Judged],
        raw: bytes = b"",
        *,
        trouble: str = "",
        notice: str = "",
    ) -> Self:
        """Make a reading of values that have their status beside them.

        Args:
            channels: The channels read.
            span: Start and end of the read in monotonic ns.
            values: Value and status of each channel.
            raw: The reply as it came.
            trouble: Why values are missing.
            notice: What happened at the source.
        """
        pairs = tuple(values)
        numbers = tuple(value for value, _ in pairs)
        statuses = tuple(status for _, status in pairs)
        return cls(channels, *span, numbers, statuses, raw, trouble, notice)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answered: what the instrument says of itself.

    Attributes:
        maker: Vendor, such as "Rohde&Schwarz".
        model: Model, such as "HMC8015".
        serial: Serial number as printed by the device.
        firmware: Firmware, and hardware where it is known.
        address: How it was reached, such as a VISA resource string.
        simulated: Whether it is a simulator and not a device.
    """

    maker: str
    model: str
    serial: str
    firmware: str
    address: str
    simulated: bool = False
