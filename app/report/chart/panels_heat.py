"""Panels of temperatures and fans, and the row below a map of slots."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.report.chart.panel import Curve, Panel, Row, panel_of
from app.report.chart.scale import channel_scale, scale_of
from instruments.reading import Channel


def temperature_panels(channels: list[Channel]) -> list[Panel]:
    """Show all drives as a band, and every other temperature as a line.

    Those in another unit than the first stand apart: a session of another program may
    have them.
    """
    every = [channel for channel in channels if channel.quantity == "temperature"]
    panels: list[Panel] = []
    for unit in dict.fromkeys(one.unit for one in every):
        slots, others = _drives_and_others(one for one in every if one.unit == unit)
        curves = [Curve("Drives", tuple(slots), scale_of(unit), 0)] if slots else []
        curves += [
            Curve(place, (one,), scale_of(unit), index)
            for index, (one, place) in enumerate(_places(others), 1)
        ]
        title = f"Temperature, {unit}" if panels else "Temperature"
        panels.append(panel_of(title, curves))
    return panels


def _drives_and_others(
    channels: Iterable[Channel],
) -> tuple[list[Channel], list[Channel]]:
    found: tuple[list[Channel], list[Channel]] = [], []
    for channel in channels:
        found[not channel.location.startswith("slot")].append(channel)
    return found


def slots_panel(channels: list[Channel]) -> Panel:
    """Four drives spread over the enclosure, as single lines."""
    slots = [
        channel
        for channel in channels
        if channel.quantity == "temperature"
        and channel.unit == "degC"
        and channel.location.startswith("slot")
    ]
    last = len(slots) - 1
    chosen = sorted({round(last * part / 3) for part in range(4)}) if slots else []
    curves = [
        Curve(place_of(slots[at]), (slots[at],), scale_of("degC"), index)
        for index, at in enumerate(chosen)
    ]
    return panel_of("Single drives", curves)


def fans_panels(channels: list[Channel]) -> list[Panel]:
    """Show every fan as a line, those in another unit than the first apart."""
    found = [channel for channel in channels if channel.quantity == "fan"]
    panels: list[Panel] = []
    for unit in dict.fromkeys(one.unit for one in found):
        curves = [
            Curve(place, (one,), channel_scale(one), index)
            for index, (one, place) in enumerate(
                pair for pair in _places(found) if pair[0].unit == unit
            )
        ]
        title = f"Fans, {unit}" if panels else "Fans"
        panels.append(panel_of(title, curves, from_zero=True))
    return panels


def slot_row(channels: Sequence[Channel], slot: str, *, simulated: bool) -> Row:
    """Make the row below a slot map: one slot, all slots as a band, and the inlet."""
    found = [channel for channel in channels if channel.quantity == "temperature"]
    slots = tuple(one for one in found if one.location.startswith("slot"))
    curves = [Curve("All slots", slots, scale_of("degC"), 0)]
    # The inlet has the colour that it has among all temperatures.
    others = _drives_and_others(one for one in found if one.unit == "degC")[1]
    inlet = [
        Curve(place_of(one), (one,), scale_of("degC"), index)
        for index, one in enumerate(others, 1)
        if one.location == "inlet"
    ][:1]
    free = 2 if inlet and inlet[0].colour == 1 else 1
    curves += inlet
    curves += [
        Curve(place_of(one), (one,), scale_of("degC"), free)
        for one in slots
        if one.location == slot
    ][:1]
    panel = replace(panel_of("Temperature", curves), simulated=simulated)
    return Row("Temperature", (panel,))


def place_of(channel: Channel) -> str:
    """Write where a channel is, such as "Slot 07" or "Inlet"."""
    place = channel.location or channel.source
    head = place.rstrip("0123456789")
    return f"{head} {place[len(head) :]}".strip().capitalize()


def _places(channels: Sequence[Channel]) -> list[tuple[Channel, str]]:
    """Write where each channel is, and whose it is where others are there as well."""
    places = [place_of(channel) for channel in channels]
    counts = Counter(places)
    return [
        (channel, f"{place} {channel.source}" if counts[place] > 1 else place)
        for channel, place in zip(channels, places, strict=True)
    ]
