"""Which curves belong together: rows of a chart and what can be shown in each."""

from collections.abc import Iterable, Sequence

from app.record.store import Session, SourceRow
from app.report.chart.maths import Maths, Operation
from app.report.chart.panel import Curve, Panel, Row, panel_of
from app.report.chart.panels_heat import fans_panels, slots_panel, temperature_panels
from app.report.chart.panels_load import FINE_LOG, load_panels
from app.report.chart.scale import scale_of
from instruments.base import DUT
from instruments.reading import Channel

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
ELECTRIC = frozenset(quantity for _, quantity, _ in _POWER)
"""What a power meter reports."""

_ADDED = ("P", "S", "Q", "Wh")
"""Quantities of which the feeds of one device add up."""

_NOISE = (("LAeq", "LAeq"), ("LAFmax", "LAFmax"))


def session_rows(session: Session) -> list[Row]:
    """Arrange what a session recorded as rows; see `rows_of`."""
    fakes = [source.name for source in session.sources() if source.simulated]
    return rows_of(session.channels(), fakes, no_meters(session.sources()))


def no_meters(sources: Sequence[SourceRow]) -> frozenset[str]:
    """Get sources of power that are not meters of the device: others', or a BMC."""
    meters = {s.name for s in sources if s.section == "power" and s.measures == DUT}
    every = {source.name for source in sources}
    return frozenset(every - meters) if meters else frozenset()


def rows_of(
    channels: Sequence[Channel],
    simulated: Iterable[str] = (),
    others: Iterable[str] = (),
) -> list[Row]:
    """Arrange what was recorded as rows: performance, power, temperature, noise."""
    beside = frozenset(others)
    fakes = frozenset(simulated)
    load = [channel for channel in channels if channel.source != FINE_LOG]
    groups = (
        ("Performance", load_panels(channels)),
        ("Power", [_power_panel(load, beside, *one) for one in _POWER]),
        (
            "Temperature",
            [*temperature_panels(load), slots_panel(load), *fans_panels(load)],
        ),
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


def _power_panel(
    channels: list[Channel], others: frozenset[str], title: str, name: str, label: str
) -> Panel:
    """Show every meter, and what the feeds of the device are together."""
    found = [
        channel
        for channel in channels
        if channel.quantity == name and _is_electric(channel)
    ]
    feeds = tuple(one for one in found if one.source not in others)
    scale = scale_of(found[0].unit) if found else scale_of("")
    curves: list[Curve] = []
    if len(feeds) > 1 and name in _ADDED:
        summed = f"{label}, sum of {len(feeds)}"
        maths = Maths(Operation.SUM, feeds[0].unit)
        curves.append(Curve(summed, feeds, scale, maths=maths, name=label))
    curves += [
        Curve(
            label if len(found) == 1 else _meter_among(one, found),
            (one,),
            scale_of(one.unit),
            index,
            name=label if feeds == (one,) else "",
        )
        for index, one in enumerate(found, len(curves))
    ]
    return panel_of(title, curves)


def _meter_among(channel: Channel, others: Sequence[Channel]) -> str:
    """Write whose it is, and which outlet where a meter has several."""
    several = sum(other.source == channel.source for other in others) > 1
    return f"{channel.source} {channel.location}" if several else channel.source


def _is_electric(channel: Channel) -> bool:
    return channel.unit in ("W", "VA", "var", "V", "A", "Hz", "Wh", "")


def _noise(channels: list[Channel]) -> Panel:
    found = [
        (label, channel)
        for label, quantity in _NOISE
        for channel in channels
        if channel.quantity == quantity
    ]
    several = len({one.source for _, one in found}) > 1
    curves = [
        Curve(
            f"{label} {one.source}" if several else label, (one,), scale_of("dB"), index
        )
        for index, (label, one) in enumerate(found)
    ]
    return panel_of("Noise", curves)


def _noise_and_fans(channels: list[Channel]) -> Panel:
    """Show both at once; fans have the axis at the right."""
    noise = _noise(channels).curves
    fans = tuple(c for c in channels if c.quantity == "fan" and c.unit == "1/min")
    if not (noise and fans):
        return panel_of("Noise and fans", [])
    curves = (*noise, Curve("Fans", fans, scale_of("1/min"), len(noise)))
    return panel_of("Noise and fans", curves)
