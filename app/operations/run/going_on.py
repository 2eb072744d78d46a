"""Before a run goes on: its clock, and what it had mounted or imported, which goes."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.analysis.interrupted import open_session
from app.bench.model import Bench
from app.campaign.run.redoing import Resumption
from app.operations.run.foreign import check_confirmed, check_plan, foreign
from app.operations.run.left_behind import made_things
from app.operations.run.resume_clock import (
    CarriedOn,
    keep_carrying_on,
    read_clocks,
    set_clock,
)
from app.plan.campaign import Campaign
from app.record.own_key import own_key
from app.record.recorder import Recorder
from app.record.store import Action, Notebook, Session
from instruments import timebase
from instruments.errors import BenchError
from workloads.setup.load import maker_for
from workloads.setup.made import Made


@dataclass(frozen=True, slots=True)
class GoingOn:
    """How a run begins: again, or after what was cut off.

    Attributes:
        carried: How the times of the session go on; None for a new one.
        fingerprint: What the session was when it was checked.
    """

    carried: CarriedOn | None
    fingerprint: str = ""

    def how(self, session: Session) -> Resumption | None:
        """Get what the runner has to know of it; None for a new session.

        What was taken back is read from the session: it may be by a resumption that
        ended before its rows were planned again.

        Raises:
            BadInput: It is another one than was checked.
        """
        if self.carried is None:
            return None
        if self.fingerprint:
            session.check_fingerprint(self.fingerprint)
        undone = [one.t_ns for one in session.journal() if one.action == Action.UNDONE]
        return Resumption(self.carried.restarted_ns, max(undone, default=None))

    def keep(self, recorder: Recorder) -> None:
        """Write down how the times go on."""
        if self.carried is not None:
            keep_carrying_on(recorder, self.carried)


def go_on(
    resumed: Path | None,
    undo: Callable[[Made], str] | None = None,
    confirmed: str = "",
    plan: tuple[Campaign, Bench] | None = None,
) -> GoingOn:
    """Set the clock; unmount and export what an earlier part of the run made.

    To be done with the locks of the bench, before its disks are looked at: they are
    armed again, and its set-up steps are run again. What was taken back is written down
    at once, whatever becomes of the rest, and of the run.

    Args:
        resumed: The session that is continued, None for a new one.
        undo: Takes one thing back; None for who may do it here.
        confirmed: The code of a session from elsewhere; see `foreign`.
        plan: What will be run, and on what; that has to be what the session says.

    Raises:
        BadInput: It was recorded elsewhere, and nobody confirmed what it would do; or
            the plan is another one, or it was changed while it was looked at.
        ClockError: The wall clock cannot be right.
        BenchError: Something of it is in use, or is not what the run made; the rest
            was taken back all the same.
    """
    if resumed is None:
        return GoingOn(set_clock(None))
    with open_session(resumed) as session:
        things = made_things(session.journal())
        check_confirmed(foreign(session, things), confirmed, str(resumed))
        if plan is not None:
            check_plan(session, *plan)
        carried = set_clock(session)
        errors = take_back(session, undo or maker_for().undo, timebase.offset_ns())
        fingerprint = session.fingerprint()
    if len(errors) > 1:
        reasons = " ".join(map(str, errors))
        raise BenchError(f"{len(errors)} things cannot be undone: {reasons}")
    if errors:
        raise errors[0]
    return GoingOn(carried, fingerprint)


def take_back(
    session: Session, undo: Callable[[Made], str], offset_ns: int
) -> list[BenchError]:
    """Unmount and export what a run made that was cut off; write down what was done.

    Args:
        session: Its session; it was recorded here, or a person confirmed it.
        undo: Takes one thing back.
        offset_ns: By which its times go on; see `CarriedOn`.

    Returns:
        What went wrong: something is in use, or is not what the run made.

    Raises:
        BenchError: It cannot be written down, or the session was replaced meanwhile.
    """
    errors: list[BenchError] = []
    for made in reversed(made_things(session.journal())):
        try:
            done = undo(made)
        except BenchError as error:
            errors.append(error)
        else:
            _write_down(session, made, done, offset_ns)
    return errors


def _write_down(session: Session, made: Made, done: str, offset_ns: int) -> None:
    """Store what was done, and the clocks: the next try may be in the same boot."""
    now, fingerprint = read_clocks(), session.fingerprint()
    at_ns = now.kernel_ns + offset_ns
    facts = {"kind": made.kind, "name": made.name, "id": made.own, "done": done}

    def write(notebook: Notebook) -> None:
        notebook.clock_pair(at_ns, now.realtime_ns, now.boot_id, offset_ns)
        notebook.check_fingerprint(fingerprint)
        notebook.journal(at_ns, Action.UNDONE, json.dumps(facts))
        notebook.event(at_ns, "info", "set-up", done)
        notebook.sign(own_key())

    session.amend(write)
