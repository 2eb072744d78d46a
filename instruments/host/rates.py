"""The rates of a machine's counters, made from two looks at them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from instruments.host.counters import (
    Disk,
    Processor,
    busy_share,
    disks,
    networks,
    processors,
)
from instruments.reading import Channel, Judged, Status

FILES = ("/proc/stat", "/proc/net/dev", "/proc/diskstats")
"""What a look reads."""

_GAP: Judged = (math.nan, Status.NAN)
_GONE: Judged = (math.nan, Status.ABSENT)
PERCENT = 100.0


_PROCESSORS = (("busy", "cpu_busy", "%"), ("iowait", "cpu_iowait", "%"))
_NETWORK = (("rx", "net_rx", "B/s"), ("tx", "net_tx", "B/s"))
# Not named like those of a load, which reports and panels choose by name.
_DISK = (
    ("reads", "disk_read_iops", "1/s"),
    ("writes", "disk_write_iops", "1/s"),
    ("read_bytes", "disk_read_bw", "B/s"),
    ("written_bytes", "disk_write_bw", "B/s"),
    ("busy", "disk_busy", "%"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """The counters at one moment.

    Attributes:
        time_ns: The moment, monotonic.
        processors: By the kernel's name; "cpu" is all of them.
        networks: Bytes received and sent, by interface.
        disks: By kernel name.
    """

    time_ns: int
    processors: Mapping[str, Processor] = field(default_factory=dict)
    networks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    disks: Mapping[str, Disk] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rate:
    """A channel and the counter it is made of.

    Attributes:
        channel: The channel.
        kind: "cpu", "network" or "disk".
        key: The kernel's name of the counted thing.
        what: Which of its counters.
    """

    channel: Channel
    kind: str
    key: str
    what: str


def look(texts: Mapping[str, str | None], time_ns: int) -> Look:
    """Make a look from the files; one that was not readable counts nothing."""
    stat, dev, diskstats = (texts.get(path) or "" for path in FILES)
    return Look(time_ns, processors(stat), networks(dev), disks(diskstats))


def rates(
    source: str,
    period_ns: int,
    *,
    cores: Sequence[str],
    interfaces: Mapping[str, str],
    devices: Mapping[str, str],
) -> list[Rate]:
    """List the channels of some processors, interfaces and disks.

    Args:
        source: Name of the source.
        period_ns: Time from one look to the next. A value is the mean over it, and so
            on average half of it late.
        cores: Kernel's names of single processors.
        interfaces: Locations by the kernel's name.
        devices: Locations by the kernel's name.
    """

    def some(
        kind: str, keys: Mapping[str, str], counters: Sequence[tuple[str, str, str]]
    ) -> list[Rate]:
        times = period_ns, period_ns // 2, period_ns
        return [
            Rate(Channel(source, quantity, unit, place, *times), kind, key, what)
            for key, place in keys.items()
            for what, quantity, unit in counters
        ]

    each = {core: f"core{int(core[3:]):02d}" for core in cores}
    return [
        *some("cpu", {"cpu": ""}, _PROCESSORS),
        *some("cpu", each, _PROCESSORS[:1]),
        *some("network", interfaces, _NETWORK),
        *some("disk", devices, _DISK),
    ]


def value(rate: Rate, before: Look, after: Look) -> Judged:
    """Get what was added a second; a gap where the counter went back."""
    seconds = (after.time_ns - before.time_ns) / 1e9
    key = rate.key
    match rate.kind:
        case "cpu":
            old, new = before.processors.get(key), after.processors.get(key)
            return _GONE if new is None else _share(rate.what, old, new)
        case "network":
            bytes_old, bytes_new = before.networks.get(key), after.networks.get(key)
            if bytes_new is None:
                return _GONE
            which = ("rx", "tx").index(rate.what)
            return _added(bytes_old and bytes_old[which], bytes_new[which], seconds)
        case _:
            disk_old, disk_new = before.disks.get(key), after.disks.get(key)
            if disk_new is None:
                return _GONE
            if disk_old is None:
                return _GAP
            return _disk(rate.what, disk_old, disk_new, seconds)


def _share(what: str, old: Processor | None, new: Processor) -> Judged:
    total = new.total - old.total if old else 0
    if old is None or total <= 0:
        return _GAP
    if what == "iowait":
        part = new.waiting - old.waiting
    else:
        part = total - (new.idle - old.idle)
    # The kernel's idle times may run back by a few ticks (proc_stat(5)).
    return min(max(part / total, 0.0), 1.0) * PERCENT, Status.OK


def _disk(what: str, old: Disk, new: Disk, seconds: float) -> Judged:
    if new.transfers != old.transfers.at_least(new.transfers):
        return _GAP  # Another device has the name now, which counts from zero.
    if what == "busy":
        share = busy_share(old, new, seconds)
        return _GAP if share is None else (share * PERCENT, Status.OK)
    return _added(getattr(old.transfers, what), getattr(new.transfers, what), seconds)


def _added(old: int | None, new: int, seconds: float) -> Judged:
    if old is None or new < old:
        return _GAP
    return (new - old) / seconds, Status.OK
