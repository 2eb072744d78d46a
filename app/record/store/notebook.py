"""The plain tables of a session as they are written, also after it has ended."""

import hashlib
import math
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from app.record.store import database
from app.record.store.errors import StoreError, reading, writing
from app.record.store.ledger import Guard, Ledger
from app.record.store.limits import MOST_BLOB
from app.record.store.model import Result, Window
from app.record.store.signature import ACTS, check_fingerprint, sign
from instruments.errors import BadInput

_STEP_COLUMNS = frozenset(
    {"label", "start_ns", "window_start_ns", "window_end_ns", "end_ns"}
    | {"outcome", "verdict", "reason", "cause", "attempt"}
)
_SESSION_COLUMNS = frozenset(
    {"outcome", "verdict", "ended_ns", "note", "simulated", "dut", "operator"}
)
_RESULT_COLUMNS = [field.name for field in fields(Result) if not field.kw_only]


class Notebook:
    """Everything of a session that is not a trace, written row by row."""

    def __init__(self, path: Path, ledger: Ledger) -> None:
        self.path = path
        self._ledger = ledger
        self._writing = Guard(path, ledger)
        self._acts = False  # whether something was written that is to be signed

    def add_step(
        self,
        position: int,
        label: str,
        engine: str,
        plan: str,
        *,
        series: str = "",
        pass_number: int = 1,
    ) -> int:
        """Add a planned step; return its number in the file.

        Args:
            position: Its place in the report.
            label: What the row is called.
            engine: What runs it.
            plan: The step, as TOML.
            series: What all its repeats are called; "" for the label.
            pass_number: The pass of a loop in which it is run, from 1.
        """
        self._acts = True
        cursor = self._insert(
            "step",
            position=position,
            label=label,
            engine=engine,
            plan=plan,
            series=series or label,
            pass_number=pass_number,
        )
        return int(cursor.lastrowid or 0)

    def update_step(self, step_id: int, **columns: int | str | None) -> None:
        """Write what became known of a step: its times, outcome, and why."""
        self._acts = True
        self._update("step", _STEP_COLUMNS, columns, step_id)

    def set_session(self, **columns: int | str | bool | None) -> None:
        """Write what became known of the session: outcome, verdict, end, note."""
        self._update("session", _SESSION_COLUMNS, columns, 1)

    def measured(self, step_id: int, window: Window, results: Iterable[Result]) -> None:
        """Store a step's measured window and its results."""
        start, end = window
        self.update_step(step_id, window_start_ns=start, window_end_ns=end)
        for result in results:
            self.result(step_id, result)

    def result(self, step_id: int, result: Result) -> None:
        """Store one value of a step, in place of an earlier one of that name."""
        columns = {name: getattr(result, name) for name in _RESULT_COLUMNS}
        if result.value is not None and not math.isfinite(result.value):
            columns["value"] = None
        columns |= {"step_id": step_id, "basis": str(result.basis)}
        columns["offset_id"] = self._last_offset()
        self._insert("result", **columns)

    def _last_offset(self) -> int:
        """Get the number of the clock offset that was stored last, 0 for none."""
        [[last]] = self._ledger.fetch('SELECT coalesce(max(id), 0) FROM "offset"')
        return int(last)

    def event(self, t_ns: int, level: str, source: str, message: str) -> None:
        """Store an event; level is info, warning or error."""
        self._insert("event", t_ns=t_ns, level=level, source=source, message=message)

    def journal(self, t_ns: int, action: str, detail: str) -> None:
        """Store what the program did to the bench."""
        self._acts = self._acts or action in ACTS
        self._insert("journal", t_ns=t_ns, action=str(action), detail=detail)

    def offset(self, source: str, offset_ns: int, spread_ns: int, method: str) -> None:
        """Store how much later than stored the readings of a source belong."""
        self._insert(
            "offset",
            source=source,
            offset_ns=offset_ns,
            spread_ns=spread_ns,
            method=method,
        )

    def artefact(
        self, step_id: int | None, name: str, media_type: str, content: bytes
    ) -> None:
        """Keep a raw output, compressed; of one that is too long its hash."""
        if len(content) > MOST_BLOB:
            digest = hashlib.sha256(content).hexdigest()
            content = f"too long: {len(content)} bytes, sha256 {digest}\n".encode()
            media_type = "text/plain"
        self._insert(
            "artefact",
            step_id=step_id,
            name=name,
            media_type=media_type,
            size=len(content),
            content=zlib.compress(content, 6),
        )

    def clock_pair(
        self, monotonic_ns: int, realtime_ns: int, boot_id: str, offset_ns: int = 0
    ) -> None:
        """Store the wall-clock time at a monotonic time; see `ClockPair`."""
        self._insert(
            "clock_pair",
            boot_id=boot_id,
            monotonic_ns=monotonic_ns,
            realtime_ns=realtime_ns,
            offset_ns=offset_ns,
        )

    def inventory(self, kind: str, name: str, facts: Mapping[str, str]) -> None:
        """Store facts about a host or a device; kind is "host" or "device"."""
        for key, value in facts.items():
            self._insert("inventory", kind=kind, name=name, key=key, value=value)

    def annotate(
        self, realtime_ns: int, author: str, kind: str, text: str, start_ns: int | None
    ) -> None:
        """Store a note, tag or mark."""
        self._insert(
            "annotation",
            realtime_ns=realtime_ns,
            author=author,
            kind=kind,
            text=text,
            start_ns=start_ns,
        )

    def forget_annotations(self, kind: str) -> None:
        """Take away what of this kind was said of the whole session."""
        self._run("DELETE FROM annotation WHERE kind = ? AND start_ns IS NULL", (kind,))

    def check_fingerprint(self, expected: str) -> None:
        """Check that this is the session that was looked at; raises BadInput."""
        check_fingerprint(self._ledger.connection, expected, self.path)

    def sign(self, key: bytes) -> None:
        """Sign it as our own; only what is our own, or was confirmed, may be."""
        with self._writing:
            sign(self._ledger, key)
            self._acts = False

    def _run(self, sql: str, parameters: Sequence[object]) -> sqlite3.Cursor:
        with self._writing:
            return self._ledger.execute(sql, parameters)

    def _insert(self, table: str, **columns: object) -> sqlite3.Cursor:
        """Store a row, in place of one of the same key."""
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        return self._run(
            f'INSERT OR REPLACE INTO "{table}" ({names}) VALUES ({marks})',
            tuple(columns.values()),
        )

    def _update(
        self,
        table: str,
        allowed: frozenset[str],
        columns: Mapping[str, int | str | None],
        row_id: int,
    ) -> None:
        if unknown := set(columns) - allowed:
            raise ValueError(f"{table} has no column {', '.join(sorted(unknown))}")
        names = ", ".join(f"{name} = ?" for name in columns)
        self._run(
            f"UPDATE {table} SET {names} WHERE id = ?", (*columns.values(), row_id)
        )


