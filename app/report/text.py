"""Reports as text: for the terminal, Markdown and CSV."""

import csv
import io

from app.report.document import Document
from app.report.table import Table

OTHERS = "Other devices"
"""The heading of the second table."""

_WORDS = ("verdict", "device")


def terminal(document: Document) -> str:
    """Write a report for the terminal: aligned columns, numbers to the right."""
    title = f"{document.title} - {document.dut}, {document.started}"
    label = (
        [document.label.replace("simulated", "SIMULATED", 1)] if document.label else []
    )
    body = _aligned(document.table)
    if document.devices is not None:
        body += ["", OTHERS, "", *_aligned(document.devices)]
    notes = [f"- {note}" for note in document.notes]
    verdict = [f"Verdict: {document.verdict}"]
    label += [_sentence(document.crash)] if document.crash else []
    return "\n".join([title, *label, "", *body, "", *notes, *verdict]) + "\n"


def _aligned(table: Table) -> list[str]:
    """Write a table as lines of aligned columns."""
    heads, rows = table.heads, table.texts()
    columns = [[head, *(row[i] for row in rows)] for i, head in enumerate(heads)]
    widths = [max(map(len, column)) for column in columns]
    left = {0} | {i for i, c in enumerate(table.columns) if c.key in _WORDS}

    def line(cells: list[str]) -> str:
        parts = [
            cell.ljust(widths[i]) if i in left else cell.rjust(widths[i])
            for i, cell in enumerate(cells)
        ]
        return "  ".join(parts).rstrip()

    ruler = "  ".join("-" * width for width in widths)
    return [line(heads), ruler, *(line(row) for row in rows)]


def markdown(document: Document) -> str:
    """Write a report as Markdown."""
    lines = [f"# {document.title}", "", f"{document.dut}, {document.started}", ""]
    if document.label:
        lines += [f"**{document.label.capitalize()}**", ""]
    if document.crash:
        lines += [f"**{_sentence(document.crash)}**", ""]
    lines += _piped(document.table)
    if document.devices is not None:
        lines += ["", f"## {OTHERS}", "", *_piped(document.devices)]
    lines += ["", f"Verdict: {document.verdict}"]
    if document.notes:
        lines += ["", *(f"- {note}" for note in document.notes)]
    return "\n".join(lines) + "\n"


def _piped(table: Table) -> list[str]:
    """Write a table as lines of Markdown."""
    heads = table.heads
    lines = ["| " + " | ".join(heads) + " |"]
    lines.append("| " + " | ".join([":---"] + ["---:"] * (len(heads) - 1)) + " |")
    rows = ([cell.replace("|", "\\|") for cell in row] for row in table.texts())
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def comma_separated(document: Document) -> str:
    """Write a report's table as CSV.

    Other devices have columns of their own. The last two columns name the values made
    of too few samples, and say whether the bench is simulated.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    table = document.wide or document.table
    writer.writerow([*table.heads, "Thin values", "Simulated"])
    for number, row in enumerate(_numbers(table)):
        thin = [
            head
            for place, head in enumerate(table.heads)
            if (number, place) in table.thin
        ]
        label = "simulated" if document.simulated else "no"
        writer.writerow([*row, "; ".join(thin), label])
    return out.getvalue()


def _numbers(table: Table) -> list[list[str]]:
    """Write cells for programs: plain decimals, blank where nothing is known."""
    return [
        ["" if c is None else c if isinstance(c, str) else f"{c:.10g}" for c in row]
        for row in table.rows
    ]
