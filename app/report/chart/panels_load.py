"""Panels of what a load does: what it says of itself, its parts, what others see."""

from collections.abc import Iterable

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
    panels += [_band_panel(parts, *one) for one in _LOAD]
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


def _band_panel(
    parts: list[Channel], title: str, wanted: tuple[tuple[str, str], ...]
) -> Panel:
    """Show the devices or hosts of one load, from the slowest to the fastest."""
    curves = [
        Curve(label, found, scale_of(found[0].unit), index)
        for index, (label, quantity) in enumerate(wanted)
        if (found := tuple(part for part in parts if part.quantity == quantity))
    ]
    return panel_of(f"{title}, each", curves, from_zero=True)


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
