"""The stretches of sessions that a chart of one figure shows; no Qt."""

from collections.abc import Mapping
from dataclasses import replace

from app.report.chart.panel import Row
from app.report.explanation import Explanation
from app.ui.chart.layers import Layer
from app.ui.session.record import Record

_ROOM = 0.15
"""Share of its window that is seen beside it on each side, which does not count."""


def cell_layers(
    records: Mapping[str, Record], found: Mapping[str, Explanation]
) -> list[Layer]:
    """Get the window of a figure with the channels that it was made of.

    One that was not made of samples, as one of a load's document, has the first row of
    charts, which is what the load did. Windows of several sessions begin at one place.

    Args:
        records: The sessions by their letters, or the only one by "".
        found: What the figure was made of in each of them.

    Returns:
        A layer for each session that has charts.
    """
    layers = []
    for mark, one in found.items():
        layer, (start, end) = records[mark].layer, one.window
        counted = {part.channel.name for part in one.samples}
        rows = [own for row in layer.rows if (own := _counted_first(row, counted))]
        room = round((end - start) * _ROOM)
        cut = replace(
            layer,
            rows=tuple(rows or layer.rows[:1]),
            start=max(layer.start, start - room),
            end=min(layer.end, end + room),
        )
        if len(found) > 1:
            cut = replace(cut, origin=start, name=mark, lane=ord(mark) - ord("A"))
        layers += [cut] * bool(cut.rows)
    return layers


def _counted_first(row: Row, counted: set[str]) -> Row | None:
    """Get a row whose first panel has such a channel, None without any."""
    for panel in row.panels:
        if counted & {channel.name for channel in panel.channels}:
            others = (one for one in row.panels if one is not panel)
            return replace(row, panels=(panel, *others))
    return None
