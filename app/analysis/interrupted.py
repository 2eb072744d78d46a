"""What was measured of a step that a crash of the recording program cut off."""

import contextlib
from dataclasses import replace
from pathlib import Path

from app.analysis.results import step_results, whole_loads
from app.record.store import CRASHED, Notebook, Result, Session, StepRow, Window
from instruments.errors import BadInput, BenchError
from instruments.reading import SECOND

_LOST = "mean of the live values, the load's own result is lost"


def open_session(path: Path) -> Session:
    """Open a session; one that a crash left behind gets the results of its last step.

    They are computed once, from the start of the measured window to the last stored
    value, and stored: in the file, or in the copy where it cannot be written.

    Raises:
        BadInput: It is missing, foreign, damaged or newer; it is not changed.
    """
    session = Session.open(path)
    try:
        if session.state == "crashed":
            for step in session.steps():
                if step.was_cut_off and step.window_start_ns is not None:
                    # What cannot be computed is not a reason not to show the rest.
                    with contextlib.suppress(BadInput):
                        _complete(session, step, step.window_start_ns)
    except BaseException:
        session.close()
        raise
    return session


def _complete(session: Session, step: StepRow, start: int) -> None:
    end = session.info.ended_ns or 0
    if step.window_end_ns is not None:
        return
    window = (start, end + 1)  # The last value is within.
    seconds = (window[1] - window[0]) / SECOND
    results = []
    reason = f"{CRASHED}, in its ramp: nothing was measured"
    if end > start:
        results = [*step_results(session, window), *_load(session, window)]
        results.append(Result("duration_s", seconds, "s", *window, 1, 1, "window"))
        shown = f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.2g}"
        reason = f"{CRASHED}, its values cover the {shown} s that were stored"

    def amend(notebook: Notebook) -> None:
        notebook.update_step(step.id, reason=reason, window_start_ns=None)
        if results:
            notebook.measured(step.id, window, results)
            detail = f"of {step.label}, up to the last stored value"
            notebook.journal(end, "results computed", detail)

    # Without room even for a copy it is shown without these values.
    with contextlib.suppress(BenchError):
        session.amend(amend)


def _load(session: Session, window: Window) -> list[Result]:
    """Average the live values of the load; its own last document is lost."""
    # Only of such a session: no other takes what reads documents of loads.
    from app.analysis.load_part import traced_results  # noqa: PLC0415

    loads = {source.name for source in session.sources() if source.section == "load"}
    sources = {channel.source for channel in whole_loads(session.channels(), loads)}
    found = [
        replace(one, note=_LOST)
        for source in sorted(sources)
        for one in traced_results(session, source, window)
    ]
    if found and _is_buffered(session):
        found.append(Result("buffered", 1.0, "", *window, 1, 1, "direct"))
    return found


def _is_buffered(session: Session) -> bool:
    return any(
        fact.kind == "device" and fact.key == "direct" and fact.value == "no"
        for fact in session.inventory()
    )