def amend_file(path: Path, action: Callable[[Notebook], None]) -> None:
    """Write into the plain tables of a session file, in one transaction.

    Raises:
        StoreError: It cannot be stored there.
        BadInput: It is damaged.
    """
    with reading(path), writing(path):
        connection = database.connect_for_changes(path)
        try:
            ledger = Ledger(connection, lambda: None)
            action(Notebook(path, ledger))
            ledger.commit()
        finally:
            connection.close()


def annotate(
    path: Path,
    text: str,
    *,
    author: str,
    realtime_ns: int,
    kind: str = "note",
    start_ns: int | None = None,
) -> None:
    """Add an annotation to a session, the one thing that is added to a finished one.

    Args:
        path: The session file.
        text: The annotation.
        author: Who writes it.
        realtime_ns: Wall-clock time now.
        kind: "note", "tag" or "mark".
        start_ns: Monotonic time it points at, or None for the whole session.

    Raises:
        BadInput: It is not a session, or it lies on a read-only medium.
    """
    _amend(path, lambda book: book.annotate(realtime_ns, author, kind, text, start_ns))


def _amend(path: Path, write: Callable[[Notebook], None]) -> None:
    database.undisturbed(path, lambda: database.check_header(path))
    try:
        amend_file(path, write)
    except StoreError as error:
        raise BadInput(
            f"the session cannot be annotated ({error.__cause__})",
            where=str(path),
            way_out="Copy it to a folder that can be written.",
        ) from error


def label(
    path: Path, labels: Mapping[str, Sequence[str]], *, author: str, realtime_ns: int
) -> None:
    """Give a finished session other labels, in place of those of the same kind.

    They are annotations, so that they travel with the file, and its hash is as before.

    Args:
        path: The session file.
        labels: Texts of each of "star", "tag" and "note"; without any they go.
        author: Who says it.
        realtime_ns: Wall-clock time now.

    Raises:
        BadInput: It is not a session, or it lies on a read-only medium.
    """

    def write(book: Notebook) -> None:
        for kind, texts in labels.items():
            book.forget_annotations(kind)
            for text in texts:
                book.annotate(realtime_ns, author, kind, text, None)

    _amend(path, write)
