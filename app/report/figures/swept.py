"""Results over what was swept, and against each other: lines through rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from app.calc.crossing import Crossing, crossings
from app.report.figures.cases import (
    Case,
    Point,
    is_log,
    metric_of,
    series_over,
    source_of,
    title_of,
    value_names,
)
from app.report.figures.figure import Axis, Figure, Mark, Series, Shape, whiskers_note
from app.report.table import number_of
from instruments.metric import BY_NAME
from instruments.sizes import describe_size

_MOST_MARKS = 2
"""Lines that cross more often are taken for alike."""

_Course = Mapping[float, tuple[float, float]]
"""The mean of a result and its uncertainty at each value of what was swept."""


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
    groups: dict[str, int] = {}
    series = [
        line for case in cases for line in _swept_lines(case, option, name, groups)
    ]
    if not series:
        return None
    marks = [
        mark
        for other in cases[1:]
        for mark in _crossovers(cases[0], other, option, name)
    ]
    metric, names = metric_of(name), value_names(cases, option)
    values = sorted({x for line in series for x in line.x.tolist()})
    ticks = tuple((value, names.get(value, f"{value:g}")) for value in values)
    return Figure(
        title_of(f"{metric.head} over {option}", cases),
        _swept_note(series, has_marks=bool(marks)),
        Axis(option, is_log=is_log(values), ticks=ticks),
        Axis(metric.head),
        tuple(series),
        tuple(marks),
        source_of(cases),
    )


def _swept_lines(
    case: Case, option: str, name: str, groups: dict[str, int]
) -> Iterator[Series]:
    """Yield the lines of a session; `groups` numbers their names, of all sessions."""
    for key, points in series_over(case, option).items():
        group = groups.setdefault(key, len(groups))
        known = [(x, row) for x, row in points if number_of(row, name) is not None]
        title = " ".join(filter(None, (case.letter, key)))
        for line in _lines(case, title, known, name) if known else ():
            yield replace(line, group=group)


def _swept_note(series: Sequence[Series], *, has_marks: bool) -> str:
    notes = ["Points are rows of the report."]
    if any(line.shape is Shape.POINTS for line in series):
        notes.append("Lines go through the means of repeats.")
    notes.append(whiskers_note(series))
    if has_marks:
        notes.append(
            "Where two sessions cross: lines over the logarithm between measured "
            "points; shaded is where they may cross within their uncertainty, else "
            "the measured values on both sides."
        )
    return " ".join(filter(None, notes))


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


def _lines(case: Case, name: str, points: Sequence[Point], of: str) -> Iterator[Series]:
    """Yield a line through the means at each value, and all points of repeats."""
    means = {x: value for x, (value, _) in _course(case, points, of).items()}
    every = _line(case, name, points, of)
    if len(means) == len(points):
        yield every
        return
    x, y = np.array(list(means)), np.array(list(means.values()))
    yield Series(name, x, y, Shape.LINE, colour=case.place)
    yield replace(every, name=f"{name} (each repeat)".strip(), shape=Shape.POINTS)


def _line(case: Case, name: str, points: Sequence[Point], of: str) -> Series:
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
        first_course = _course(first, points, name)
        other_course = _course(other, known.get(key, []), name)
        # With a value of 0 the axis is not logarithmic: lines cross elsewhere there.
        if min([*first_course, *other_course], default=0.0) <= 0:
            continue
        found = crossings(_values(first_course), _values(other_course))
        if len(found) > _MOST_MARKS:
            continue
        for one in found:
            low, high = _span_of(one, first_course, other_course)
            at = describe_size(one.size) if one.size >= 1024 else f"{one.size:.3g}"
            series = f"{key}: " if key else ""
            yield Mark(
                one.size, f"{series}{first.letter} = {other.letter} at {at}", low, high
            )


def _span_of(one: Crossing, first: _Course, other: _Course) -> tuple[float, float]:
    """Get from and to where a crossing may lie: within the uncertainty, if it has one.

    The ends are where the upper edge of one course crosses the lower one of the other.
    """
    sizes = [
        crossing.size
        for sign in (1, -1)
        for crossing in crossings(_values(first, sign), _values(other, -sign))
        if one.below <= crossing.size <= one.above
    ]
    if len(sizes) == 2 and sizes[0] != sizes[1]:
        return min(sizes), max(sizes)
    return one.below, one.above


def _course(case: Case, points: Sequence[Point], name: str) -> _Course:
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


def _values(course: _Course, sign: int = 0) -> dict[float, float]:
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
        f"Each point is a row of the report. {whiskers_note(series)}".strip(),
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
