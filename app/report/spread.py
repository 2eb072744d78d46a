"""Expanded uncertainties beside the figures of a report, where they are known."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.analysis.uncertainty import COVERAGE
from app.report.document import Document
from app.report.expanded import KEY
from app.report.numbers import Figure
from app.report.table import Cell, Kind, Row, Table, number_of
from app.report.tables import result_at

SAID = (
    f"± is the expanded uncertainty (k = {COVERAGE:g}); "
    "figures without it have none that is known"
)
"""What a report with uncertainties says of them, in its notes."""


def with_spread(document: Document) -> Document:
    """Put beside each figure of a document its expanded uncertainty.

    Its tables stay as they are but for that: same columns, and cells that are numbers.
    The table of uncertainties keeps its own, and `wide` is for programs.
    """
    rows = {str(row["step"]): row for row in document.rows}
    return replace(
        document,
        table=_spread(document.table, rows),
        devices=None if document.devices is None else _spread(document.devices, rows),
        more=tuple((title, _spread(table, rows)) for title, table in document.more),
        notes=(SAID, *document.notes),
        has_spread=True,
    )


def uncertainty_beside(row: Row, name: str) -> float | None:
    """Get the expanded uncertainty of a result in its unit, None where not known."""
    known = row.get(KEY)
    found = number_of(known, name) if isinstance(known, Mapping) else None
    # One of nought has no digits, and says that nobody knows of an error.
    return found if found and math.isfinite(found) else None


def _spread(table: Table, rows: Mapping[str, Row]) -> Table:
    if table.kind is Kind.UNCERTAINTIES:
        return table

    def cells(line: int, row: Iterable[Cell]) -> tuple[Cell, ...]:
        return tuple(
            _cell(table, (line, place), cell, rows) for place, cell in enumerate(row)
        )

    return replace(table, rows=tuple(cells(*one) for one in enumerate(table.rows)))


def _cell(
    table: Table, place: tuple[int, int], cell: Cell, rows: Mapping[str, Row]
) -> Cell:
    """Get a cell with what is known of it; a bound, such as ">90", has no spread."""
    if not isinstance(cell, int | float) or (isinstance(cell, Figure) and cell.sign):
        return cell
    label, name = table.label_at(*place), result_at(table, *place)
    spread = uncertainty_beside(rows.get(label, {}), name)
    if spread is None:
        return cell
    if isinstance(cell, Figure):
        scaled = spread * cell.factor
        return Figure(cell, unit=cell.unit, source=cell.source, spread=scaled)
    return Figure(cell, source=(label, name), spread=spread)
