"""The report table of a session: cells as numbers, columns as the lab writes them."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.record.store import Session
from workloads.fio_job import direction, mean_block_size

Cell = float | str | None
"""A number, a text, or None for what is blank or was not measured."""

SMALL_BLOCK = 16 * 1024
"""Random loads up to this mean block are quoted in IOPS only (--lab)."""

BUFFERED = " (buffered)"
"""What a row is marked with where the page cache was not bypassed."""

PARTIAL = 0.95
"""A value of fewer valid samples than this share of the expected is marked."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its head and how many decimals its numbers are shown with."""

    head: str
    key: str
    decimals: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows of equal length; `None` cells are blank.

    Attributes:
        columns: What the columns are.
        rows: The cells.
        thin: (row, column) of values that are made of too few samples.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    thin: frozenset[tuple[int, int]] = frozenset()

    @property
    def heads(self) -> list[str]:
        """The heads of the columns."""
        return [column.head for column in self.columns]

    def texts(self) -> list[list[str]]:
        """Get the rows as they are shown, thin values with a star."""
        return [
            [
                show(cell, column.decimals) + "*" * ((number, place) in self.thin)
                for place, (cell, column) in enumerate(
                    zip(row, self.columns, strict=True)
                )
            ]
            for number, row in enumerate(self.rows)
        ]


@dataclass(frozen=True, slots=True)
class Document:
    """A session as a report: title, facts, table, notes."""

    title: str
    dut: str
    started: str
    verdict: str
    simulated: tuple[str, ...]
    table: Table
    notes: tuple[str, ...]

    @property
    def label(self) -> str:
        """The line that says what of it is simulated; "" where nothing is."""
        if not self.simulated:
            return ""
        return f"simulated: {', '.join(self.simulated)}"


LAB_COLUMNS = (
    Column("Workload", "step"),
    Column("Power (W)", "power_w", 1),
    Column("IOPS", "iops"),
    Column("Bandwidth (MB/s)", "bandwidth_mb_s", 1),
)
COLUMNS = (
    *LAB_COLUMNS,
    Column("Lambda", "lambda", 3),
    Column("Noise (dB(A))", "noise_db", 1),
    Column("Ambient (°C)", "ambient_c", 1),
    Column("Drive min (°C)", "drive_min_c", 1),
    Column("Drive max (°C)", "drive_max_c", 1),
    Column("Energy (Wh)", "energy_wh", 3),
    Column("Verdict", "verdict"),
)


def show(cell: Cell, decimals: int) -> str:
    """Write a cell: a number with its decimals, blank as an empty text."""
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else f"{cell:.{decimals}f}"


def build_document(session: Session, *, lab: bool = False) -> Document:
    """Make the report of a session.

    Args:
        session: The session.
        lab: The lab's own form: four columns, IOPS of sequential and MB/s of small
            random loads blank, and the other figures as rows below.
    """
    rows = session.report_table()
    simulated = tuple(s.name for s in session.sources() if s.simulated)
    table = _lab_table(session, rows) if lab else _full_table(rows)
    table = replace(table, thin=_thin(session, table))
    return Document(
        title=session.info.name,
        dut=session.info.dut,
        started=started_text(session),
        verdict=str(session.info.verdict or session.state),
        simulated=simulated or (("bench",) if session.info.simulated else ()),
        table=table,
        notes=tuple(_notes(session, rows)),
    )


def started_text(session: Session) -> str:
    """Write when the session was started, in local time."""
    seconds = session.info.realtime_ns / 1e9
    moment = datetime.fromtimestamp(seconds, UTC).astimezone()
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _thin(session: Session, table: Table) -> frozenset[tuple[int, int]]:
    """Find the cells whose value is made of too few of the expected samples."""
    labels = {step.id: step.label for step in session.steps()}
    thin = {
        (labels.get(result.step_id, ""), result.name)
        for result in session.results()
        if result.n_expected and (result.n_valid or 0) < PARTIAL * result.n_expected
    }
    return frozenset(
        (number, place)
        for number, row in enumerate(table.rows)
        for place, column in enumerate(table.columns)
        if row[place] is not None
        and (str(row[0]).removesuffix(BUFFERED), column.key) in thin
    )


def _number(row: Mapping[str, object], key: str) -> float | None:
    value = row.get(key)
    return float(value) if isinstance(value, int | float) else None


