"""What a chart reads from the store in one go, in a worker; no Qt."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.report.chart.line import Line, less
from app.report.chart.lines import load_line
from app.report.chart.panel import Curve, Panel, Row
from app.ui.chart.flags import Flag, flags_of
from app.ui.chart.layers import Layer, Phase, gap_spans, mark_spans, phases_of
from app.ui.chart.limit_lines import LimitLine, limit_lines
from app.ui.chart.spans import Span
from instruments.reading import SECOND

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
    """What was read: curves and gaps by panel, the steps, windows, notes and so on."""

    lines: dict[Shown, list[Line | None]]
    gaps: dict[Shown, list[Span]]
    phases: list[Phase]
    windows: list[Span]
    notes: list[Span]
    flags: list[Flag]
    limits: list[LimitLine]


def read(request: Request) -> Answer:
    """Read everything a chart shows.

    Raises:
        BenchError: The session is no longer readable.
    """
    phases = [phases_of(one, request.limit) for one in request.layers]
    is_alone = len(phases) == 1
    return Answer(
        {shown: _lines(request, shown) for shown in request.shown}
        if request.with_lines
        else {},
        {shown: _gaps(request, shown) for shown in request.shown},
        phases[0],
        _windows(request.layers, phases),
        [note for one in request.layers for note in mark_spans(one, request.limit)],
        flags_of(request.layers[0], request.limit) if is_alone else [],
        list(limit_lines(request.layers[0], phases[0])) if is_alone else [],
    )


def _windows(layers: Sequence[Layer], phases: Sequence[Sequence[Phase]]) -> list[Span]:
    """Get the measured windows of all sessions."""
    return [
        Span(*phase.window, layer=layer.name)
        for layer, phases_of_layer in zip(layers, phases, strict=True)
        for phase in phases_of_layer
        if phase.window
    ]


def _lines(request: Request, shown: Shown) -> list[Line | None]:
    """Read the curves of one panel, layer after layer."""
    lines: list[Line | None] = []
    whole = _joint_panel(request.layers, *shown)
    for layer in request.layers:
        panel = layer.panel(*shown)
        mine = {} if panel is None else {one.key: one for one in panel.curves}
        span = layer.window(*request.window, None)
        if whole.is_difference and layer.part is not None:
            # Beyond the step it would be of whatever each of them ran next.
            left = max(span[0], layer.part[0])
            span = left, max(left, min(span[1], layer.part[1]))
        # What lies before or after the session takes no points.
        wanted = (request.window[1] - request.window[0]) * SECOND
        share = (span[1] - span[0]) / max(wanted, 1)
        points = max(1, round(request.points * share))
        for curve in whole.curves:
            found = mine.get(curve.key)
            if found is None:
                lines.append(None)
            else:
                lines.append(
                    load_line(layer.session, found, span, points, layer.origin)
                )
    return _differences(lines, len(whole.curves)) if whole.is_difference else lines


def _differences(lines: Sequence[Line | None], count: int) -> list[Line | None]:
    """Take the lines of the first layer, so many, off those of all others."""
    found: list[Line | None] = [None] * min(count, len(lines))
    for number, line in enumerate(lines[count:]):
        first = lines[number % count]
        known = line is not None and first is not None
        found.append(less(line, first) if known else None)  # type: ignore[arg-type]
    return found


def _gaps(request: Request, shown: Shown) -> list[Span]:
    spans = []
    for layer in request.layers:
        panel = layer.panel(*shown)
        if panel is not None:
            names = [channel.name for channel in panel.channels]
            spans += gap_spans(layer, names, request.limit)
    return spans


def joint_rows(layers: Sequence[Layer]) -> list[Row]:
    """Get the rows of all layers, with every panel and every curve that one has.

    Panels that all of them have stand first.
    """
    if len(layers) == 1:
        return list(layers[0].rows)
    rows: dict[str, list[Row]] = {}
    for row in (row for layer in layers for row in layer.rows):
        rows.setdefault(row.name, []).append(row)
    return [_joint_row(layers, same) for same in rows.values()]


def _joint_row(layers: Sequence[Layer], rows: Sequence[Row]) -> Row:
    """Put the rows of one name into one."""
    first = rows[0]
    titles = dict.fromkeys(panel.title for row in rows for panel in row.panels)
    common = [t for t in titles if all(one.panel(first.name, t) for one in layers)]
    ordered = dict.fromkeys([*common, *titles])
    panels = tuple(_joint_panel(layers, first.name, title) for title in ordered)
    return replace(first, panels=panels)


def _joint_panel(layers: Sequence[Layer], row: str, title: str) -> Panel:
    """Put the curves of all layers into one panel; the same ones stand in it once."""
    panels = [
        panel for layer in layers if (panel := layer.panel(row, title)) is not None
    ]
    curves: dict[str, Curve] = {}
    for curve in (curve for panel in panels for curve in panel.curves):
        curves[curve.key] = _joint_curve(curves.get(curve.key, curve), curve)
    simulated = any(panel.simulated for panel in panels)
    return replace(panels[0], curves=tuple(curves.values()), simulated=simulated)


def _joint_curve(first: Curve, second: Curve) -> Curve:
    """Let one curve stand for two of the same key; one with a band is preferred."""
    curve = second if second.is_band and not first.is_band else first
    # A meter in one session may be the sum of several in the other.
    return replace(
        curve, label=curve.label if first.label == second.label else curve.key
    )


def apart_by_unit(rows: Sequence[Row], others: Sequence[Row]) -> tuple[Row, ...]:
    """Name panels by their unit where others have one of that title in another unit.

    They cannot share an axis.
    """
    units = {(r.name, p.title): p.unit for r in others for p in r.panels}

    def named(row: Row, panel: Panel) -> Panel:
        is_same = units.get((row.name, panel.title), panel.unit) == panel.unit
        return panel if is_same else replace(panel, title=_with_unit(panel))

    return tuple(
        Row(row.name, tuple(named(row, panel) for panel in row.panels)) for row in rows
    )


def _with_unit(panel: Panel) -> str:
    return f"{panel.title}, {panel.unit}" if panel.unit else f"{panel.title}, no unit"
