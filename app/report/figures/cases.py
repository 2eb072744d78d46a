"""Sessions as figures compare them: rows, loads, and what was swept over."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from string import ascii_uppercase

from app.analysis.row_load import RowLoad, row_load
from app.record.store import Session, StepRow
from app.report.expanded import KEY
from app.report.rows import report_rows
from app.report.table import number_of
from instruments.metric import BY_NAME, METRICS, Metric
from instruments.sizes import describe_size, parse_size

_NO_OPTIONS = frozenset(("runtime", "ramp", "targets", "hosts"))
"""How long and on what a load ran does not make it another point of a sweep."""

COLOURS = 8
"""This many colours tell sessions apart."""

_LOG_SPAN = 8.0
"""Values that differ by so much are drawn by their logarithm."""


@dataclass(frozen=True, slots=True)
class Case:
    """One session among those that a figure shows.

    Attributes:
        place: Which one it is: its colour and its letter.
        session: Where samples are read from.
        rows: Of its report, without void attempts.
        loads: What each row ran, by its label.
        steps: The steps by their labels.
    """

    place: int
    session: Session
    rows: tuple[Mapping[str, object], ...]
    loads: Mapping[str, RowLoad] = field(default_factory=dict)
    steps: Mapping[str, StepRow] = field(default_factory=dict)

    @property
    def letter(self) -> str:
        """What it is called beside others."""
        return ascii_uppercase[self.place]

    def row(self, label: str) -> Mapping[str, object] | None:
        """Get the row of a step, None where it has none."""
        return next((row for row in self.rows if row["step"] == label), None)

    def error(self, row: Mapping[str, object], name: str) -> float | None:
        """Get the expanded uncertainty of a result, None where it is not known."""
        known = row.get(KEY)
        value = known.get(name) if isinstance(known, Mapping) else None
        return float(value) if isinstance(value, int | float) else None


def cases_of(sessions: Sequence[Session]) -> list[Case]:
    """Take sessions in the order in which they are compared; reads no samples."""
    cases = []
    for place, session in enumerate(sessions):
        steps = [step for step in session.steps() if not step.attempt]
        by_label = {step.label: step for step in steps}
        rows = tuple(row for row in report_rows(session) if row["step"] in by_label)
        info = session.info
        loads = {
            str(row["step"]): row_load(
                by_label[str(row["step"])].plan,
                row,
                info.bench,
                imported=info.is_imported,
            )
            for row in rows
        }
        cases.append(Case(place, session, rows, loads, by_label))
    return cases


def session_colours(places: Sequence[int], count: int) -> list[int]:
    """Deal colours so that each session has its own, whatever it or another lacks.

    Args:
        places: Of which session each line is, by its place.
        count: How many sessions are compared.

    Returns:
        Indices of colours: a session's first line has that of its place, further ones
        have those that no session has, then those of sessions without a line.
    """
    absent = [place for place in range(count) if place not in places]
    others = cycle([*range(count, COLOURS), *absent] or range(COLOURS))
    return [
        next(others) if place in places[:number] else place
        for number, place in enumerate(places)
    ]


def source_of(cases: Sequence[Case]) -> str:
    """Say which sessions a figure was made of, for its file."""
    said = [
        f"{case.letter} = {case.session.path.name}, {case.session.info.name}, "
        f"sha256 {case.session.sha256() or 'not finished'}"
        for case in cases
    ]
    return "; ".join(said)


def title_of(what: str, cases: Sequence[Case]) -> str:
    """Name a figure: what it shows, and of which sessions."""
    if len(cases) == 1:
        return f"{what}: {cases[0].session.info.name}"
    alike = len({case.session.info.name for case in cases}) < len(cases)
    names = [
        f"{one.letter} {one.session.path.stem if alike else one.session.info.name}"
        for one in cases[:4]
    ]
    more = f" and {len(cases) - 4} more" if len(cases) > 4 else ""
    return f"{what}: {', '.join(names)}{more}"


def metrics_in(cases: Sequence[Case]) -> list[Metric]:
    """List the metrics that any row has a number of, in the order of their columns."""
    known = {
        name
        for case in cases
        for row in case.rows
        for name in row
        if number_of(row, name) is not None
    }
    return [metric for metric in METRICS if metric.name in known]


def options_in(cases: Sequence[Case]) -> list[str]:
    """List the options that were swept: those with several values in one series."""
    names: dict[str, int] = {}
    for case in cases:
        every = {key for load in case.loads.values() for key in load.options}
        for name in every - _NO_OPTIONS:
            longest = max((len(p) for p in series_over(case, name).values()), default=0)
            if longest > 1:
                names[name] = max(names.get(name, 0), longest)
    return sorted(names, key=lambda name: (-names[name], name))


Point = tuple[float, Mapping[str, object]]
"""The value of the swept option, and the row."""


def series_over(case: Case, option: str) -> dict[str, list[Point]]:
    """Group rows that differ in one option alone, each by rising values of it.

    Returns:
        The points by the name of their series: the options in which it differs from
        the other series, "" for the only one.
    """
    groups: dict[tuple[tuple[str, str], ...], list[Point]] = {}
    for row in case.rows:
        load = case.loads.get(str(row["step"]))
        value = number_in(load.options.get(option)) if load is not None else None
        if load is not None and value is not None:
            key = _load_without(load, option)
            groups.setdefault(key, []).append((value, row))
    swept = {
        key: sorted(points, key=lambda point: point[0])
        for key, points in groups.items()
        if len({value for value, _ in points}) > 1
    }
    common = set.intersection(*map(set, swept)) if swept else set()
    return {
        " ".join(f"{k}={v}" for k, v in key if (k, v) not in common): points
        for key, points in swept.items()
    }


def _load_without(load: RowLoad, option: str) -> tuple[tuple[str, str], ...]:
    """Get what a row ran but for one option: rows of a sweep have it in common."""
    others = {k: v for k, v in load.options.items() if k not in _NO_OPTIONS}
    others["engine"] = load.engine
    del others[option]
    return tuple(sorted(others.items()))


def number_in(text: str | None) -> float | None:
    """Read a value of an option: a number, a percentage or a size; None for others."""
    if text is None:
        return None
    try:
        return float(text.removesuffix("%"))
    except ValueError:
        pass
    try:
        return float(parse_size(text))
    except ValueError:
        return None


def value_names(cases: Sequence[Case], option: str) -> dict[float, str]:
    """Get how the values of an option are written, sizes in their units."""
    names = {}
    for case in cases:
        for load in case.loads.values():
            text = load.options.get(option)
            value = number_in(text)
            if text is not None and value is not None:
                is_size = not text.removesuffix("%").replace(".", "").isdecimal()
                names[value] = describe_size(value) if is_size else text
    return dict(sorted(names.items()))


def is_log(values: Sequence[float]) -> bool:
    """Tell whether values are better seen by their logarithm."""
    return (
        len(values) > 2 and min(values) > 0 and max(values) >= _LOG_SPAN * min(values)
    )


def metric_of(name: str) -> Metric:
    """Get a metric by its name.

    Raises:
        KeyError: There is none.
    """
    return BY_NAME[name]


def labels_in(cases: Sequence[Case]) -> Iterator[str]:
    """Yield the labels of all rows once, in the order of the sessions."""
    yield from dict.fromkeys(str(row["step"]) for case in cases for row in case.rows)
