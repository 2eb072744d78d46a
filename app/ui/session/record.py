"""An open session with all that views derive from it once; no Qt."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from app.analysis.ambient import chosen_ambient
from app.analysis.interrupted import open_session
from app.plan.campaign import parse_campaign
from app.plan.interlocks import Interlock, parse_interlocks
from app.plan.limits import Limit
from app.plan.toml_file import parse_toml
from app.record.store import EventRow, Session
from app.report.chart.layout import Arranger
from app.report.chart.panels import ELECTRIC, no_meters, session_rows
from app.ui.chart.layers import Layer
from app.ui.session.readout import Readout, readouts_of
from instruments.errors import BadInput
from instruments.reading import SECOND


@dataclass(frozen=True, slots=True)
class Record:
    """One session as the views see it.

    Attributes:
        session: The open file.
        layer: It on a time axis that begins with the session.
        readouts: What the read-out panel shows of it.
        is_clean: Whether the disks of its rows had no other user than their load.
    """

    session: Session
    layer: Layer
    readouts: tuple[Readout, ...]
    is_clean: bool

    @property
    def path(self) -> Path:
        """The file."""
        return self.session.path

    @property
    def is_simulated(self) -> bool:
        """Whether any source is a simulator."""
        return self.session.info.simulated

    def log(self, events: Sequence[EventRow]) -> list[EventRow]:
        """Put the notes of the user among the events, in the order of time."""
        notes = [
            EventRow(
                -annotation.id,
                annotation.start_ns,
                "note",
                annotation.author,
                annotation.text,
            )
            for annotation in self.session.annotations()
            if annotation.start_ns is not None
        ]
        return sorted([*events, *notes], key=lambda event: event.t_ns)

    def wall_time(self, t_ns: int) -> datetime:
        """Get the wall-clock time of a moment, in the local time zone."""
        info = self.session.info
        realtime_ns = info.realtime_ns + (t_ns - info.monotonic_ns)
        return datetime.fromtimestamp(realtime_ns / SECOND, UTC).astimezone()

    def close(self) -> None:
        """Let go of the file."""
        self.session.close()

    def refreshed(self) -> "Record":
        """Look for what was stored since; runs in a worker.

        Raises:
            BenchError: The file is no longer readable.
        """
        self.session.refresh()
        fresh = make_record(self.session)
        old, new = self.layer, fresh.layer
        if old.rows == new.rows and old.channels == new.channels:
            # The very same ones: nothing has to be built anew.
            layer = replace(new, rows=old.rows, arranger=old.arranger)
            return replace(fresh, layer=layer)
        return fresh


def open_record(path: Path) -> Record:
    """Open a session file; runs in a worker.

    Raises:
        BadInput: It is not a session, damaged, or of a newer version.
    """
    session = open_session(path)
    try:
        return make_record(session)
    except BaseException:
        session.close()
        raise


def make_record(session: Session) -> Record:
    """Derive rows, read-outs and the time axis from a session."""
    start, end = _extent(session)
    channels = session.channels()
    fakes = frozenset(source.name for source in session.sources() if source.simulated)
    beside = no_meters(session.sources())
    rows = tuple(session_rows(session))
    layer = Layer(
        session=session,
        rows=rows,
        origin=start,
        start=start,
        end=end,
        interlocks=_interlocks(session),
        limits=_limits(session.info.campaign),
        arranger=Arranger(session, rows),
    )
    ambient = chosen_ambient(session.info.bench)
    own = [c for c in channels if not (c.source in beside and c.quantity in ELECTRIC)]
    readouts = tuple(readouts_of(own, fakes, ambient))
    return Record(session, layer, readouts, is_clean=not session.unclean_steps())


def _interlocks(session: Session) -> tuple[Interlock, ...]:
    """Get those of campaign and bench; what cannot be read has none to show."""
    found: list[Interlock] = []
    for text in (session.info.bench, session.info.campaign):
        with contextlib.suppress(BadInput):
            found += parse_interlocks(parse_toml(text, str(session.path)))
    return tuple(found)


@lru_cache(maxsize=8)
def _limits(campaign: str) -> tuple[tuple[str, tuple[Limit, ...]], ...]:
    """Get those of each row; a campaign that cannot be read has none to show."""
    if "limits" not in campaign:
        return ()
    with contextlib.suppress(BadInput):
        runs = parse_campaign(campaign, "").runs
        return tuple((label, step.limits) for label, step in runs if step.limits)
    return ()


def _extent(session: Session) -> tuple[int, int]:
    """Get the first and last moment of a session: of the run as of its readings."""
    begin, last = session.begin_ns, session.extent()[1]
    return begin, max(last or begin, session.info.ended_ns or 0)
