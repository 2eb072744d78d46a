"""Figures made of rows of reports: over a sweep, against each other, bars, boxes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from app.calc.crossing import crossings
from app.report.figures.cases import (
    Case,
    is_log,
    labels_in,
    metric_of,
    series_over,
    session_colours,
    source_of,
    title_of,
    value_names,
)
from app.report.figures.figure import Axis, Figure, Floats, Mark, Series, Shape
from app.report.table import number_of
from instruments.metric import BY_NAME, PERCENTILES, Metric, percentile_name
from instruments.sizes import describe_size

_GROUP = 0.8
"""Of the room of a step is filled by its bars or boxes."""

_MOST_MARKS = 2
"""Lines that cross more often are taken for alike."""


def swept_figure(
    cases: Sequence[Case], option: str, name: str, below: str = ""
) -> Figure | None:
    """Draw a result over what was swept, one line for each session and series.

    Args:
        cases: The sessions.
        option: What was swept.
        name: Of the result.
        below: Of the one in a figure below; a name that no row has is left out.
    """
    lower = swept_figure(cases, option, below) if below in BY_NAME else None
    if lower is not None and below != name:
        return _above(swept_figure(cases, option, name), lower, option, cases)
    metric = metric_of(name)
    series: list[Series] = []
    marks: list[Mark] = []
    values: set[float] = set()
    groups: dict[str, int] = {}
    for case in cases:
        for key, points in series_over(case, option).items():
            group = groups.setdefault(key, len(groups))
            known = [(x, row) for x, row in points if number_of(row, name) is not None]
            values.update(x for x, _ in known)
            title = " ".join(filter(None, (case.letter, key)))
            lines = _lines(case, title, known, name) if known else ()
            series += [replace(one, group=group) for one in lines]
    if not series:
        return None
    for other in cases[1:]:
        marks += list(_crossovers(cases[0], other, option, name))
    names = value_names(cases, option)
    ticks = tuple((value, names.get(value, f"{value:g}")) for value in sorted(values))
    repeated = "Lines go through the means of repeats. " * any(
        one.shape is Shape.POINTS for one in series
    )
    about = f"Points are rows of the report. {repeated}{_errors_said(series)}".strip()
    if marks:
        about += (
            " Where two sessions cross: lines over the logarithm between measured "
            "points; shaded is where they may cross within their uncertainty, else "
            "the measured values on both sides."
        )
    return Figure(
        title_of(f"{metric.head} over {option}", cases),
        about.strip(),
        Axis(option, is_log=is_log(sorted(values)), ticks=ticks),
        Axis(metric.head),
        tuple(series),
        tuple(marks),
        source_of(cases),
    )


def _above(
    first: Figure | None, lower: Figure, option: str, cases: Sequence[Case]
) -> Figure | None:
    """Put a figure above another one; None where there is none to be above it."""
    if first is None:
        return None
    heads = f"{first.y.title} and {lower.y.title} over {option}"
    about = first.about
    if first.about != lower.about:
        about += f" Below: {lower.about}"
    return replace(first, title=title_of(heads, cases), about=about, below=lower)


def _errors_said(series: Sequence[Series]) -> str:
    has = any(one.error is not None and np.isfinite(one.error).any() for one in series)
    return "Whiskers are expanded uncertainties (k = 2)." if has else ""


def _lines(
    case: Case, name: str, points: Sequence[tuple[float, Mapping[str, object]]], of: str
) -> Iterator[Series]:
    """Yield a line through the means at each value, and all points of repeats."""
    means = {x: value for x, (value, _) in _course(case, points, of).items()}
    every = _line(case, name, points, of)
    if len(means) == len(points):
        yield every
        return
    x, y = np.array(list(means)), np.array(list(means.values()))
    yield Series(name, x, y, Shape.LINE, colour=case.place)
    yield replace(every, name=f"{name} (each repeat)".strip(), shape=Shape.POINTS)


def _line(
    case: Case, name: str, points: Sequence[tuple[float, Mapping[str, object]]], of: str
) -> Series:
    errors = [case.error(row, of) for _, row in points]
    return Series(
        name,
        np.array([x for x, _ in points], dtype=np.float64),
        np.array([number_of(row, of) for _, row in points], dtype=np.float64),
        Shape.MARKED,
        colour=case.place,
        error=np.array([np.nan if e is None else e for e in errors])
        if any(e is not None for e in errors)
        else None,
    )


def _crossovers(first: Case, other: Case, option: str, name: str) -> Iterator[Mark]:
    """Yield where two sessions have the same result, with where that may lie."""
    known = series_over(other, option)
    for key, points in series_over(first, option).items():
        own = _course(first, points, name)
        its = _course(other, known.get(key, []), name)
        if min([*own, *its], default=0.0) <= 0:
            continue
        found = crossings(_values(own), _values(its))
        if len(found) > _MOST_MARKS:
            continue
        for one in found:
            low, high = one.below, one.above
            around = [
                crossing.size
                for sign in (1, -1)
                for crossing in crossings(_values(own, sign), _values(its, -sign))
                if low <= crossing.size <= high
            ]
            if len(around) == 2 and around[0] != around[1]:
                low, high = sorted(around)
            at = describe_size(one.size) if one.size >= 1024 else f"{one.size:.3g}"
            series = f"{key}: " if key else ""
            yield Mark(
                one.size, f"{series}{first.letter} = {other.letter} at {at}", low, high
            )


def _course(
    case: Case, points: Sequence[tuple[float, Mapping[str, object]]], name: str
) -> dict[float, tuple[float, float]]:
    """Get the mean at each value of what was swept, and the largest uncertainty there.

    What the meters are off by is alike in repeats, so a mean makes it no smaller.
    """
    found: dict[float, list[tuple[float, float]]] = {}
    for x, row in points:
        if (value := number_of(row, name)) is not None:
            found.setdefault(x, []).append((value, case.error(row, name) or 0.0))
    return {
        x: (fmean(value for value, _ in each), max(error for _, error in each))
        for x, each in found.items()
    }


def _values(
    course: Mapping[float, tuple[float, float]], sign: int = 0
) -> dict[float, float]:
    return {x: value + sign * error for x, (value, error) in course.items()}


def against_figure(
    cases: Sequence[Case], across: str, up: str, option: str = ""
) -> Figure | None:
    """Draw one result of each row against another one.

    Args:
        cases: The sessions.
        across: The metric that runs to the right.
        up: The metric that runs upwards.
        option: Rows that differ in it alone are joined by a line, and named by it.
    """
    x, y = metric_of(across), metric_of(up)
    groups: dict[str, int] = {}
    series = [
        one for case in cases for one in _pairs(case, (across, up), option, groups)
    ]
    if not series:
        return None
    return Figure(
        title_of(f"{y.head} against {x.head}", cases),
        f"Each point is a row of the report. {_errors_said(series)}".strip(),
        Axis(x.head),
        Axis(y.head, from_zero=y.has_ratio),
        tuple(series),
        source=source_of(cases),
    )


def _pairs(
    case: Case, pair: tuple[str, str], option: str, groups: dict[str, int]
) -> Iterator[Series]:
    """Yield the lines of a session; `groups` numbers their names, of all sessions."""
    swept = series_over(case, option) if option else {}
    names = value_names([case], option) if option else {}
    for key, points in swept.items():
        group = groups.setdefault(key, len(groups))
        known = [(v, row) for v, row in points if _has(row, *pair)]
        if known:
            label = " ".join(filter(None, (case.letter, key)))
            names_shown = tuple(f"{option} {names.get(v, v)}" for v, _ in known)
            rows = [row for _, row in known]
            yield replace(_cloud(case, label, rows, pair, names_shown), group=group)
    if not swept:
        yield from _single_points(case, *pair)


def _single_points(case: Case, across: str, up: str) -> Iterator[Series]:
    """Yield each row by itself: no line joins them, as their order means nothing."""
    rows = [row for row in case.rows if _has(row, across, up)]
    if not rows:
        return
    names = tuple(str(row["step"]) for row in rows)
    cloud = _cloud(case, case.letter, rows, (across, up), names)
    for place in range(len(rows)):
        here = slice(place, place + 1)
        yield replace(
            cloud,
            name="" if place else cloud.name,
            x=cloud.x[here],
            y=cloud.y[here],
            error=None if cloud.error is None else cloud.error[here],
            names=names[here],
        )


def _has(row: Mapping[str, object], *names: str) -> bool:
    return all(number_of(row, name) is not None for name in names)


def _cloud(
    case: Case,
    label: str,
    rows: Sequence[Mapping[str, object]],
    pair: tuple[str, str],
    said: tuple[str, ...],
) -> Series:
    points = [(number_of(row, pair[0]) or 0.0, row) for row in rows]
    line = _line(case, label, points, pair[1])
    return Series(
        label,
        line.x,
        line.y,
        Shape.MARKED,
        colour=case.place,
        error=line.error,
        names=said,
    )


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
        _errors_said(series),
        _categories("", labels),
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


def _categories(title: str, names: Sequence[str]) -> Axis:
    ticks = tuple((float(place), name) for place, name in enumerate(names))
    return Axis(title, ticks=ticks, span=(-0.5, len(names) - 0.5))


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
        _categories("", list(runs)),
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
