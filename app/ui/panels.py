"""Which curves belong together: rows of a chart and what can be shown in each."""

from collections.abc import Iterable, Sequence

from app.ui.panel import Curve, Panel, Row, panel_of
from app.ui.panels_heat import fans_panel, slots_panel, temperature_panel
from app.ui.panels_load import FINE_LOG, load_panels
from app.ui.units import Scale, scale_of
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
        ("Performance", load_panels(load, fine)),
        ("Power", [_power_panel(load, *one) for one in _POWER]),
        ("Temperature", [temperature_panel(load), slots_panel(load), fans_panel(load)]),
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


def _power_panel(channels: list[Channel], title: str, name: str, label: str) -> Panel:
    found = [one for one in channels if one.quantity == name and _is_electric(one)]
    several = len(found) > 1
    curves = [
        Curve(one.source if several else label, (one,), scale_of(one.unit), index)
        for index, one in enumerate(found)
    ]
    return panel_of(title, curves)


def _is_electric(channel: Channel) -> bool:
    return channel.unit in ("W", "VA", "var", "V", "A", "Hz", "Wh", "")


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
    return panel_of("Noise", curves)


def _noise_and_fans(channels: list[Channel]) -> Panel:
    """Fans in hundreds of turns a minute, which share an axis with decibels."""
    noise = _noise(channels).curves
    fans = tuple(one for one in channels if one.quantity == "fan")
    if not (noise and fans):
        return panel_of("Noise and fans", [])
    scale = Scale(0.01, "100/min", 1)
    curves = (*noise, Curve("Fans, 100/min", fans, scale, len(noise)))
    return Panel("Noise and fans", "dB(A)", curves)
