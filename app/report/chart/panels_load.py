"""Panels of what a load does: what it says of itself, its parts, what others see."""

from collections.abc import Container, Iterable

from app.report.chart.panel import Curve, Panel, panel_of
from app.report.chart.scale import scale_of
from instruments.reading import Channel
from workloads.disk_trace import SOURCE as DISK

FINE_LOG = "fio_log"
"""Source of the finer logs that join after a step; preferred where it has samples."""

_LOAD = (
    ("Throughput", (("Read", "read_bw"), ("Write", "write_bw"))),
    ("IOPS", (("Read", "read_iops"), ("Write", "write_iops"))),
    ("Mean latency", (("Read", "read_lat"), ("Write", "write_lat"))),
    ("p99 latency", (("Read", "read_p99"), ("Write", "write_p99"))),
)

_WANTED = frozenset(quantity for _, pairs in _LOAD for _, quantity in pairs)
_AT_DISK = "at the disk"
_MOST_LINES = 4
"""So many devices or hosts are drawn as lines, which still can be told apart."""


def fine_logs(channels: Iterable[Channel]) -> dict[str, Channel]:
    """Get the finer logs of a whole load by quantity, what is drawn where they are."""
    logs = (
        channel
        for channel in channels
        if channel.source == FINE_LOG and not channel.location
    )
    return {log.quantity: log for log in logs}


def load_words(
    channels: Iterable[Channel],
) -> tuple[list[Channel], dict[str, Channel]]:
    """Put what loads say of themselves before what others see of them.

    A disk's counters tell the same bytes once more, and what a cache answers they do
    not tell at all. Only a load knows how long its operations took, so whoever tells
    latencies is one.

    Returns:
        The channels, and the finer logs of what loads say. Where its logs are all that
        a load says, as over fio's servers, they stand for themselves: they are no finer
        ones of the disk's counters.
    """
    known = list(channels)
    others = {one.source for one in known if one.quantity in _WANTED}
    fine: dict[str, Channel] = {}
    if others - {FINE_LOG, DISK}:
        fine = fine_logs(known)
        known = [one for one in known if one.source != FINE_LOG]
    loads = {one.source for one in known if one.quantity.endswith("_lat")}
    known.sort(key=lambda one: (one.source == DISK, one.source not in loads))
    return known, fine


def load_panels(channels: Iterable[Channel]) -> list[Panel]:
    """Show what the load says; what another source saw has panels of its own."""
    words, fine = load_words(channels)
    by_source: dict[str, list[Channel]] = {}
    for word in words:
        if word.quantity in _WANTED:
            by_source.setdefault(word.source, []).append(word)
    load, *others = by_source or [""]
    mine, parts = _wholes_and_parts(by_source.get(load, []))
    panels = [_load_panel(mine, fine, *one) for one in _LOAD]
    panels += _parts_panels(parts)
    for name in others:
        theirs, _ = _wholes_and_parts(by_source[name])
        seen = _AT_DISK if name == DISK else name
        panels += [_load_panel(theirs, {}, f"{t}, {seen}", w) for t, w in _LOAD]
    return panels


def _wholes_and_parts(
    channels: Iterable[Channel],
) -> tuple[list[Channel], list[Channel]]:
    """Tell channels of a whole load from those of its devices or hosts."""
    found: tuple[list[Channel], list[Channel]] = [], []
    for channel in channels:
        found[bool(channel.location)].append(channel)
    return found


def _parts_panels(parts: list[Channel]) -> list[Panel]:
    """Show the devices or hosts of one load; devices of several hosts apart."""
    places = {part.location for part in parts}
    wholes = [part for part in parts if not _is_device(part.location, places)]
    devices = [part for part in parts if _is_device(part.location, places)]
    panels = [_parts_panel(wholes, f"{t}, each", w) for t, w in _LOAD]
    return panels + [_parts_panel(devices, f"{t}, each device", w) for t, w in _LOAD]


def _is_device(location: str, places: Container[str]) -> bool:
    """Tell a device of one of these hosts; names of hosts and jobs may have dots."""
    words = location.split(".")
    return any(".".join(words[:n]) in places for n in range(1, len(words)))


def _parts_panel(
    parts: list[Channel], title: str, wanted: tuple[tuple[str, str], ...]
) -> Panel:
    """Show each of a few, of many a band from the slowest to the fastest."""
    curves: list[Curve] = []
    for label, quantity in wanted:
        found = tuple(part for part in parts if part.quantity == quantity)
        groups: dict[str, tuple[Channel, ...]]
        groups = {f"{label} {one.location}": (one,) for one in found}
        if len(found) > _MOST_LINES:
            groups = {label: found}
        for name, some in groups.items():
            curves.append(Curve(name, some, scale_of(some[0].unit), len(curves)))
    return panel_of(title, curves, from_zero=True)


def _load_panel(
    channels: list[Channel],
    fine: dict[str, Channel],
    title: str,
    wanted: tuple[tuple[str, str], ...],
) -> Panel:
    curves = [
        Curve(label, (channel,), scale_of(channel.unit), index, fine.get(quantity))
        for index, (label, quantity) in enumerate(wanted)
        for channel in channels
        if channel.quantity == quantity
    ]
    return panel_of(title, curves, from_zero=True)
