"""Tables and reports as text: for the terminal, Markdown and CSV."""

import csv
import io
import re
from collections.abc import Sequence

from app.report.document import Document
from app.report.numbers import Figure
from app.report.table import WORDS, Cell, Table
from instruments.errors import printable
from instruments.files.foreign_text import cell

_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def terminal(document: Document) -> str:
    """Write a report for the terminal: aligned columns, numbers to the right."""
    title = printable(f"{document.heading}, {document.started}")
    label = (
        [document.label.replace("simulated", "SIMULATED", 1)] if document.label else []
    )
    body = [document.caption, ""] * bool(document.caption) + aligned(document.table)
    for name, table in document.more:
        body += ["", name, "", *aligned(table)]
    notes = [f"- {printable(note)}" for note in document.notes]
    verdict = [f"Verdict: {document.judged}"] * bool(document.judged)
    label += document.warnings
    return "\n".join([title, *label, "", *body, "", *notes, *verdict]) + "\n"


def aligned(table: Table) -> list[str]:
    """Write a table as lines of aligned columns."""
    heads, rows = table.heads, table.texts()
    columns = [[head, *(row[i] for row in rows)] for i, head in enumerate(heads)]
    widths = [max(map(len, column)) for column in columns]
    left = {0} | {i for i, c in enumerate(table.columns) if c.key in WORDS}

    def line(cells: list[str]) -> str:
        parts = [
            cell.ljust(widths[i]) if i in left else cell.rjust(widths[i])
            for i, cell in enumerate(cells)
        ]
        return "  ".join(parts).rstrip()

    ruler = "  ".join("-" * width for width in widths)
    return [line(heads), ruler, *(line(row) for row in rows)]


def marked(text: object) -> str:
    """Write a text of others in Markdown: on one line, with no tags and no links."""
    line = printable(str(text).replace("\n", " "))
    return _TAG.sub("&lt;", line).replace("](", "]\\(").replace("|", "\\|")


def piped(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Write a table as lines of Markdown."""
    lines = ["| " + " | ".join(map(marked, heads)) + " |"]
    lines.append("| " + " | ".join([":---"] + ["---:"] * (len(heads) - 1)) + " |")
    return [*lines, *("| " + " | ".join(map(marked, row)) + " |" for row in rows)]


def comma_separated(document: Document) -> str:
    """Write a report's table as CSV.

    Other devices have their own columns. The last columns say why a step has its
    verdict and why it has no energy, whether the file was changed after the run, which
    values are made of too few samples, and whether the bench is simulated. Of a form
    every table follows, below its title and after an empty line.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if document.caption:
        writer.writerow([cell(document.caption)])
    table = document.wide or document.table
    more = ("Reason", "Changed", "Thin values", "Simulated")
    writer.writerow(map(cell, [*table.heads, *more]))
    for number, row in enumerate(_numbers(table)):
        writer.writerow([*row, *map(cell, _doubts(document, table, number))])
    for title, other in () if document.wide else document.more:
        if document.form:
            writer.writerows([[], [cell(title)], [*map(cell, other.heads)]])
            writer.writerows(_numbers(other))
    return out.getvalue()


def _doubts(document: Document, table: Table, number: int) -> tuple[str, ...]:
    """Get the last cells of a line: what speaks against its values."""
    reason = document.reasons[number] if number < len(document.reasons) else ""
    thin = (head for n, head in enumerate(table.heads) if (number, n) in table.thin)
    label = "simulated" if document.simulated else "no"
    return reason, document.change or "no", "; ".join(thin), label


def _numbers(table: Table) -> list[list[str]]:
    """Write cells for programs: plain decimals, blank where nothing is known."""
    return [
        [cell(name), *(_plain(one) for one in row[1:])]
        for (name, *_), row in zip(table.texts(), table.rows, strict=True)
    ]


def _plain(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, Figure):
        return cell(value.text()) if value.sign or value.unit else value.text()
    return cell(value) if isinstance(value, str) else f"{value:.10g}"
