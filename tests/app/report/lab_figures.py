"""The lines below the table of the lab's form, of rows made up for it."""

from collections.abc import Mapping, Sequence

from app.report.forms.form import load_form
from app.report.forms.records import Record
from app.report.forms.tables import form_tables


def lab_figures(rows: Sequence[Mapping[str, object]]) -> list[tuple[str, str]]:
    """Get what each line below is called, and what stands in it."""
    facts = {"system": "JBOD"}
    records = [Record(row, {**facts, "workload": str(row["step"])}) for row in rows]
    tables = form_tables(load_form("lab"), records)
    below = len(load_form("lab").tables[0].below)
    return (
        [(line[0], line[1]) for line in tables[0][1].texts()[-below:]]
        if tables
        else _blank()
    )


def _blank() -> list[tuple[str, str]]:
    return [(line.head, "") for line in load_form("lab").tables[0].below]
