"""Notes of a report: what is missing or thin, what went wrong, what was left out."""

from collections.abc import Iterator, Sequence

from app.analysis.derived import WHOLE
from app.analysis.power import NEGATIVE
from app.analysis.tail import tail_notes
from app.plan.campaign import rehearsal_warning
from app.plan.limits import NEAR
from app.record.store import Action, Basis, Result, Session
from app.report.rows import SUMMED, is_thin
from app.report.table import COLUMNS, Label, Row, Table
from app.report.tables import result_at
from instruments.exclusion import IGNORE
from instruments.files.foreign_text import stored_toml
from instruments.metric import BY_DIRECTION, PERCENTILES, percentile_name
from instruments.reading import SECOND
from workloads.fio.table import OUTPUT

_FEW = 3
"""Of this many rows the same is said one by one."""

_SAME_TIME = 0.01
"""Share of a row by which the time of its percentiles may differ without a note."""

_PERCENTILES = [percentile_name(of, p) for of in BY_DIRECTION for p in PERCENTILES]

_HEADS = {column.key: column.head for column in COLUMNS}

_MADE_OF = {
    "iops": "IOPS and bandwidth are",
    "ambient_c": f"{_HEADS['ambient_c']} is",
    "drive_max_c": f"{_HEADS['drive_max_c']} is",
}
"""Results whose note says what they are made of, such as the sum of some hosts."""


def thin_cells(
    session: Session, rows: Sequence[Row], table: Table
) -> frozenset[tuple[int, int]]:
    """Find the (row, column) of cells whose value is made of too few samples.

    Args:
        session: The session.
        rows: Of the report, whose "thin" names what follows from such values, too.
        table: The table.
    """
    labels = {step.id: step.label for step in session.steps()}
    thin = {
        (labels.get(result.step_id, ""), result.name)
        for result in session.results()
        if is_thin(result)
    }
    thin |= {
        (label, f"{WHOLE}.{own}")
        for label, name in thin
        if (own := name.rpartition(".")[2]) in SUMMED
    }
    thin |= {
        (str(row["step"]), name)
        for row in rows
        for name in str(row.get("thin") or "").split()
    }
    return frozenset(
        (number, place)
        for number, row in enumerate(table.rows)
        for place in range(len(table.columns))
        if isinstance(row[place], int | float)
        and (table.label_at(number, place), result_at(table, number, place)) in thin
    )


def unclean_rows(session: Session, rows: Sequence[Row], table: Table) -> frozenset[int]:
    """Find the rows of a table whose disk had another user than their load."""
    found = session.unclean_steps()
    labels = {step.label for step in session.steps() if step.id in found}
    return table.lines_of(row for row in rows if row["step"] in labels)


def near_rows(rows: Sequence[Row], table: Table) -> frozenset[int]:
    """Find the rows of a table with a limit within the meter's error of its value."""
    return table.lines_of(row for row in rows if row.get(NEAR))


def notes_of(session: Session, rows: Sequence[Row]) -> list[str]:
    """Say what is missing, what has few samples and what went wrong, row by row.

    What is so of many rows, such as that a program is not there, is said once.
    """
    labels = {step.id: step.label for step in session.steps()}
    results = session.results()
    by_label: dict[str, list[Result]] = {}
    for result in results:
        by_label.setdefault(labels[result.step_id], []).append(result)
    pairs = [
        (str(row["step"]), text)
        for row in rows
        for text in _of_row(row, by_label.get(str(row["step"]), ()))
    ]
    notes = said_once(pairs)
    if any(row.get("buffered") for row in rows):
        notes.append("buffered: the page cache was not bypassed, it may have answered")
    chosen = {r.note for r in results if r.basis == Basis.ONE_OF_SEVERAL}
    notes += [f"{_HEADS['noise_db']}: {note}" for note in sorted(chosen)]
    return notes


def _of_row(row: Row, results: Sequence[Result]) -> list[str]:
    """Say why a row is judged as it is, and what else is to be known of its values."""
    reason = str(row.get("reason") or "")
    about = [text for result in results for text in _about(result)]
    about += _of_other_time(results)
    more = [text for text in (*about, *tail_notes(row)) if text not in reason]
    return [reason, *more] if reason else more


def _of_other_time(results: Sequence[Result]) -> list[str]:
    """Say of how much of its time the percentiles of a part of a load are."""
    by_name = {one.name: one for one in results}
    whole = by_name.get("duration_s")
    of_parts = [
        found
        for name in _PERCENTILES
        if (found := by_name.get(name)) is not None and found.origin == OUTPUT
    ]
    if whole is None or not of_parts:
        return []
    length, part = (one.end_ns - one.start_ns for one in (whole, of_parts[0]))
    if abs(length - part) < _SAME_TIME * length:
        return []
    of, row = (f"{nanoseconds / SECOND:.3g}" for nanoseconds in (part, length))
    return [
        f"percentiles and completion latencies are of {of} s of its {row} s, between "
        "two documents of fio; mean latency and rates are of all of it"
    ]


