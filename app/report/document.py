"""The report of a session: title, facts, table, notes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.plan.verdict import Outcome
from app.record.store import Session
from app.report.crash import change_of, crash_of, local_text
from app.report.efficiency import (
    EFFICIENCY,
    economics_of,
    efficiency_table,
    idle_row,
)
from app.report.loads import LOADS_TITLE, OTHER, load_columns, load_table, other_table
from app.report.method import method_notes
from app.report.not_live import replayed_sources, simulated_sources
from app.report.notes import (
    left_out_notes,
    near_rows,
    notes_of,
    operators_notes,
    reasons_of,
    rehearsal_of,
    thin_cells,
    unclean_rows,
)
from app.report.pivot import pivots
from app.report.rows import DEVICE_RESULTS, SUMMED, WHOLE, devices, report_rows
from app.report.table import (
    LAB_COLUMNS,
    STEP,
    Cell,
    Column,
    Table,
    column_of,
    full_table,
    name_of,
    number_of,
    with_columns,
)
from app.report.trust import trust_notes
from instruments.files.foreign_text import stored_table
from instruments.metric import BY_NAME
from instruments.sizes import counted, parse_size
from workloads.fio.block_sizes import mean_block_size
from workloads.fio_job import direction
from workloads.iozone.output import TESTS

SMALL_BLOCK = 16 * 1024
"""Random loads up to this mean block are quoted in IOPS only (--lab)."""


def lab_table(session: Session, rows: Sequence[Mapping[str, object]]) -> Table:
    """Make the table with the lab's blanks, the other figures as rows below."""
    plans = {step.label: step.plan for step in session.steps()}
    out: list[tuple[Cell, ...]] = []
    for row in rows:
        if row.get("engine") in ("idle", "cooldown"):
            continue
        options = _options(plans.get(str(row["step"]), ""))
        iops, bandwidth = number_of(row, "iops"), number_of(row, "bandwidth_mb_s")
        random = direction(options).startswith("rand")
        if not random:
            iops = None
        elif "bssplit" not in options:
            block = mean_block_size(options)
            bandwidth = (
                None if block is not None and block <= SMALL_BLOCK else bandwidth
            )
        out.append((name_of(row), number_of(row, "power_w"), iops, bandwidth))
    out += [(name, value, None, None) for name, value in lab_figures(rows)]
    return Table(LAB_COLUMNS, tuple(out))


def lab_figures(rows: Sequence[Mapping[str, object]]) -> list[tuple[str, Cell]]:
    """Get the figures below the lab's table: idle, lambda, noise, temperatures.

    Idle power, lambda and noise are those of the row of the device at rest, see
    `idle_row`, or of the first row under load that has them, which the row names;
    temperatures are the extremes of all steps but cool-downs and what is VOID, their
    ambient one is weighted by time, and energy is their sum, which says of how many
    steps it is where it is not of all.
    """
    idle = idle_row(rows)
    measured = [
        row
        for row in rows
        if row.get("engine") != "cooldown" and row.get("outcome") != Outcome.VOID
    ]
    loads = [row for row in measured if row.get("engine") != "idle"]

    def each(key: str) -> list[float]:
        return [v for row in measured if (v := number_of(row, key)) is not None]

    energy = each("energy_wh")
    lacking = f" ({len(energy)} of {len(measured)} steps)"
    coldest, hottest = each("drive_min_c"), each("drive_max_c")

    def first(name: str, key: str) -> tuple[str, float | None]:
        for row in (idle, *loads):
            if (value := number_of(row, key)) is not None:
                return f"{name} ({row['step']})", value
        return name, None

    figures: list[tuple[str, float | None, str]] = [
        (
            f"Idle ({idle['step']})" if idle.get("step", "Idle") != "Idle" else "Idle",
            number_of(idle, "power_w"),
            "{:.1f}",
        ),
        (*first("Lambda", "lambda"), "{:.3f}"),
        (*first("Noise", "noise_db"), "{:.1f} dB(A)"),
        (
            "Temperature ambient",
            _mean_of_time(measured, "ambient_c"),
            "{:.1f} °C",
        ),
        ("Temperature HDD min.", min(coldest, default=None), "{:.1f} °C"),
        ("Temperature HDD max.", max(hottest, default=None), "{:.1f} °C"),
        (
            "Energy" + lacking * (0 < len(energy) < len(measured)),
            sum(energy) if energy else None,
            "{:.3f} Wh",
        ),
    ]
    return [
        (name, None if value is None else form.format(value))
        for name, value, form in figures
    ]


