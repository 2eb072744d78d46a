"""What a chart reads from the store in one go, in a worker; no Qt."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.ui.layers import Layer, Phase, gap_spans, mark_spans, phases_of
from app.ui.lines import Line, load_line
from app.ui.panel import Row
from app.ui.spans import Span

Shown = tuple[str, str]
"""A row and the panel it shows: (name of the row, title of the panel)."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted.

    Attributes:
        layers: Which sessions.
        shown: Which panels.
        window: From and to in seconds from the origin.
        limit: No gap, step or note later than this, in nanoseconds, or None.
        points: About how many pixels a curve is drawn on.
        with_lines: Whether curves are wanted; they are read beyond the limit, so
            that a replay need not read them again for each picture.
    """

    layers: tuple[Layer, ...]
    shown: tuple[Shown, ...]
    window: tuple[float, float]
    limit: int | None
    points: int
    with_lines: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What was read: curves and gaps by panel, the steps, the user's notes."""

    lines: dict[Shown, list[Line | None]]
    gaps: dict[Shown, list[Span]]
    phases: list[Phase]
    notes: list[Span]


def read(request: Request) -> Answer:
    """Read everything a chart shows.

    Raises:
        BenchError: The session is no longer readable.
    """
    first = request.layers[0]
    return Answer(
        {shown: _lines(request, shown) for shown in request.shown}
        if request.with_lines
        else {},
        {shown: _gaps(request, shown) for shown in request.shown},
        phases_of(first, request.limit),
        [one for layer in request.layers for one in mark_spans(layer, request.limit)],
    )


def _lines(request: Request, shown: Shown) -> list[Line | None]:
    """Read the curves of one panel, layer after layer."""
    lines: list[Line | None] = []
    first = request.layers[0].panel(*shown)
    for layer in request.layers:
        panel = layer.panel(*shown)
        mine = {} if panel is None else {one.label: one for one in panel.curves}
        span = layer.window(*request.window, None)
        for curve in () if first is None else first.curves:
            found = mine.get(curve.label)
            if found is None:
                lines.append(None)
            else:
                lines.append(
                    load_line(layer.session, found, span, request.points, layer.origin)
                )
    return lines


def _gaps(request: Request, shown: Shown) -> list[Span]:
    spans = []
    for layer in request.layers:
        panel = layer.panel(*shown)
        if panel is not None:
            names = [channel.name for channel in panel.channels]
            spans += gap_spans(layer, names, request.limit)
    return spans


def common_rows(layers: Sequence[Layer]) -> list[Row]:
    """Get the rows of the first layer, with those panels that every layer has."""
    if not layers:
        return []
    rows = []
    for row in layers[0].rows:
        panels = tuple(
            panel
            for panel in row.panels
            if all(one.panel(row.name, panel.title) for one in layers[1:])
        )
        if panels:
            rows.append(Row(row.name, panels))
    return rows