def said_once(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Say sentences of rows, one of many rows once; each is a row and a sentence."""
    steps: dict[str, list[str]] = {}
    for step, text in pairs:
        steps.setdefault(text, []).append(step)
    notes = [
        f"{step}: {text}" if len(steps[text]) <= _FEW else _of_many(steps[text], text)
        for step, text in pairs
    ]
    return list(dict.fromkeys(notes))


def _of_many(steps: Sequence[str], text: str) -> str:
    first = ", ".join(steps[:_FEW])
    return f"{first} and {len(steps) - _FEW} more ({len(steps)} rows): {text}"


def reasons_of(session: Session, rows: Sequence[Row]) -> list[str]:
    """Say of each row why it has its verdict, and why it has no energy."""
    labels = {step.id: step.label for step in session.steps()}
    missing = {
        labels.get(result.step_id, ""): f"no energy, {_with_range(result)}"
        for result in session.results()
        if result.name == "energy_wh" and result.value is None and result.note
    }
    return [
        "; ".join(filter(None, (str(row["reason"]), missing.get(str(row["step"]), ""))))
        for row in rows
    ]


def _about(result: Result) -> list[str]:
    """Say what is to be known of one value."""
    is_doubt = result.origin == "io_checks" or result.name.endswith(NEGATIVE)
    if is_doubt and result.note:
        return [result.note]
    if result.name not in _HEADS:
        return []
    if not result.n_expected:
        return _nothing(result) if result.value is None else []
    if energy := _energy(result):
        return [energy]
    return [*_of_samples(result, _HEADS[result.name])]


def _of_samples(result: Result, head: str) -> Iterator[str]:
    """Yield what a value was made of, where that is not all that was expected."""
    if result.name in _MADE_OF and result.note:
        yield f"{_MADE_OF[result.name]} the {result.note}"
    is_over = result.value is not None and result.over_range_s > 0
    if is_over:
        yield f"{head} was {_over(result)}"
    # The counts of such an energy are those of the power, whose note has them.
    if is_thin(result) and not (is_over and result.name == "energy_wh"):
        yield f"{head} {_thin(result)}"


def _nothing(result: Result) -> list[str]:
    why = f"{result.origin} had nothing to measure: asleep, not polled or absent"
    if result.n_expected is None:
        why = result.note
    return [f"{_HEADS[result.name]} has no value, {why}"] if why else []


def _thin(result: Result) -> str:
    origin = f" of {result.origin}" if result.origin else ""
    counts = f"only {result.n_valid or 0} of {result.n_expected} samples{origin}"
    if result.value is None:
        return f"has no value, {counts}"
    return f"is based on {counts} (*)"


def _energy(result: Result) -> str:
    """Say how an energy was found without an integrator, or why there is none."""
    if result.name != "energy_wh" or not result.note:
        return ""
    if result.value is None:
        return f"no energy, {_with_range(result)}"
    if result.basis == Basis.MEAN_POWER:
        return f"{_HEADS[result.name]} is {_with_range(result)}"
    return ""


def _over(result: Result) -> str:
    return f"over range for {result.over_range_s:.1f} s, so it is too low"


def _with_range(result: Result) -> str:
    """Get the note of a result, with what it lacks where a meter was over range."""
    return f"{result.note}; {_over(result)}" if result.over_range_s else result.note


def operators_notes(session: Session) -> list[Label]:
    """Get the remark that was made at the start, and those of resumptions, as said."""
    info, lines = session.info, session.journal()
    # Of an import the note only says that it is one.
    is_own = info.note and all(line.action != Action.IMPORTED for line in lines)
    found = [f"{info.operator}: {info.note}"] if is_own else []
    found += [line.detail for line in lines if line.action == Action.REMARK]
    return [Label("", one) for one in found]


def left_out_notes(session: Session) -> list[str]:
    """Name the channels that were neither recorded nor judged, source by source."""
    return [
        f"{source.name}: excluded on the bench: {', '.join(map(str, names))} "
        "(neither recorded nor judged)"
        for source in session.sources()
        if isinstance(names := source.keys.get(IGNORE.key), list) and names
    ]


def rehearsal_of(session: Session) -> str:
    """Say that a run was shortened; "" where it was not."""
    divisor = stored_toml(session.info.campaign).get("shortened", 1)
    if not isinstance(divisor, int | float) or divisor <= 1:
        return ""
    return rehearsal_warning(divisor).rstrip(".")