def _mean_of_time(rows: Sequence[Mapping[str, object]], key: str) -> float | None:
    """Get the mean of a value over the time of all rows, of rows where that lacks."""
    known = [row for row in rows if number_of(row, key) is not None]
    values = [number_of(row, key) or 0.0 for row in known]
    times = [number_of(row, "duration_s") or 0.0 for row in known]
    if not values:
        return None
    return float(np.average(values, weights=times if all(times) else None))


def _options(plan: str) -> dict[str, str]:
    own = stored_table(plan, "fio")
    return {str(key): str(value) for key, value in own.items()}


_UNITS = {"mb_s": "MB/s", "iops": "operations/s"}
_NAME = re.compile(r"([a-z_]+?)(?:_(\d+[kmgt]))?(?:_of_(\d+[kmgt]))?_(mb_s|iops)")
_OF_THE_WINDOW = "bandwidth"
"""What is counted over the whole window, and is no test of IOzone's."""

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Value:
    """What the name of a result says; a size is "" where the name has none."""

    name: str
    test: str
    record: str
    file: str
    unit: str

    @property
    def head(self) -> str:
        """Write it as the head of a column."""
        words = [_words(self.test), self.record, f"of {self.file}" * bool(self.file)]
        return f"{' '.join(filter(None, words))} ({_UNITS[self.unit]})"


def iozone_tables(rows: Sequence[Row]) -> list[tuple[str, Table]]:
    """Make the tables of IOzone's results, each with its title.

    A line is a step with one size of files and one of records, a column is a test.

    Args:
        rows: As `report_rows` makes them.
    """
    found = ((f"IOzone ({text})", _table(rows, unit)) for unit, text in _UNITS.items())
    return [(title, table) for title, table in found if table is not None]


