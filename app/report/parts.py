"""The parts of a step: what each load host, or each of several devices, did."""

from collections.abc import Mapping, Sequence

from app.record.store import Session
from app.report.table import STEP, Cell, Column, Kind, Table
from instruments.metric import BOTH, BY_DIRECTION
from workloads.fio.table import FAILED

PARTS_TITLE = "Load hosts and devices"

MOST_PARTS = 64
"""Lines of them that a report has: each drive of a shelf would fill its pages."""

_MOST_SHOWN = 64
"""Parts of a step that the terminal shows; programs get all."""

_COLUMNS = (
    STEP,
    Column("Part", "part"),
    Column("Session", "session"),
    *(Column(one.short, one.name, one.decimals) for one in BY_DIRECTION[BOTH]),
    Column("Lost", "lost"),
)

_LOST = {
    "lost_after_s": "after {:.1f} s",
    "lost_in_ramp_s": "in the ramp, after {:.1f} s",
    "not_reached": "not reached",
    FAILED: "failed after {:.1f} s",
}
"""What a host was lost in, or a device failed, by the result that says so."""

_OF_A_PART = (
    "iops",
    "bandwidth_mb_s",
    "latency_",
    "read_",
    "write_",
    "device_",
    *_LOST,
)
"""How names of results of parts begin; "server.power_w" is of another device."""

Row = Mapping[str, object]


def part_rows(session: Session) -> list[dict[str, object]]:
    """Get a row for each part of each step, from results such as "iops.load1".

    A load host that was lost has one result that says in what: "lost_after_s" in the
    measured window, "lost_in_ramp_s", or "not_reached".
    """
    labels = {step.id: step.label for step in session.steps()}
    rows: dict[tuple[int, str], dict[str, object]] = {}
    for result in session.results():
        name, dot, part = result.name.partition(".")
        if dot and name.startswith(_OF_A_PART):
            key = (result.step_id, part)
            row = rows.setdefault(key, {"step": labels[result.step_id], "part": part})
            row[name] = result.value
    order = {step_id: number for number, step_id in enumerate(labels)}
    return [rows[key] for key in sorted(rows, key=lambda key: (order[key[0]], key[1]))]


def parts_table(rows: Sequence[Row]) -> Table | None:
    """Make the table of parts for people; None where there are none, or too many."""
    if not rows or len({row["part"] for row in rows}) > _MOST_SHOWN:
        return None
    shown = [{**row, "lost": told_lost(row)} for row in rows]
    used = {key for row in shown for key, value in row.items() if value is not None}
    columns = tuple(column for column in _COLUMNS if column.key in used)
    cells = tuple(tuple(_cell(row.get(c.key)) for c in columns) for row in shown)
    return Table(columns, cells, Kind.PARTS)


def told_lost(row: Mapping[str, object]) -> str | None:
    """Say how a part was lost; None where it was not."""
    found = ((text, row.get(name)) for name, text in _LOST.items())
    return next((t.format(v) for t, v in found if v is not None), None)


def _cell(value: object) -> Cell:
    return value if isinstance(value, str | float | int) else None