def _name(row: Mapping[str, object]) -> str:
    buffered = BUFFERED if row.get("buffered") else ""
    return f"{row['step']}{buffered}"


def _full_table(rows: Sequence[Mapping[str, object]]) -> Table:
    out = []
    for row in rows:
        cells: list[Cell] = [_name(row)]
        cells += [_number(row, column.key) for column in COLUMNS[1:-1]]
        cells.append(str(row.get("verdict") or row.get("outcome") or ""))
        out.append(tuple(cells))
    return Table(COLUMNS, tuple(out))


def _lab_table(session: Session, rows: Sequence[Mapping[str, object]]) -> Table:
    plans = {step.label: step.plan for step in session.steps()}
    out: list[tuple[Cell, ...]] = []
    for row in rows:
        if row.get("engine") in ("idle", "cooldown"):
            continue
        options = _options(plans.get(str(row["step"]), ""))
        iops, bandwidth = _number(row, "iops"), _number(row, "bandwidth_mb_s")
        random = direction(options).startswith("rand")
        if not random:
            iops = None
        elif "bssplit" not in options:
            block = mean_block_size(options)
            bandwidth = (
                None if block is not None and block <= SMALL_BLOCK else bandwidth
            )
        out.append((_name(row), _number(row, "power_w"), iops, bandwidth))
    out += [(name, value, None, None) for name, value in lab_figures(rows)]
    return Table(LAB_COLUMNS, tuple(out))


def lab_figures(rows: Sequence[Mapping[str, object]]) -> list[tuple[str, Cell]]:
    """Get the figures below the lab's table: idle, lambda, noise, temperatures.

    Idle power, lambda and noise are those of the first idle step, temperatures the
    extremes of all steps but cool-downs, energy their sum: blank where one lacks.
    """
    idle = next((row for row in rows if row.get("engine") == "idle"), {})
    measured = [row for row in rows if row.get("engine") != "cooldown"]

    def each(key: str) -> list[float]:
        return [v for row in measured if (v := _number(row, key)) is not None]

    ambient, energy = each("ambient_c"), each("energy_wh")
    coldest, hottest = each("drive_min_c"), each("drive_max_c")
    lambdas, noises = each("lambda"), each("noise_db")
    idle_lambda = _number(idle, "lambda") or (lambdas[0] if lambdas else None)
    idle_noise = _number(idle, "noise_db") or (noises[0] if noises else None)
    figures: list[tuple[str, float | None, str]] = [
        ("Idle", _number(idle, "power_w"), "{:.1f}"),
        ("Lambda", idle_lambda, "{:.3f}"),
        ("Noise", idle_noise, "{:.1f} dB(A)"),
        (
            "Temperature ambient",
            sum(ambient) / len(ambient) if ambient else None,
            "{:.1f} °C",
        ),
        ("Temperature HDD min.", min(coldest, default=None), "{:.1f} °C"),
        ("Temperature HDD max.", max(hottest, default=None), "{:.1f} °C"),
        ("Energy", sum(energy) if len(energy) == len(measured) else None, "{:.3f} Wh"),
    ]
    return [
        (name, None if value is None else form.format(value))
        for name, value, form in figures
    ]


def _options(plan: str) -> dict[str, str]:
    try:
        own = tomllib.loads(plan).get("fio", {})
    except tomllib.TOMLDecodeError:
        return {}
    return {str(key): str(value) for key, value in own.items()}


def _notes(session: Session, rows: Sequence[Mapping[str, object]]) -> list[str]:
    """Say what is missing, what is thin and what went wrong, row by row."""
    shown = {column.key: column.head for column in COLUMNS}
    labels = {step.id: step.label for step in session.steps()}
    notes = [f"{row['step']}: {row['reason']}" for row in rows if row.get("reason")]
    if any(row.get("buffered") for row in rows):
        notes.append("buffered: the page cache was not bypassed, it may have answered")
    for result in session.results():
        if result.name not in shown or not result.n_expected:
            continue
        label = labels.get(result.step_id, "")
        if result.name == "energy_wh" and result.value is None and result.note:
            notes.append(f"{label}: no energy, {result.note}")
            continue
        valid, expected = result.n_valid or 0, result.n_expected
        if valid < PARTIAL * expected:
            what = "has no value" if result.value is None else "is thin (*)"
            notes.append(
                f"{label}: {shown[result.name]} {what}, "
                f"{valid} of {expected} samples are there"
            )
    return notes