def iozone_columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Get a column for each of its results, for programs."""
    heads = {value.name: value.head for row in rows for value in _values(row)}
    return tuple(Column(head, name, 1) for name, head in heads.items())


def _values(row: Row) -> Iterator[_Value]:
    if row.get("engine") != "iozone":
        return
    for name in row:
        found = _NAME.fullmatch(name)
        if found and found[1] != _OF_THE_WINDOW and number_of(row, name) is not None:
            yield _Value(name, found[1], found[2] or "", found[3] or "", found[4])


def _table(rows: Sequence[Row], unit: str) -> Table | None:
    of_rows = [[value for value in _values(row) if value.unit == unit] for row in rows]
    used = [value for values in of_rows for value in values]
    if not used:
        return None
    given = {one.test for one in used}
    tests = [*(t for t in TESTS if t in given), *sorted(given.difference(TESTS))]
    has_file, has_record = any(v.file for v in used), any(v.record for v in used)
    sizes = [Column("File", "file")] * has_file + [Column("Record", "record")] * (
        has_record
    )
    out: list[tuple[Cell, ...]] = []
    for row, values in zip(rows, of_rows, strict=True):
        for file, record in sorted({(v.file, v.record) for v in values}, key=_bytes):
            names = {
                v.test: v.name for v in values if (v.file, v.record) == (file, record)
            }
            cells = [number_of(row, names.get(test, "")) for test in tests]
            told = [file] * has_file + [record] * has_record
            out.append((name_of(row), *told, *cells))
    heads = (Column(_words(test), test, 1) for test in tests)
    return Table((STEP, *sizes, *heads), tuple(out))


def _bytes(sizes: tuple[str, str]) -> tuple[int, ...]:
    return tuple(parse_size(size) if size else 0 for size in sizes)


def _words(test: str) -> str:
    return test.replace("_", " ").capitalize()


OTHERS = "Other devices"
"""The heading of the table."""

_COLUMNS = {name: column_of(BY_NAME[name]) for name in DEVICE_RESULTS}


def devices_table(
    rows: Sequence[Mapping[str, object]], devices: Sequence[str]
) -> Table | None:
    """Make the table of other devices; None where there is none.

    Args:
        rows: As `report_rows` makes them.
        devices: The devices.
    """
    if not devices:
        return None
    columns = (STEP, Column("Device", "device"), *_COLUMNS.values())
    out: list[tuple[Cell, ...]] = []
    for row in rows:
        for device in (*devices, WHOLE):
            cells = [number_of(row, f"{device}.{name}") for name in DEVICE_RESULTS]
            if device != WHOLE or any(cell is not None for cell in cells):
                out.append((str(row["step"]), device, *cells))
    return Table(columns, tuple(out))


def device_columns(devices: Sequence[str]) -> tuple[Column, ...]:
    """Make the columns that tell the same in one table, for programs."""
    return tuple(
        Column(f"{device} {column.head}", f"{device}.{name}", column.decimals)
        for device in ((*devices, WHOLE) if devices else ())
        for name, column in _COLUMNS.items()
        if device != WHOLE or name in SUMMED
    )


_ENDED = "complete"


@dataclass(frozen=True, slots=True)
class Document:
    """A session as a report: title, facts, table, notes.

    Attributes:
        title: Name of the session.
        dut: The device under test.
        started: When it was started, local time.
        verdict: Its verdict, or why there is none.
        simulated: The sources that are simulators.
        replayed: The sources that measured a recording.
        table: The table.
        notes: What is missing, thin or went wrong.
        crash: The sentence where the recording program ended without finishing.
        change: The sentence where the file was changed after the run.
        rehearsal: The sentence where the times of the run were shortened.
        devices: What other devices on the bench drew, None where none was measured.
        more: Further tables with their headings: reads, writes and latencies, other
            devices, efficiency, and tables of two axes.
        reasons: Of each row why it has its verdict, and why it has no energy.
        wide: The table with all of these as columns, for programs.
    """

    title: str
    dut: str
    started: str
    verdict: str
    simulated: tuple[str, ...]
    table: Table
    notes: tuple[str, ...]
    crash: str = ""
    change: str = ""
    rehearsal: str = ""
    devices: Table | None = None
    wide: Table | None = None
    reasons: tuple[str, ...] = ()
    more: tuple[tuple[str, Table], ...] = ()
    replayed: tuple[str, ...] = ()

    @property
    def warnings(self) -> list[str]:
        """Sentences to be read before anything else."""
        texts = (self.rehearsal, self.crash, self.change)
        return [f"{text[0].upper()}{text[1:]}." for text in texts if text]

    @property
    def judged(self) -> str:
        """The verdict, with how many rows are not clean."""
        return ", ".join(filter(None, (self.verdict, self.unclean)))

    @property
    def unclean(self) -> str:
        """How many rows are not clean; "" where all are."""
        count = len(self.table.unclean)
        return f"{counted(count, 'row')} not clean" if count else ""

    @property
    def label(self) -> str:
        """The line that says what of it was no instrument; "" where all was one."""
        told = {"simulated": self.simulated, "from a recording": self.replayed}
        return "; ".join(
            f"{k}: {', '.join(names)}" for k, names in told.items() if names
        )

    @property
    def heading(self) -> str:
        """Its name, and that of the device where it is known."""
        return " - ".join(filter(None, (self.title, self.dut)))


def build_document(
    session: Session, *, lab: bool = False, verify: bool = True
) -> Document:
    """Make the report of a session.

    Args:
        session: The session.
        lab: The lab's own form: four columns, IOPS of sequential and MB/s of small
            random loads blank, and the other figures as rows below.
        verify: Whether its hash is checked, which reads all of the file; else it has
            no `change`, and `crash.change_of` can be asked later.
    """
    rows = report_rows(session)
    others = devices(session)
    table = lab_table(session, rows) if lab else full_table(rows)
    second = None if lab else devices_table(rows, others)
    efficiency = None if lab else efficiency_table(rows, economics_of(session))
    loads = None if lab else load_table(rows)
    more = [(LOADS_TITLE, loads), (OTHERS, second), (EFFICIENCY, efficiency)]
    if not lab:
        more += [(OTHER, other_table(rows)), *iozone_tables(rows)]
        more += pivots(session, rows)
    table = replace(
        table,
        thin=thin_cells(session, table),
        unclean=unclean_rows(rows, table),
        near=near_rows(rows, table),
    )
    beside = (
        ()
        if lab
        else (
            *load_columns(rows),
            *iozone_columns(rows),
            *device_columns(others),
        )
    )
    return Document(
        title=session.info.name,
        dut=session.info.dut,
        started=started_text(session),
        verdict=_verdict(session),
        simulated=simulated_sources(session),
        table=table,
        notes=(
            *operators_notes(session),
            *notes_of(session, rows),
            *method_notes(session),
            *left_out_notes(session),
            *trust_notes(session, rows),
        ),
        crash=crash_of(session),
        change=change_of(session) if verify else "",
        rehearsal=rehearsal_of(session),
        devices=second,
        wide=with_columns(table, rows, beside) if beside else None,
        reasons=() if lab else tuple(reasons_of(session, rows)),
        more=tuple((title, one) for title, one in more if one is not None),
        replayed=replayed_sources(session),
    )


def _verdict(session: Session) -> str:
    """Say how it was judged, or why it was not, as where it was imported."""
    if session.info.verdict:
        return str(session.info.verdict)
    return "none, nothing was judged" if session.state == _ENDED else session.state


def started_text(session: Session) -> str:
    """Write when the session was started, in local time."""
    return local_text(session.info.realtime_ns)
