"""Show one session in the terminal, or as plain values."""

from pathlib import Path

from app.analysis.interrupted import open_session
from app.report.budget import with_budgets
from app.report.document import build_document
from app.report.parts import PARTS_TITLE, part_rows, parts_table
from app.report.rounds import judged_rounds, means_of_rounds, rounds_values
from app.report.spread import with_spread
from app.report.table import Kind
from app.report.text import aligned, terminal


def show_text(path: Path, *, form: str = "", spread: bool = False) -> str:
    """Write the report table of a session for the terminal.

    Args:
        path: The session.
        form: Name of the form of its tables; "" for every result there is.
        spread: Whether figures have their uncertainty beside them.
    """
    with open_session(path) as session:
        document = build_document(session, form=form)
        document = with_spread(document) if spread else document
        is_told = form or any(one.kind is Kind.PARTS for _, one in document.more)
        parts = None if is_told else parts_table(part_rows(session))
    text = terminal(document)
    if parts is None:
        return text
    return "\n".join([text, PARTS_TITLE, "", *aligned(parts), ""])


def show_json(path: Path) -> dict[str, object]:
    """Write the report table of a session with the names of report_table."""
    with open_session(path) as session:
        document = build_document(session)
        judged = judged_rounds(session)
        rows = {str(row["step"]): row for row in document.rows}
        return {
            "file": str(path),
            "name": session.info.name,
            "dut": session.info.dut,
            "state": session.state,
            "verdict": session.info.verdict,
            "crash": document.crash or None,
            "changed": document.change or None,
            "simulated": list(document.simulated),
            "steps": with_budgets(session, document.rows),
            "rounds": rounds_values(judged, means_of_rounds(judged, rows)),
            "parts": part_rows(session),
            "notes": list(document.notes),
        }
