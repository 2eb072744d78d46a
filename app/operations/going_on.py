"""Before a run goes on: its clock, and what it had mounted or imported, which goes."""

import json
from dataclasses import dataclass
from pathlib import Path

from app.analysis.interrupted import open_session
from app.campaign.redoing import Resumption
from app.operations.left_behind import made_things
from app.operations.resume_clock import CarriedOn, keep_carrying_on, set_clock
from app.record.recorder import Recorder
from app.record.store import Session, Writer
from workloads.setup import hands_for
from workloads.setup_made import Made

UNDONE = "set-up undone"
"""What the journal calls it when a mount or a pool was taken back."""


@dataclass(frozen=True, slots=True)
class GoingOn:
    """How a run begins: anew, or after what was cut off.

    Attributes:
        carried: How the times of the session go on; None for a new one.
        taken_back: What was taken back of what it had made, and what was done.
    """

    carried: CarriedOn | None
    taken_back: tuple[tuple[Made, str], ...] = ()

    def how(self, session: Session) -> Resumption | None:
        """Get what the runner has to know of it; None for a new session.

        What was taken back is read from the session: it may be by a resumption that
        ended before its rows were planned again.
        """
        if self.carried is None:
            return None
        undone = [one.t_ns for one in session.journal() if one.action == UNDONE]
        return Resumption(self.carried.restarted_ns, max(undone, default=None))

    def keep(self, recorder: Recorder) -> None:
        """Write down how the times go on, and what was taken back."""
        now = recorder.clock.monotonic_ns()

        def write(writer: Writer) -> None:
            for made, done in self.taken_back:
                facts = {"kind": made.kind, "name": made.name, "id": made.own}
                detail = json.dumps({**facts, "done": done})
                writer.journal(now, UNDONE, detail)

        recorder.call(write)
        if self.carried is not None:
            keep_carrying_on(recorder, self.carried)


def go_on(resumed: Path | None) -> GoingOn:
    """Set the clock; unmount and export what an earlier part of the run made.

    To be done with the locks of the bench, before its disks are looked at: they are
    armed anew, and its set-up steps are run again.

    Args:
        resumed: The session that is gone on with, None for a new one.

    Raises:
        ClockError: The wall clock cannot be right.
        BenchError: Something of it is in use, or is not what the run made.
    """
    carried = set_clock(resumed)
    if resumed is None:
        return GoingOn(carried)
    with open_session(resumed) as session:
        found = made_things(session.journal())
    undo = hands_for().undo
    return GoingOn(carried, tuple((made, undo(made)) for made in reversed(found)))
