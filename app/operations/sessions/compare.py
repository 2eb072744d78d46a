"""Put sessions side by side, as the window and the command line show them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from app.analysis.compare import (
    About,
    Comparison,
    compare_tables,
    many_told,
    nothing_common_told,
    same_recording_told,
    setups_told,
)
from app.analysis.interrupted import open_session
from app.analysis.row_load import RowLoad, row_load
from app.analysis.significance import WORDS, doubtful
from app.calc.crossing import SIZES, Crossing, crossings
from app.plan.campaign import stored_campaign
from app.plan.step import Step
from app.record.store import Session
from app.report.document import build_document
from app.report.doubts import Doubts, Series, doubts_of, series_in
from app.report.rows import report_rows
from app.report.setup_facts import differing, facts_of
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
        name = base
        for key, value in point.options.items():
            if key == option:
                continue
            place = f"{{{key}}}"
            given = place in name
            name = name.replace(place, value) if given else f"{name} {key} {value}"
        yield name.strip(), parse_size(point.options[option]), point.label


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
    tables, names, about, sweeps, loads, errors = [], [], [], [], [], []
    doubts, series = [], []
    for path in paths:
        try:
            with open_session(path) as session:
                # A void attempt stands for no workload: the row after it does.
                void = {step.label for step in session.steps() if step.attempt}
                found = [row for row in report_rows(session) if row["step"] not in void]
                sweep = sweeps_over_sizes(session.info.campaign)
                ran = _loads(session, found)
                known = doubts_of(session, found)
                means = series_in(session, found, known)
                about.append(_about(session, verify=verify))
        except BadInput as error:
            if failed is None:
                raise
            errors.append(error)
            continue
        tables.append(found)
        sweeps.append(sweep)
        loads.append(ran)
        doubts.append(known)
        series.append(means)
        names.append(path.stem)
    if failed is not None:
        for one in errors if len(names) > 1 else errors[1:]:
            failed(one)
    if len(names) < 2:
        raise errors[0]
    unique = [
        name if names.count(name) == 1 else f"{name} #{number}"
        for number, name in enumerate(names, 1)
    ]
    _add_means(series, tables, loads, doubts)
    compared = compare_tables(unique, tables, about, loads, doubts)
    unlike = [
        {
            label
            for (label, _), load in zip(compared.rows, compared.loads, strict=True)
            if load.like[number] is False
        }
        for number in range(len(names))
    ]
    like = [
        [row for row in table if row["step"] not in other]
        for table, other in zip(tables, unlike, strict=True)
    ]
    return replace(compared, crossings=tuple(crossing_sentences(sweeps, like)))


def _add_means(
    series: Sequence[Sequence[Series]],
    tables: Sequence[list[dict[str, object]]],
    loads: Sequence[dict[str, RowLoad]],
    doubts: Sequence[Doubts],
) -> None:
    """Put a row of the mean behind the rows of a step that two sessions repeated.

    It is the mean that is judged then, and none of its runs.
    """
    times = Counter(one.label for means in series for one in means)
    for means, table, ran, known in zip(series, tables, loads, doubts, strict=True):
        for mean in means:
            if times[mean.label] < 2:
                continue
            last = [str(row["step"]) for row in table].index(mean.labels[-1])
            table.insert(last + 1, dict(mean.row))
            ran[mean.label] = ran[mean.labels[0]]
            known[mean.label] = dict(mean.doubts)
            for label in mean.labels:
                for name in mean.doubts:
                    known[label].pop(name, None)


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


def _about(session: Session, *, verify: bool) -> About:
    document = build_document(session, verify=verify)
    meters = [
        s for s in session.sources() if s.section == "power" and s.measures == DUT
    ]
    return About(
        document.verdict,
        (*document.warnings, *filter(None, [document.unclean])),
        document.notes,
        session.info.dut,
        str(stored_toml(session.info.bench).get("name", "")),
        len(meters),
        f"{session.info.boot_id} {session.info.monotonic_ns} {session.info.name}",
        facts_of(session),
    )


def comparison_text(comparison: Comparison) -> str:
    """Write a comparison for the terminal, one line a row and metric."""
    letters = [chr(ord("A") + i) for i in range(len(comparison.names))]
    lines = []
    for letter, name, simulated, about in zip(
        letters, comparison.names, comparison.simulated, comparison.about, strict=True
    ):
        label = " (simulated)" if simulated else ""
        lines.append(f"{letter} = {name}{label}, {about.verdict}")
        lines += [f"    {text}" for text in about.warnings]
    lines += ["", f"{told}."] if (told := same_recording_told(comparison)) else []
    if told := setups_told(comparison):
        lines += ["", f"They do not differ in the device alone. {told}"]
    lines += ["", told] if (told := nothing_common_told(comparison)) else []
    width = max([8, *(len(label) for label, _ in comparison.rows)])
    used = [item.metric.head for _, found in comparison.rows for item in found]
    heads = max([16, *map(len, used)])
    head = f"{'Workload':{width}}  {'':{heads}}"
    for letter in letters:
        head += f"  {letter:>12}"
    for letter in letters[1:]:
        head += f"  {letter + ' - A':>12}  {'+-':>10}  {'%':>8}"
        head += f"  {'':{WORDS}}  {'p':>6}"
    lines += ["", head.rstrip()]
    for (label, differences), verdicts, load in zip(
        comparison.rows, comparison.verdicts, comparison.loads, strict=True
    ):
        line = f"{label:{width}}  {'Verdict':{heads}}"
        lines.append(line + "".join(f"  {verdict or '-':>12}" for verdict in verdicts))
        lines += [f"{'':{width}}  {load.told}"] if load.told else []
        for item in differences:
            head, decimals = item.metric.head, item.metric.decimals
            line = f"{'':{width}}  {head:{heads}}"
            for value, is_thin in zip(item.values, item.thin, strict=True):
                line += f"  {_text(value, decimals) + '*' * is_thin:>12}"
            for index in range(1, len(item.values)):
                change = _text(item.against_first(index), decimals, sign=True)
                percent = _text(item.percent(index), 1, sign=True)
                judged = item.judgement(index)
                known = _text(judged.uncertainty if judged else None, decimals + 1)
                line += f"  {change:>12}  {known:>10}  {percent:>8}"
                line += f"  {doubtful(judged):{WORDS}}"
                line += f"  {_p(judged.p if judged else None):>6}"
            lines.append(line.rstrip())
    lines += ["", f"{told}."] if (told := many_told(comparison)) else []
    lines += ["", *comparison.crossings] if comparison.crossings else []
    facts = differing([about.facts for about in comparison.about])
    lines += ["", "What differs:"] if facts else []
    for name, values in facts:
        lines.append(f"  {name}: {' / '.join(values)}")
    for letter, about in zip(letters, comparison.about, strict=True):
        lines += ["", *(f"{letter}: {note}" for note in about.notes)]
    return "\n".join(lines) + "\n"


def comparison_json(comparison: Comparison) -> dict[str, object]:
    """Write a comparison as plain values; differences are against the first."""
    rows = [
        {
            "step": label,
            "verdict": [verdict or None for verdict in verdicts],
            **{
                item.metric.name: {
                    "values": list(item.values),
                    "thin": list(item.thin),
                    "difference": [
                        item.against_first(i) for i in range(1, len(item.values))
                    ],
                    "percent": [item.percent(i) for i in range(1, len(item.values))],
                    "uncertainty": [one and one.uncertainty for one in item.judged],
                    "p": [one and one.p for one in item.judged],
                    "judgement": [
                        one and one.judgement.name.lower() for one in item.judged
                    ],
                }
                for item in differences
            },
            "load": {
                "same": list(load.like),
                "differs": {name: list(v) for name, v in load.options.items()},
            },
        }
        for (label, differences), verdicts, load in zip(
            comparison.rows, comparison.verdicts, comparison.loads, strict=True
        )
    ]
    return {
        "sessions": list(comparison.names),
        "simulated": list(comparison.simulated),
        "verdicts": [about.verdict for about in comparison.about],
        "warnings": [list(about.warnings) for about in comparison.about],
        "notes": [list(about.notes) for about in comparison.about],
        "setups": [
            {"dut": one.dut, "bench": one.bench, "meters": one.meters}
            for one in comparison.about
        ],
        "setups_differ": bool(setups_told(comparison)),
        "differing": [
            {"what": name, "values": list(values)}
            for name, values in differing([about.facts for about in comparison.about])
        ],
        "beyond_by_chance": many_told(comparison) or None,
        "crossings": list(comparison.crossings),
        "rows": rows,
    }


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _text(value: float | None, decimals: int, *, sign: bool = False) -> str:
    if value is None:
        return "-"
    return f"{value:{'+' if sign else ''}.{decimals}f}"
