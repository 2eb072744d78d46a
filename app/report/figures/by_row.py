"""Figures of the rows of reports by step: bars, percentiles, boxes of repeats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.report.figures.cases import (
    Case,
    labels_in,
    metric_of,
    session_colours,
    source_of,
    title_of,
)
from app.report.figures.figure import Axis, Figure, Floats, Series, Shape, whiskers_note
from app.report.table import number_of
from instruments.metric import PERCENTILES, Metric, percentile_name

_GROUP = 0.8
"""Of the room of a step is filled by its bars or boxes."""


def bars_figure(cases: Sequence[Case], name: str) -> Figure | None:
    """Draw a bar of each session for each step that has the result."""
    metric = metric_of(name)
    labels = [
        label
        for label in labels_in(cases)
        if any(number_of(case.row(label) or {}, name) is not None for case in cases)
    ]
    if not labels:
        return None
    width = _GROUP / len(cases)
    series = [_bars(case, name, labels, width) for case in cases]
    return Figure(
        title_of(f"{metric.head} by step", cases),
        whiskers_note(series),
        _categories(labels),
        Axis(metric.head),
        tuple(series),
        source=source_of(cases),
    )


def _bars(case: Case, name: str, labels: Sequence[str], width: float) -> Series:
    rows = [case.row(label) or {} for label in labels]
    # An array of floats takes None for NaN.
    values = np.array([number_of(row, name) for row in rows], dtype=np.float64)
    errors = np.array([case.error(row, name) for row in rows], dtype=np.float64)
    return Series(
        case.letter,
        np.arange(len(labels), dtype=np.float64)
        + ((case.place + 0.5) * width - _GROUP / 2),
        values,
        Shape.BARS,
        colour=case.place,
        error=errors,
        names=tuple(labels),
        width=0.92 * width,
    )


def _categories(names: Sequence[str]) -> Axis:
    ticks = tuple((float(place), name) for place, name in enumerate(names))
    return Axis("", ticks=ticks, span=(-0.5, len(names) - 0.5))


def percentile_figure(cases: Sequence[Case], labels: Sequence[str]) -> Figure | None:
    """Draw the percentiles of latency of steps, spread towards the rare ones."""
    # The axis of nines: 99 % is at 2, 99.9 % at 3.
    at = [-np.log10(1 - percent / 100) for percent in PERCENTILES]
    drawn = [
        (case.place, Series(name, np.array(at), values, Shape.MARKED))
        for case in cases
        for label in labels
        for name, values in _percentiles(case, label)
    ]
    if not drawn:
        return None
    colours = session_colours([place for place, _ in drawn], len(cases))
    ticks = tuple(
        (place, f"{percent:g} %")
        for place, percent in zip(at, PERCENTILES, strict=True)
    )
    return Figure(
        title_of("Percentiles of latency", cases),
        "Share of the I/Os that took at most that long; the axis spreads rare ones "
        "out.",
        Axis("Share of I/Os", ticks=ticks),
        Axis("Latency (ms)", is_log=True),
        tuple(
            replace(one, colour=colour)
            for (_, one), colour in zip(drawn, colours, strict=True)
        ),
        source=source_of(cases),
    )


def _percentiles(case: Case, label: str) -> Iterator[tuple[str, Floats]]:
    """Yield those of reads and of writes, of all I/Os where neither is known."""
    row = case.row(label) or {}
    is_drawn = False
    for of in ("read", "write", "latency"):
        values = [number_of(row, percentile_name(of, p)) for p in PERCENTILES]
        if all(value is None for value in values) or (of == "latency" and is_drawn):
            continue
        is_drawn = True
        way = "" if of == "latency" else f", {of}"
        yield f"{case.letter} {label}{way}", np.array(values, dtype=np.float64)


def boxes_figure(cases: Sequence[Case], name: str) -> Figure | None:
    """Draw how a result scatters over the runs of each step that was repeated."""
    metric = metric_of(name)
    runs: dict[str, dict[int, list[float]]] = {}
    for case in cases:
        for row in case.rows:
            step = case.steps[str(row["step"])]
            value = number_of(row, name)
            if value is not None:
                runs.setdefault(step.series or step.label, {}).setdefault(
                    case.place, []
                ).append(value)
    runs = {key: own for key, own in runs.items() if max(map(len, own.values())) > 1}
    if not runs:
        return None
    width = _GROUP / len(cases)
    return Figure(
        title_of(f"{metric.head} over repeats", cases),
        "Each point is a run; the box is from the first to the third quartile with the "
        "median in it, the line from the lowest to the highest run.",
        _categories(list(runs)),
        Axis(metric.head, from_zero=False),
        tuple(_box(case, runs, width) for case in cases),
        source=source_of(cases),
    )


def _box(
    case: Case, runs: Mapping[str, Mapping[int, Sequence[float]]], width: float
) -> Series:
    x, y, cells, names = [], [], [], []
    for number, (series, own) in enumerate(runs.items()):
        values = own.get(case.place, [])
        at = number + (case.place + 0.5) * width - _GROUP / 2
        for place, value in enumerate(values):
            x.append(at)
            y.append(value)
            names.append(f"{series} ({place + 1})")
            five = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
            cells.append(five if not place else np.full(5, np.nan))
    return Series(
        case.letter,
        np.array(x),
        np.array(y),
        Shape.BOX,
        colour=case.place,
        cells=np.array(cells).reshape(-1, 5),
        names=tuple(names),
        width=0.7 * width,
    )


def first_metric(
    metrics: Sequence[Metric], wanted: Sequence[str], *, strict: bool
) -> str:
    """Get the first of some metrics that there is; "" without, or the first of all."""
    names = [metric.name for metric in metrics]
    every = wanted if strict else (*wanted, *names)
    return next((name for name in every if name in names), "")
