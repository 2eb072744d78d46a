"""The store: one session, one SQLite file; all SQL of the program is in here."""

from app.record.store.closing import CRASHED
from app.record.store.codec import Codec
from app.record.store.errors import StoreError
from app.record.store.library import (
    looked_through,
    newest_first,
    session_files,
    sessions,
    summary,
)
from app.record.store.model import (
    FORMULAS,
    Action,
    AlarmRow,
    AnnotationRow,
    ArtefactRow,
    Basis,
    ClockPair,
    EventRow,
    GapRow,
    InventoryRow,
    JournalRow,
    OffsetRow,
    Result,
    SessionInfo,
    SessionSummary,
    SourceRow,
    StepRow,
    Window,
)
from app.record.store.notebook import Notebook, annotate, label
from app.record.store.session import Session
from app.record.store.trace import Trace
from app.record.store.writer import Writer

__all__ = [
    "CRASHED",
    "FORMULAS",
    "Action",
    "AlarmRow",
    "AnnotationRow",
    "ArtefactRow",
    "Basis",
    "ClockPair",
    "Codec",
    "EventRow",
    "GapRow",
    "InventoryRow",
    "JournalRow",
    "Notebook",
    "OffsetRow",
    "Result",
    "Session",
    "SessionInfo",
    "SessionSummary",
    "SourceRow",
    "StepRow",
    "StoreError",
    "Trace",
    "Window",
    "Writer",
    "annotate",
    "label",
    "looked_through",
    "newest_first",
    "session_files",
    "sessions",
    "summary",
]
