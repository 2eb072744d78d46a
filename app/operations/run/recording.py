"""The recording of a run: a session file, and a thread for each source."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from app.bench.model import Bench
from app.operations.bench.reaching import watch
from app.operations.sessions.facts import session_info
from app.operations.sessions.place import session_path
from app.plan.campaign import Campaign
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Action
from instruments.errors import BenchError
from instruments.files.notes import SESSION, Note, new_token


def start_recording(
    campaign: Campaign,
    ready: Bench,
    out: Path,
    teardown: ExitStack,
    *,
    without: Sequence[str],
    moved: Callable[[int], None],
    resume: Path | None = None,
    fingerprint: str = "",
    operator: str = "",
    note: str = "",
) -> tuple[Recorder, list[str]]:
    """Make the session file and read all sources into it.

    Args:
        campaign: The plan.
        ready: The bench with its simulator started.
        out: Folder for the session file.
        teardown: Closes the recorder in the end.
        without: Names of sources the run may start without.
        moved: Takes the monotonic time up to which the session is stored.
        resume: The session that is continued, None for a new one.
        fingerprint: What that was when it was looked at.
        operator: Who runs it; "" for the user's name.
        note: A remark of the operator's.

    Returns:
        The recorder, and the names of the sources it goes without.

    Raises:
        BenchError: A source that is needed cannot be read; no new file is left.
    """
    clock = SystemClock()
    path = resume or session_path(out, campaign.name)
    teardown.callback(Note(SESSION, path.absolute(), new_token()).drop)
    info = session_info(campaign, ready, clock, operator, note)
    recorder = Recorder(
        path,
        info,
        clock=clock,
        notify=moved,
        resume=None if resume is None else fingerprint,
    )
    teardown.push(partial(_leave, recorder, is_resumed=resume is not None))
    recorder.start()
    if resume is not None:
        remark = f"{info.operator}: {note}" if note else info.operator
        action = Action.REMARK if note else Action.RESUMED
        recorder.post(lambda w: w.journal(info.monotonic_ns, action, remark))
    try:
        absent = watch(recorder, ready, without)
    except BenchError:
        if resume is None:
            recorder.close()
            path.unlink(missing_ok=True)
        raise
    return recorder, absent


def _leave(
    recorder: Recorder, kind: type[BaseException] | None, *_: object, is_resumed: bool
) -> None:
    """Finish the file; one that is not continued after all stays as it was."""
    if is_resumed and kind is not None and not recorder.concluded:
        recorder.abandon()
    else:
        recorder.close()
