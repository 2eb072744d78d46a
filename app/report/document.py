"""The report of a session: title, facts, table, notes."""

from dataclasses import dataclass, replace

from app.record.store import Session
from app.report.crash import change_of, crash_of, local_text
from app.report.devices import OTHERS, device_columns, devices_table
from app.report.efficiency import EFFICIENCY, economics_of, efficiency_table
from app.report.iozone import iozone_columns, iozone_tables
from app.report.lab import lab_table
from app.report.latency import LATENCY, latency_columns, latency_table
from app.report.left_out import left_out_notes
from app.report.method import method_notes
from app.report.not_live import replayed_sources, simulated_sources
from app.report.notes import notes_of, reasons_of, thin_cells
from app.report.operators import operators_notes
from app.report.other import OTHER, other_columns, other_table
from app.report.pivot import pivots
from app.report.rehearsal import rehearsal_of
from app.report.rows import devices, report_rows
from app.report.table import Table, full_table, with_columns
from app.report.trust import trust_notes

_ENDED = "complete"


@dataclass(frozen=True, slots=True)
class Document:
    """A session as a report: title, facts, table, notes.

    Attributes:
        title: Name of the session.
        dut: The device under test.
        started: When it was started, local time.
        verdict: Its verdict, or why there is none.
        simulated: The sources that are simulators.
        replayed: The sources that measured a recording.
        table: The table.
        notes: What is missing, thin or went wrong.
        crash: The sentence where the recording program ended without finishing.
        change: The sentence where the file was changed after the run.
        rehearsal: The sentence where the times of the run were shortened.
        devices: What other devices on the bench drew, None where none was measured.
        more: Further tables with their headings: latencies, other devices, efficiency,
            and tables of two axes.
        reasons: Of each row why it has its verdict, and why it has no energy.
        wide: The table with latencies and these devices as columns, for programs.
    """

    title: str
    dut: str
    started: str
    verdict: str
    simulated: tuple[str, ...]
    table: Table
    notes: tuple[str, ...]
    crash: str = ""
    change: str = ""
    rehearsal: str = ""
    devices: Table | None = None
    wide: Table | None = None
    reasons: tuple[str, ...] = ()
    more: tuple[tuple[str, Table], ...] = ()
    replayed: tuple[str, ...] = ()

    @property
    def warnings(self) -> list[str]:
        """Sentences to be read before anything else."""
        texts = (self.rehearsal, self.crash, self.change)
        return [f"{text[0].upper()}{text[1:]}." for text in texts if text]

    @property
    def label(self) -> str:
        """The line that says what of it was no instrument; "" where all was one."""
        told = {"simulated": self.simulated, "from a recording": self.replayed}
        return "; ".join(
            f"{k}: {', '.join(names)}" for k, names in told.items() if names
        )

    @property
    def heading(self) -> str:
        """Its name, and that of the device where it is known."""
        return " - ".join(filter(None, (self.title, self.dut)))


def build_document(
    session: Session, *, lab: bool = False, verify: bool = True
) -> Document:
    """Make the report of a session.

    Args:
        session: The session.
        lab: The lab's own form: four columns, IOPS of sequential and MB/s of small
            random loads blank, and the other figures as rows below.
        verify: Whether its hash is checked, which reads all of the file; else it has
            no `change`, and `crash.change_of` can be asked later.
    """
    rows = report_rows(session)
    others = devices(session)
    table = lab_table(session, rows) if lab else full_table(rows)
    second = None if lab else devices_table(rows, others)
    efficiency = None if lab else efficiency_table(rows, economics_of(session))
    latency = None if lab else latency_table(rows)
    more = [(LATENCY, latency), (OTHERS, second), (EFFICIENCY, efficiency)]
    if not lab:
        more += [(OTHER, other_table(rows)), *iozone_tables(rows)]
        more += pivots(session, rows)
    table = replace(table, thin=thin_cells(session, table))
    beside = (
        ()
        if lab
        else (
            *latency_columns(rows),
            *other_columns(rows),
            *iozone_columns(rows),
            *device_columns(others),
        )
    )
    return Document(
        title=session.info.name,
        dut=session.info.dut,
        started=started_text(session),
        verdict=_verdict(session),
        simulated=simulated_sources(session),
        table=table,
        notes=(
            *operators_notes(session),
            *notes_of(session, rows),
            *method_notes(session),
            *left_out_notes(session),
            *trust_notes(session, rows),
        ),
        crash=crash_of(session),
        change=change_of(session) if verify else "",
        rehearsal=rehearsal_of(session),
        devices=second,
        wide=with_columns(table, rows, beside) if beside else None,
        reasons=() if lab else tuple(reasons_of(session, rows)),
        more=tuple((title, one) for title, one in more if one is not None),
        replayed=replayed_sources(session),
    )


def _verdict(session: Session) -> str:
    """Say how it was judged, or why it was not, as where it was imported."""
    if session.info.verdict:
        return str(session.info.verdict)
    return "none, nothing was judged" if session.state == _ENDED else session.state


def started_text(session: Session) -> str:
    """Write when the session was started, in local time."""
    return local_text(session.info.realtime_ns)
