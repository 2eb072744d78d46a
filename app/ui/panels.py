"""Which curves belong together: rows of a chart and what can be shown in each."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.ui.panel import Curve, Panel, Row
from app.ui.units import Scale, scale_of
from instruments.reading import Channel

FINE_LOG = "fio_log"
"""Source of the finer logs that join after a step; preferred where it has samples."""

_LOAD = (
    ("Throughput", (("Read", "read_bw"), ("Write", "write_bw"))),
    ("IOPS", (("Read", "read_iops"), ("Write", "write_iops"))),
    ("Mean latency", (("Read", "read_lat"), ("Write", "write_lat"))),
    ("99 % latency", (("Read", "read_p99"), ("Write", "write_p99"))),
)
_POWER = (
    ("Active power", "P", "Power"),
    ("Apparent power", "S", "Apparent"),
    ("Reactive power", "Q", "Reactive"),
    ("Power factor λ", "lambda", "λ"),
    ("Voltage", "U", "Voltage"),
    ("Current", "I", "Current"),
    ("Frequency", "f", "Frequency"),
    ("Energy", "Wh", "Energy"),
)
_NOISE = (("LAeq", "LAeq"), ("LAFmax", "LAFmax"))


def rows_of(channels: Sequence[Channel], simulated: Iterable[str] = ()) -> list[Row]:
    """Arrange what was recorded as rows: performance, power, temperature, noise.

    Args:
        channels: As recorded; quantities nobody knows are left out.
        simulated: Names of the sources that are simulators.
    """
    fakes = frozenset(simulated)
    load = [one for one in channels if one.source != FINE_LOG]
    logs = [one for one in channels if one.source == FINE_LOG]
    fine = {one.quantity: one for one in logs if not one.location}
    groups = (
        ("Performance", _performance(load, fine)),
        ("Power", [_power_panel(load, *one) for one in _POWER]),
        ("Temperature", [_temperature(load), _slots(load), _fans(load)]),
        ("Noise", [_noise(load), _noise_and_fans(load)]),
    )
    rows = []
    for name, found in groups:
        panels = tuple(_label(panel, fakes) for panel in found if panel.curves)
        if panels:
            rows.append(Row(name, panels))
    return rows


def _label(panel: Panel, fakes: frozenset[str]) -> Panel:
    fake = any(channel.source in fakes for channel in panel.channels)
    return Panel(panel.title, panel.unit, panel.curves, panel.from_zero, fake)


def _panel(title: str, curves: list[Curve], *, from_zero: bool = False) -> Panel:
    unit = curves[0].scale.unit if curves else ""
    return Panel(title, unit, tuple(curves), from_zero)


def own_words(channels: Iterable[Channel]) -> list[Channel]:
    """Put what loads say of themselves before what others see of them.

    A disk's counters tell the same bytes once more. Only a load knows how long
    its operations took, so whoever tells latencies is one.
    """
    known = list(channels)
    loads = {one.source for one in known if one.quantity.endswith("_lat")}
    return sorted(known, key=lambda one: one.source not in loads)


def _performance(load: list[Channel], fine: dict[str, Channel]) -> list[Panel]:
    """Show what the load says; what another source saw has panels of its own."""
    wanted = {quantity for _, pairs in _LOAD for _, quantity in pairs}
    known = [one for one in own_words(load) if one.quantity in wanted]
    own = known[0].source if known else ""
    others = dict.fromkeys(one.source for one in known if one.source != own)
    mine = [one for one in known if one.source == own and not one.location]
    parts = [one for one in known if one.source == own and one.location]
    panels = [_load_panel(mine, fine, *one) for one in _LOAD]
    panels += [_band_panel(parts, *one) for one in _LOAD]
    for name in others:
        theirs = [one for one in known if one.source == name and not one.location]
        panels += [_load_panel(theirs, {}, f"{t}, {name}", w) for t, w in _LOAD]
    return panels


def _band_panel(
    parts: list[Channel], title: str, wanted: tuple[tuple[str, str], ...]
) -> Panel:
    """Show the devices or hosts of one load, from the slowest to the fastest."""
    curves = [
        Curve(label, found, scale_of(found[0].unit), index)
        for index, (label, quantity) in enumerate(wanted)
        if (found := tuple(one for one in parts if one.quantity == quantity))
    ]
    return _panel(f"{title}, each", curves, from_zero=True)


def _load_panel(
    channels: list[Channel],
    fine: dict[str, Channel],
    title: str,
    wanted: tuple[tuple[str, str], ...],
) -> Panel:
    curves = [
        Curve(label, (one,), scale_of(one.unit), index, fine.get(quantity))
        for index, (label, quantity) in enumerate(wanted)
        for one in channels
        if one.quantity == quantity
    ]
    return _panel(title, curves, from_zero=True)


def _power_panel(channels: list[Channel], title: str, name: str, label: str) -> Panel:
    found = [one for one in channels if one.quantity == name and _is_electric(one)]
    several = len(found) > 1
    curves = [
        Curve(one.source if several else label, (one,), scale_of(one.unit), index)
        for index, one in enumerate(found)
    ]
    return _panel(title, curves)


def _is_electric(channel: Channel) -> bool:
    return channel.unit in ("W", "VA", "var", "V", "A", "Hz", "Wh", "")


def _temperature(channels: list[Channel]) -> Panel:
    found = [one for one in channels if one.quantity == "temperature"]
    slots = tuple(one for one in found if one.location.startswith("slot"))
    curves = []
    if slots:
        curves.append(Curve("Drives", slots, scale_of("degC"), 0))
    others = [one for one in found if not one.location.startswith("slot")]
    curves += [
        Curve(_place_among(one, others), (one,), scale_of("degC"), index)
        for index, one in enumerate(others, 1)
    ]
    return _panel("Temperature", curves)


def _slots(channels: list[Channel]) -> Panel:
    """Four drives spread over the enclosure, as single lines."""
    slots = [
        one
        for one in channels
        if one.quantity == "temperature" and one.location.startswith("slot")
    ]
    last = len(slots) - 1
    chosen = sorted({round(last * part / 3) for part in range(4)}) if slots else []
    curves = [
        Curve(place_of(slots[at]), (slots[at],), scale_of("degC"), index)
        for index, at in enumerate(chosen)
    ]
    return _panel("Single drives", curves)


def _fans(channels: list[Channel]) -> Panel:
    found = [one for one in channels if one.quantity == "fan"]
    curves = [
        Curve(_place_among(one, found), (one,), scale_of(one.unit), index)
        for index, one in enumerate(found)
    ]
    return _panel("Fans", curves, from_zero=True)


def _noise(channels: list[Channel]) -> Panel:
    found = [
        (label, one)
        for label, quantity in _NOISE
        for one in channels
        if one.quantity == quantity
    ]
    several = len({one.source for _, one in found}) > 1
    curves = [
        Curve(
            f"{label} {one.source}" if several else label, (one,), scale_of("dB"), index
        )
        for index, (label, one) in enumerate(found)
    ]
    return _panel("Noise", curves)


def _noise_and_fans(channels: list[Channel]) -> Panel:
    """Fans in hundreds of turns a minute, which share an axis with decibels."""
    noise = _noise(channels).curves
    fans = tuple(one for one in channels if one.quantity == "fan")
    if not (noise and fans):
        return _panel("Noise and fans", [])
    scale = Scale(0.01, "100/min", 1)
    curves = (*noise, Curve("Fans, 100/min", fans, scale, len(noise)))
    return Panel("Noise and fans", "dB(A)", curves)


def slot_row(channels: Sequence[Channel], slot: str, *, simulated: bool) -> Row:
    """Make the row below a slot map: one slot, all slots as a band, and the inlet.

    Args:
        channels: As recorded.
        slot: Location of the slot, "" for none.
        simulated: Whether any of it comes from a simulator.
    """
    found = [one for one in channels if one.quantity == "temperature"]
    slots = tuple(one for one in found if one.location.startswith("slot"))
    curves = [Curve("All slots", slots, scale_of("degC"), 0)]
    curves += [
        Curve(place_of(one), (one,), scale_of("degC"), 2)
        for one in found
        if one.location == "inlet"
    ][:1]
    curves += [
        Curve(place_of(one), (one,), scale_of("degC"), 1)
        for one in slots
        if one.location == slot
    ][:1]
    panel = replace(_panel("Temperature", curves), simulated=simulated)
    return Row("Temperature", (panel,))


def place_of(channel: Channel) -> str:
    """Write where a channel is, such as "Slot 07" or "Inlet"."""
    place = channel.location or channel.source
    head = place.rstrip("0123456789")
    return f"{head} {place[len(head) :]}".strip().capitalize()


def _place_among(channel: Channel, others: Iterable[Channel]) -> str:
    """Write where a channel is, and whose it is where others are there as well."""
    place = place_of(channel)
    several = sum(place_of(one) == place for one in others) > 1
    return f"{place} {channel.source}" if several else place
