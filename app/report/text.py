"""Reports as text: for the terminal, Markdown and CSV."""

import csv
import io

from app.report.document import Document
from app.report.table import Table


def terminal(document: Document) -> str:
    """Write a report for the terminal: aligned columns, numbers to the right."""
    heads, rows = document.table.heads, document.table.texts()
    widths = [
        max(len(heads[i]), *(len(row[i]) for row in rows), 1) if rows else len(heads[i])
        for i in range(len(heads))
    ]
    last = len(heads) - 1 if document.table.columns[-1].key == "verdict" else -1

    def line(cells: list[str]) -> str:
        parts = [
            cell.ljust(widths[i]) if i in (0, last) else cell.rjust(widths[i])
            for i, cell in enumerate(cells)
        ]
        return "  ".join(parts).rstrip()

    title = f"{document.title} - {document.dut}, {document.started}"
    label = (
        [document.label.replace("simulated", "SIMULATED", 1)] if document.label else []
    )
    body = [line(heads), "  ".join("-" * width for width in widths)]
    body += [line(row) for row in rows]
    notes = [f"- {note}" for note in document.notes]
    verdict = [f"Verdict: {document.verdict}"]
    label += [_sentence(document.crash)] if document.crash else []
    return "\n".join([title, *label, "", *body, "", *notes, *verdict]) + "\n"


def markdown(document: Document) -> str:
    """Write a report as Markdown."""
    heads, rows = document.table.heads, document.table.texts()
    lines = [f"# {document.title}", "", f"{document.dut}, {document.started}", ""]
    if document.label:
        lines += [f"**{document.label.capitalize()}**", ""]
    if document.crash:
        lines += [f"**{_sentence(document.crash)}**", ""]
    lines.append("| " + " | ".join(heads) + " |")
    lines.append("| " + " | ".join([":---"] + ["---:"] * (len(heads) - 1)) + " |")
    for row in rows:
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    lines += ["", f"Verdict: {document.verdict}"]
    if document.notes:
        lines += ["", *(f"- {note}" for note in document.notes)]
    return "\n".join(lines) + "\n"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def comma_separated(document: Document) -> str:
    """Write a report's table as CSV.

    The last two columns name the values made of too few samples, and say whether
    the bench is simulated.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    table = document.table
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
