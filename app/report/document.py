"""The report of a session: title, facts, table, notes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.record.store import Session
from app.report.checklists import checklist_tables, judged_checklists
from app.report.efficiency import economics_of, efficiency_tables
from app.report.expanded import HEADING as EXPANDED
from app.report.expanded import expanded_table
from app.report.figures.saturation import saturation_tables
from app.report.forms.records import records_of
from app.report.gates import HEADING as GATES
from app.report.gates import (
    QUALITY,
    QUALITY_HEADING,
    gates_table,
    quality_table,
    with_gates,
)
from app.report.method import method_notes
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
from app.report.parts import MOST_PARTS, PARTS_TITLE, part_rows, parts_table
from app.report.pivot import pivots
from app.report.provenance import (
    change_of,
    crash_of,
    local_text,
    made_by,
    published_of,
    replayed_sources,
    simulated_sources,
)
from app.report.rounds import (
    Judged,
    judged_rounds,
    means_of_rounds,
    rounds_notes,
    rounds_tables,
)
from app.report.rows import devices, report_rows
from app.report.table import NOTHING, Row, Table, Titled, full_table, with_columns
from app.report.tables import (
    LOADS_TITLE,
    OTHER,
    OTHERS,
    device_columns,
    devices_table,
    iozone_columns,
    iozone_tables,
    load_columns,
    load_table,
    other_table,
)
from app.report.trust import trust_notes
from instruments.sizes import counted

_ENDED = "complete"


@dataclass(frozen=True, slots=True)
class Document:
    """A session as a report: title, facts, table, notes."""

    title: str  # name of the session
    dut: str  # the device under test
    started: str  # when it was started, local time
    verdict: str  # its verdict, or why there is none
    simulated: tuple[str, ...]  # the sources that are simulators
    table: Table
    notes: tuple[str, ...]  # what is missing, thin or went wrong
    crash: str = ""  # the sentence where Bayscope was terminated during the recording
    change: str = ""  # the sentence where the file was changed after the run
    rehearsal: str = ""  # the sentence where the times of the run were shortened
    # what other devices on the bench drew, None where none was measured
    devices: Table | None = None
    wide: Table | None = None  # the table with all of these as columns, for programs
    # of each row why it has its verdict, and why it has no energy
    reasons: tuple[str, ...] = ()
    # further tables with their headings: reads, writes and latencies, other devices,
    # efficiency, and tables of two axes
    more: tuple[tuple[str, Table], ...] = ()
    replayed: tuple[str, ...] = ()  # the sources that measured a recording
    rows: tuple[Row, ...] = ()  # what the tables are made of
    # every rule of every checklist, with the titles of these
    checklists: tuple[tuple[str, Table], ...] = ()
    published: str = ""  # the sentence where it quotes a report, and was not measured
    form: str = ""  # name of the form of its tables
    # where its figures come from, and what was kept of it, with headings
    appendix: tuple[tuple[str, Table], ...] = ()
    footer: str = ""  # the session's hash, and the versions that made it
    caption: str = ""  # what the first table is called, in a form of several
    unclean_count: int = 0  # rows of the session that are not clean, in any form
    # whether figures have their uncertainty beside them, where it is known
    has_spread: bool = False

    @property
    def warnings(self) -> list[str]:
        """Sentences to be read before anything else."""
        texts = (self.published, self.rehearsal, self.crash, self.change)
        return [f"{text[0].upper()}{text[1:]}." for text in texts if text]

    @property
    def judged(self) -> str:
        """The verdict, with how many rows are not clean."""
        return ", ".join(filter(None, (self.verdict, self.unclean)))

    @property
    def unclean(self) -> str:
        """How many rows are not clean; "" where all are."""
        count = self.unclean_count
        return f"{counted(count, 'row')} not clean" if count else ""

    @property
    def label(self) -> str:
        """The line that says what of it was not an instrument; "" where all was one."""
        marks = {"simulated": self.simulated, "from a recording": self.replayed}
        return "; ".join(
            f"{k}: {', '.join(names)}" for k, names in marks.items() if names
        )

    @property
    def heading(self) -> str:
        """Its name, and that of the device where it is known."""
        return " - ".join(filter(None, (self.title, self.dut)))


def build_document(
    session: Session, *, form: str = "", verify: bool = True
) -> Document:
    """Make the report of a session.

    Args:
        session: The session.
        form: Name of the form of its tables; "" for every result there is.
        verify: Whether its hash is checked, which reads all of the file; else it has
            no `change`, and `crash.change_of` can be asked later.

    Raises:
        BadInput: There is no such form, or it has a mistake.
    """
    rows = report_rows(session)
    judged = judged_rounds(session)
    formed = _formed(session, form, rows) if form else []
    every = full_table(rows)
    document = Document(
        title=session.info.name,
        dut=session.info.dut,
        started=local_text(
            session.info.realtime_ns, with_zone=session.info.is_imported
        ),
        verdict=_verdict(session),
        simulated=simulated_sources(session),
        table=_marked(session, rows, formed[0][1] if formed else every),
        notes=(
            *operators_notes(session),
            *notes_of(session, rows),
            *method_notes(session),
            *rounds_notes(judged),
            *left_out_notes(session),
            *trust_notes(session, rows),
        ),
        crash=crash_of(session),
        change=change_of(session) if verify else "",
        rehearsal=rehearsal_of(session),
        replayed=replayed_sources(session),
        published=published_of(session),
        footer=made_by(session),
        rows=tuple(rows),
        unclean_count=len(unclean_rows(session, rows, every)),
    )
    if formed:
        more = tuple(
            (title, replace(one, thin=thin_cells(session, rows, one)))
            for title, one in formed[1:]
        )
        return replace(document, form=form, caption=formed[0][0], more=more)
    return _with_every_result(session, document, rows, judged)


def _marked(session: Session, rows: Sequence[Row], table: Table) -> Table:
    """Mark what of the first table is thin, not clean, near a limit or buffered."""
    return replace(
        table,
        thin=thin_cells(session, rows, table),
        unclean=unclean_rows(session, rows, table),
        near=near_rows(rows, table),
        buffered=table.lines_of(_buffered(rows)),
    )


def _buffered(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.get("buffered")]


def _with_every_result(
    session: Session, document: Document, rows: Sequence[Row], judged: Judged
) -> Document:
    """Add the tables beside the first one, where no form says what is shown."""
    others = devices(session)
    gated = with_gates(session, rows)
    means = means_of_rounds(judged, {str(row["step"]): row for row in rows})
    lists = checklist_tables(judged_checklists(session))
    parts = part_rows(session)
    shown = parts_table(parts) if len(parts) <= MOST_PARTS else None
    more = [
        *further_tables(session, gated),
        *([(PARTS_TITLE, shown)] if shown is not None else []),
        *rounds_tables(judged, means),
        *saturation_tables(session),
        *pivots(session, rows, judged, means),
        *lists[:1],
    ]
    beside = (*load_columns(rows), *iozone_columns(rows), *device_columns(others))
    beside += QUALITY if any("quality" in row for row in gated) else ()
    buffered = _buffered(rows)
    return replace(
        document,
        devices=devices_table(rows, others),
        wide=with_columns(document.table, gated, beside) if beside else None,
        rows=tuple(gated),
        reasons=tuple(reasons_of(session, rows)),
        checklists=tuple(lists[1:]),
        more=tuple(
            (
                title,
                replace(
                    one,
                    buffered=one.lines_of(buffered),
                    thin=one.thin | thin_cells(session, rows, one),
                ),
            )
            for title, one in more
        ),
    )


def _formed(session: Session, name: str, rows: Sequence[Row]) -> list[Titled]:
    from app.report.forms.form import load_form  # noqa: PLC0415  (slow to import)
    from app.report.forms.tables import form_tables  # noqa: PLC0415

    form = load_form(name)
    none = [(f'The form "{form.title}" has no table of this session', NOTHING)]
    return form_tables(form, records_of(session, rows)) or none


def further_tables(session: Session, rows: Sequence[Row]) -> list[Titled]:
    """Make the tables with a line or more for each row, beside the first one."""
    tables = [
        (LOADS_TITLE, load_table(rows)),
        (OTHERS, devices_table(rows, devices(session))),
        *efficiency_tables(rows, economics_of(session)),
        (EXPANDED, expanded_table(rows)),
        (GATES, gates_table(rows)),
        (QUALITY_HEADING, quality_table(rows)),
        (OTHER, other_table(rows)),
        *iozone_tables(rows),
    ]
    return [(title, table) for title, table in tables if table is not None]


def _verdict(session: Session) -> str:
    """Say how it was judged, or why it was not, as where it was imported."""
    if session.info.verdict:
        return str(session.info.verdict)
    if session.info.is_published:
        return "published"
    return "none, no limits were judged" if session.state == _ENDED else session.state
