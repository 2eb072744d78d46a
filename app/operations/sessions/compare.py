"""Put sessions side by side, as the window and the command line show them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from app.analysis.compare import About, Comparison, compare_tables
from app.analysis.derived import Economics
from app.analysis.interrupted import open_session
from app.analysis.row_load import RowLoad, row_load
from app.analysis.setup_facts import facts_of
from app.calc.crossing import SIZES, Crossing, crossings
from app.plan.campaign import stored_campaign
from app.plan.step import Step
from app.plan.verdict import Outcome
from app.record.store import Session
from app.report.document import build_document
from app.report.doubts import Doubts, Series, doubts_of, series_in
from app.report.efficiency import economics_of, terms_of
from app.report.parts import part_rows, told_lost
from app.report.rows import report_rows
from instruments.base import DUT
from instruments.errors import BadInput
from instruments.files.foreign_text import stored_toml
from instruments.sizes import describe_size, parse_size

_MOST_POINTS = 2
"""Courses that cross more often are taken for alike."""

Sweeps = Mapping[str, Mapping[int, str]]
"""Labels of rows by size in bytes, by the name of the sweep."""

Rows = Sequence[Mapping[str, object]]


def sweeps_over_sizes(campaign: str) -> Sweeps:
    """Find the sweeps over a size of a stored campaign; none where it has none.

    One that has further axes counts as one for each of their points.
    """
    known = stored_campaign(campaign)
    found: dict[str, dict[int, str]] = {}
    for step in known.steps if known else ():
        for name, size, label in _points(step):
            found.setdefault(name, {})[size] = label
    return {name: labels for name, labels in found.items() if len(labels) > 1}


def _points(step: Step) -> Iterator[tuple[str, int, str]]:
    """Yield of each point its series, its size in bytes, and its row."""
    if not step.enabled or step.sweep is None or step.repeat != 1:
        return
    option = next((a.option for a in step.sweep.axes if a.option in SIZES), None)
    if option is None:
        return
    base = re.sub(
        r"(?<!\s)\s+(?=,)", "", step.label.replace(f"{{{option}}}", "")
    ).strip(" ,")
    for point in step.sweep.points(step.label):
        others = {key: value for key, value in point.options.items() if key != option}
        size = parse_size(point.options[option])
        yield _series_name(base, others), size, point.label


def _series_name(base: str, options: Mapping[str, str]) -> str:
    """Put options where the label of a step has a place for them, else behind it."""
    name = base
    for key, value in options.items():
        place = f"{{{key}}}"
        given = place in name
        name = name.replace(place, value) if given else f"{name} {key} {value}"
    return name.strip()


def crossing_sentences(sweeps: Sequence[Sweeps], tables: Sequence[Rows]) -> list[str]:
    """Say of each sweep that two sessions share which is the faster one at what size.

    The first session is compared with each of the others, by bandwidth; IOPS are that
    over the size, and cross at the same point.
    """
    values = [
        {
            str(row["step"]): float(rate)
            for row in table
            if isinstance(rate := row.get("bandwidth_mb_s"), int | float)
        }
        for table in tables
    ]
    sentences = []
    for number in range(1, len(sweeps)):
        letter = chr(ord("A") + number)
        for name, labels in sweeps[0].items():
            own = _course(labels, values[0])
            other = _course(sweeps[number].get(name, {}), values[number])
            shared = sorted(own.keys() & other.keys())
            if len(shared) > 1:
                told = _told(crossings(own, other), own, other, letter)
                sentences.append(f"{name}: {told}")
    return sentences


def _course(labels: Mapping[int, str], values: Mapping[str, float]) -> dict[int, float]:
    return {size: values[label] for size, label in labels.items() if label in values}


def _told(
    points: Sequence[Crossing],
    own: Mapping[int, float],
    other: Mapping[int, float],
    letter: str,
) -> str:
    if len(points) > _MOST_POINTS:
        first, last = describe_size(points[0].size), describe_size(points[-1].size)
        return (
            f"A and {letter} cross {len(points)} times from {first} to {last}, so "
            "neither is the faster one throughout"
        )
    if points:
        return "; ".join(
            f"A and {letter} are equally fast at about {describe_size(point.size)} "
            f"(between {describe_size(point.below)} and {describe_size(point.above)}), "
            f"above it {letter if point.second_leads else 'A'} is faster"
            for point in points
        )
    shared = sorted(own.keys() & other.keys())
    total = sum(other[size] - own[size] for size in shared)
    span = f"from {describe_size(shared[0])} to {describe_size(shared[-1])}"
    if total == 0:
        return f"A and {letter} are equally fast {span}"
    return f"{letter if total > 0 else 'A'} is faster at every size {span}"


def compare_sessions(
    paths: Sequence[Path],
    failed: Callable[[BadInput], None] | None = None,
    *,
    verify: bool = True,
) -> Comparison:
    """Compare the report tables of two or more sessions.

    Args:
        paths: The files, the reference first.
        failed: Takes what is wrong with a session, and the others are compared where
            there are two; without it the first mistake is raised.
        verify: Whether their hashes are checked, which reads all of them.

    Raises:
        BadInput: Fewer than two, or too many of them are not sessions.
    """
    if len(paths) < 2:
        raise BadInput(
            "a comparison takes two or more sessions",
            where="compare",
            way_out="Give two or more session files.",
        )
    compared = _read_all(paths, failed, verify=verify)
    _add_means(compared)
    hosts = [_add_hosts(one) for one in compared]
    comparison = compare_tables(
        _unique([one.name for one in compared]),
        [one.table for one in compared],
        [one.about for one in compared],
        [one.loads for one in compared],
        [one.doubts for one in compared],
    )
    like = [
        [row for row in one.table if row["step"] not in _unlike(comparison, number)]
        for number, one in enumerate(compared)
    ]
    sentences = crossing_sentences([one.sweeps for one in compared], like)
    return replace(
        comparison,
        crossings=tuple(sentences),
        hosts={label: host for own in hosts for label, host in own.items()},
    )


class _Read(NamedTuple):
    """What a comparison takes of a session."""

    name: str
    table: list[dict[str, object]]
    sweeps: Sweeps
    loads: dict[str, RowLoad]
    doubts: Doubts
    series: Sequence[Series]
    about: About
    hosts: frozenset[str]


def _read_all(
    paths: Sequence[Path], failed: Callable[[BadInput], None] | None, *, verify: bool
) -> list[_Read]:
    """Read what can be read; see `compare_sessions`."""
    compared, errors = [], []
    for path in paths:
        try:
            compared.append(_read(path, verify=verify))
        except BadInput as error:
            if failed is None:
                raise
            errors.append(error)
    # Where too few are left the first error is raised, so it is not reported as well.
    if failed is not None:
        for unread in errors if len(compared) > 1 else errors[1:]:
            failed(unread)
    if len(compared) < 2:
        raise errors[0]
    return compared


def _read(path: Path, *, verify: bool) -> _Read:
    with open_session(path) as session:
        # A void attempt stands for no workload: the row after it does.
        void = {step.label for step in session.steps() if step.attempt}
        table = [row for row in report_rows(session) if row["step"] not in void]
        doubts = doubts_of(session, table)
        return _Read(
            path.stem,
            table,
            sweeps_over_sizes(session.info.campaign),
            _loads(session, table),
            doubts,
            series_in(session, table, doubts),
            _about(session, table, verify=verify),
            _hosts(session.info.bench),
        )


def _hosts(bench: str) -> frozenset[str]:
    """Get the names of the hosts of a stored bench."""
    known = stored_toml(bench).get("host")
    tables = known if isinstance(known, list) else []
    return frozenset(str(one.get("name")) for one in tables if isinstance(one, Mapping))


def _add_hosts(one: _Read) -> dict[str, tuple[str, str]]:
    """Put the rows of hosts behind the one of their step, which has their sums.

    Returns:
        Step and host of each, by the label of the row.
    """
    found: dict[str, tuple[str, str]] = {}
    for part in reversed(one.about.parts):
        step, name = str(part["step"]), str(part["part"])
        labels = [str(row["step"]) for row in one.table]
        if step in labels and name in one.hosts:
            label = f"{step}, {name}"
            lost = told_lost(part)
            outcome = Outcome.ERROR if lost else None
            row = {**part, "step": label, "outcome": outcome, "lost": lost}
            one.table.insert(labels.index(step) + 1, row)
            one.loads[label] = one.loads[step]
            found[label] = step, name
    return found


def _unique(names: Sequence[str]) -> list[str]:
    return [
        name if names.count(name) == 1 else f"{name} #{number}"
        for number, name in enumerate(names, 1)
    ]


def _unlike(comparison: Comparison, number: int) -> set[str]:
    """Get the rows in which a session ran another load than the first."""
    return {
        label
        for (label, _), load in zip(comparison.rows, comparison.loads, strict=True)
        if load.like[number] is False
    }


def _add_means(compared: Sequence[_Read]) -> None:
    """Put a row of the mean behind the rows of a step that two sessions repeated.

    It is the mean that is judged then, and none of its runs.
    """
    times = Counter(mean.label for one in compared for mean in one.series)
    for one in compared:
        for mean in one.series:
            if times[mean.label] < 2:
                continue
            last = [str(row["step"]) for row in one.table].index(mean.labels[-1])
            one.table.insert(last + 1, dict(mean.row))
            one.loads[mean.label] = one.loads[mean.labels[0]]
            one.doubts[mean.label] = dict(mean.doubts)
            for label in mean.labels:
                for name in mean.doubts:
                    one.doubts[label].pop(name, None)


def _loads(session: Session, rows: Rows) -> dict[str, RowLoad]:
    """Tell the load of each row, by its label; of rows of one label the last counts."""
    info = session.info
    by_label = {str(row["step"]): row for row in rows}
    return {
        step.label: row_load(
            step.plan, by_label[step.label], info.bench, imported=info.is_imported
        )
        for step in sorted(session.steps(), key=lambda one: (one.position, one.id))
        if step.label in by_label
    }


def _about(session: Session, rows: Rows, *, verify: bool) -> About:
    document = build_document(session, verify=verify)
    meters = [
        s for s in session.sources() if s.section == "power" and s.measures == DUT
    ]
    economics = economics_of(session)
    return About(
        document.verdict,
        tuple(document.warnings),
        document.notes,
        session.info.dut,
        str(stored_toml(session.info.bench).get("name", "")),
        len(meters),
        f"{session.info.boot_id} {session.info.monotonic_ns} {session.info.name}",
        facts_of(session),
        part_rows(session),
        _currency(economics),
        terms_of(rows, economics),
        economics.duty,
        document.unclean,
    )


def _currency(economics: Economics) -> str:
    """Get what prices are in; "" where none is said, and the currency is a default."""
    prices = economics.price, economics.price_per_kwh
    return economics.currency if any(one is not None for one in prices) else ""
