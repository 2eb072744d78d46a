"""Act on the bench: switch an outlet, a chassis, a light; and write down that it was.

Nothing is done that the bench does not allow, and nothing that cannot be written down.
"""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import platformdirs

from app.bench.build import build_switch
from app.bench.model import Bench
from app.record.recorder import Recorder
from app.record.store import Session, annotate
from instruments.errors import Aborted, BenchError, MaybeDone, plain_words
from instruments.switch.base import CYCLE, OFF, ON, POWER_ACTIONS, SOFT
from instruments.switch.guard import Acted, Guarded, user
from instruments.timebase import kernel_ns


def act(
    bench: Bench,
    switch: str,
    action: str,
    place: str = "",
    *,
    confirm: Callable[[str], bool],
    recorder: Recorder | None = None,
    session: Path | None = None,
) -> Acted:
    """Do one action of a switch, and write it down whatever comes of it.

    Args:
        bench: The bench, whose [[switch]] allows the action.
        switch: Name of the switch.
        action: Such as "off" or "locate".
        place: The outlet, slot or speed; "" for the whole.
        confirm: Asked with a sentence before power is given or taken away; an action
            that it denies is not done.
        recorder: The recording that is under way, whose journal gets the record; the
            user's log `switch.log` does where there is none.
        session: A session that is being recorded by somebody else: the record is
            marked in it as well, at the moment of the action.

    Raises:
        BadInput: There is no such switch, action or place, or it is not allowed.
        Aborted: It was not confirmed.
        MaybeDone: The order was sent, and what became of it could not be read.
        BenchError: It failed, the device stayed as it was, or it cannot be written
            down, in which case nothing was done.
    """
    guarded = build_switch(bench, switch)
    begun = kernel_ns()
    with _Journal(recorder) as journal:
        try:
            guarded.check(action)
            _ask(bench, switch, action, place, confirm)
            begun = kernel_ns()
            record = _do(guarded, action, place)
        except BenchError as error:
            failed = _failed(switch, action, place, error)
            journal.write(failed)
            if session is not None and failed.done is None:
                _mark(session, failed, begun)
            raise
        journal.write(record)
        if session is not None:
            _mark(session, record, begun)
    return record


def consequence(bench: Bench, switch: str, action: str, place: str = "") -> str:
    """Say what an action does to whatever hangs on the switch, for a question.

    Raises:
        BadInput: The bench has no such switch.
    """
    config = bench.switch(switch)
    where = config.address or "the only enclosure"
    if config.driver.name == "snmp":
        what = f"Outlet {place} of {switch} ({where})"
        sentences = {
            ON: f"{what} gives power to everything plugged into it.",
            OFF: f"{what} cuts the power of everything plugged into it, at once.",
            CYCLE: f"{what} cuts the power of everything plugged into it, and "
            "restores it after a pause.",
        }
    else:
        what = f"The machine behind {where}"
        sentences = {
            ON: f"{what} is turned on.",
            OFF: f"{what} loses its power at once, without shutting down: what it has "
            "not written is lost.",
            CYCLE: f"{what} loses its power at once, without shutting down, and starts "
            "again.",
            SOFT: f"{what} is asked to shut down.",
        }
    return sentences.get(action, "Nothing loses power.")


def needs_confirmation(action: str) -> bool:
    """Tell whether an action is asked about once more before it is done."""
    return action in POWER_ACTIONS


def journal_file() -> Path:
    """Say where actions outside a recording are written down, a line of JSON each."""
    return platformdirs.user_log_path("bayscope", appauthor=False) / "switch.log"


def acted_as_json(record: Acted) -> dict[str, object]:
    """Write a record as plain values."""
    return {
        "at": record.at.isoformat(timespec="milliseconds"),
        "who": record.who,
        "switch": record.switch,
        "action": record.action,
        "place": record.place,
        "done": record.done,
        "answer": record.answer,
    }


def _ask(
    bench: Bench, switch: str, action: str, place: str, confirm: Callable[[str], bool]
) -> None:
    if not needs_confirmation(action):
        return
    what = f"{action} {place}".strip()
    told = consequence(bench, switch, action, place)
    if not confirm(f'Do "{what}" on {switch}? {told}'):
        raise Aborted(
            "the action was not confirmed",
            where=switch,
            way_out="Nothing was done.",
        )


def _mark(session: Path, record: Acted, kernel_at_ns: int) -> None:
    """Mark it in a session that another process may record, whose offset it has."""
    with Session.open(session) as recorded:
        pairs = recorded.clock_pairs()
    annotate(
        session,
        record.text,
        author=record.who,
        realtime_ns=time.time_ns(),
        kind="mark",
        start_ns=kernel_at_ns + (pairs[-1].offset_ns if pairs else 0),
    )


def _do(guarded: Guarded, action: str, place: str) -> Acted:
    try:
        guarded.switch.open()
        return guarded.act(action, place)
    finally:
        guarded.switch.close()


def _failed(switch: str, action: str, place: str, error: BenchError) -> Acted:
    is_open = isinstance(error, MaybeDone)
    answer = f"{'may have been done' if is_open else 'failed'}: {error}"
    done = None if is_open else False
    return Acted(datetime.now(UTC), user(), switch, action, place, answer, done)


class _Journal:
    """Where records go; it is opened before anything is done."""

    def __init__(self, recorder: Recorder | None) -> None:
        self._recorder = recorder
        self._file: IO[str] | None = None

    def __enter__(self) -> "_Journal":
        if self._recorder is None:
            path = journal_file()
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = path.open("a", encoding="utf-8")
            except OSError as error:
                raise BenchError(
                    f"the journal of actions cannot be written ({plain_words(error)})",
                    where=str(path),
                    way_out="Nothing was done: see whether you may write there.",
                ) from error
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, record: Acted) -> None:
        """Write a record down for good."""
        if self._recorder is not None:
            self._recorder.journal("switch", record.text)
        elif self._file is not None:
            self._file.write(json.dumps(acted_as_json(record)) + "\n")
            self._file.flush()
