"""The plain tables of a session that is read: steps, results, events and more."""

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path

from app.record.store import tables
from app.record.store.codec import unpack
from app.record.store.limits import MOST_UNPACKED
from app.record.store.model import (
    AlarmRow,
    AnnotationRow,
    ArtefactRow,
    ClockPair,
    EventRow,
    GapRow,
    InventoryRow,
    JournalRow,
    OffsetRow,
    SourceRow,
    StepRow,
    Window,
)
from app.record.store.raw import read_raw
from app.record.store.signature import check_fingerprint, fingerprint, is_signed
from instruments.errors import BadInput
from instruments.reading import Channel


class Pages:
    """Everything of a session that is no trace, each table by a method."""

    path: Path

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Read in one transaction."""
        raise NotImplementedError

    def sources(self) -> list[SourceRow]:
        """Get the sources, in the order they were introduced."""
        with self._reading() as connection:
            return tables.sources(connection)

    def channels(self) -> list[Channel]:
        """Get the channels as recorded."""
        with self._reading() as connection:
            return [channel for _, channel in tables.channels(connection)]

    def steps(self) -> list[StepRow]:
        """Get the steps of the campaign, in its order."""
        with self._reading() as connection:
            return tables.steps(connection)

    def report_table(self) -> list[dict[str, object]]:
        """Get the report's table: one row a step, the columns of the view."""
        with self._reading() as connection:
            return tables.report_table(connection)

    def events(self, after_id: int = 0) -> list[EventRow]:
        """Get the events with numbers above `after_id`."""
        with self._reading() as connection:
            return tables.events(connection, after_id)

    def gaps(
        self, channel: Channel | str | None = None, window: Window | None = None
    ) -> list[GapRow]:
        """Get the gaps of a channel, or of all, that touch a window."""
        with self._reading() as connection:
            return tables.gaps(connection, name_of(channel), window)

    def alarms(
        self, channel: Channel | str | None = None, window: Window | None = None
    ) -> list[AlarmRow]:
        """Get when devices called values of their own warn or crit."""
        with self._reading() as connection:
            return tables.alarms(connection, name_of(channel), window)

    def offsets(self) -> list[OffsetRow]:
        """Get the offsets; the last of a source is the one applied."""
        with self._reading() as connection:
            return tables.offsets(connection)

    def clock_pairs(self) -> list[ClockPair]:
        """Get what the wall clock said, at start, each minute and at the end."""
        with self._reading() as connection:
            return tables.clock_pairs(connection)

    def artefacts(self) -> list[ArtefactRow]:
        """Get the raw outputs that were kept, without their content."""
        with self._reading() as connection:
            return tables.artefacts(connection)

    def artefact(self, name: str, step_id: int | None = None) -> bytes:
        """Get the content of a raw output.

        Raises:
            BadInput: There is none of this name.
        """
        with self._reading() as connection:
            packed = tables.artefact(connection, name, step_id)
            if packed is not None:
                return unpack(packed, MOST_UNPACKED, name)
        raise BadInput(
            f'there is no artefact "{name}"',
            where=str(self.path),
            way_out="List them with: bayscope show --json.",
        )

    def journal(self) -> list[JournalRow]:
        """Get what the program did to the bench and to the file."""
        with self._reading() as connection:
            return tables.journal(connection)

    def annotations(self) -> list[AnnotationRow]:
        """Get the notes, tags and marks."""
        with self._reading() as connection:
            return tables.annotations(connection)

    def inventory(self) -> list[InventoryRow]:
        """Get the facts about hosts and devices."""
        with self._reading() as connection:
            return tables.inventory(connection)

    def raw(self, source: str, window: Window) -> list[tuple[int, bytes]]:
        """Get a source's replies as they came, with the time of their readings."""
        with self._reading() as connection:
            source_id = tables.source_id(connection, source)
            if source_id is None:
                return []
            return read_raw(connection, source_id, *window)

    def is_signed(self, key: bytes) -> bool:
        """Tell whether the session is as the owner of a key recorded it."""
        with self._reading() as connection:
            return is_signed(connection, key)

    def fingerprint(self) -> str:
        """Get a hash over what going on with the session acts upon."""
        with self._reading() as connection:
            return fingerprint(connection)

    def check_fingerprint(self, expected: str) -> None:
        """See that this is the session that was looked at; raises BadInput."""
        with self._reading() as connection:
            check_fingerprint(connection, expected, self.path)

    def sha256(self) -> str | None:
        """Get the hash that was stored at the end; None before and after a crash."""
        with self._reading() as connection:
            return tables.stored_digest(connection)


def name_of(channel: Channel | str | None) -> str | None:
    """Get the printed name of a channel, whichever way it is given."""
    return channel.name if isinstance(channel, Channel) else channel
