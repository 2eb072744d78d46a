"""Tables of several sessions together, in a form: systems side by side."""

from collections.abc import Callable, Sequence
from pathlib import Path

from app.analysis.interrupted import open_session
from app.report.document import Document
from app.report.forms.form import load_form
from app.report.forms.records import Record, records_of
from app.report.forms.tables import form_tables
from app.report.rows import report_rows
from app.report.table import NOTHING
from instruments.errors import BadInput
from instruments.sizes import counted


def together(
    paths: Sequence[Path], form: str, failed: Callable[[BadInput], None]
) -> Document:
    """Put the rows of sessions into the tables of one form.

    Args:
        paths: The sessions.
        form: Its name.
        failed: Takes what is wrong with a session; the others are read.

    Raises:
        BadInput: There is no such form, or it has a mistake.
    """
    chosen = load_form(form)
    records: list[Record] = []
    names, simulated = [], []
    for path in paths:
        try:
            with open_session(path) as session:
                records += records_of(session, report_rows(session))
                names.append(session.info.name)
                simulated += [path.stem] * session.info.simulated
        except BadInput as error:
            failed(error)
    tables = form_tables(chosen, records)
    title, first = tables[0] if tables else ("There is no table of these", NOTHING)
    return Document(
        title=f"{chosen.title}: {', '.join(names)}",
        dut="",
        started=counted(len(names), "session"),
        verdict="",
        simulated=tuple(simulated),
        table=first,
        notes=(),
        form=form,
        caption=title,
        more=tuple(tables[1:]),
    )
