"""Going on with a run that a crash, a kill or a power cut ended."""

from dataclasses import dataclass
from pathlib import Path

from app.analysis.interrupted import open_session
from app.bench.model import Bench
from app.campaign.run.earlier_rows import was_held
from app.operations.run.foreign import Foreign, foreign, plan_in
from app.operations.run.left_behind import left_behind, made_things
from app.operations.run.resume_clock import Now, carry_on
from app.plan.campaign import Campaign
from app.plan.verdict import Outcome
from instruments.errors import BadInput

FOREIGN = "It was not recorded by you on this computer, or was changed since."
RESTARTED = "The computer was restarted since: times go on by its clock."


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run that was cut off, and what is left of it.

    Attributes:
        path: The session file.
        campaign: As run.
        bench: As it was.
        left: Labels of the rows that are to be run, the one that was cut off first.
        done: How many rows are complete.
        is_restarted: Whether the computer was restarted since, so that times go on
            by its wall clock.
        left_behind: Sentences on what it may have left as it was, such as a mount.
        foreign: What it would do here, where it was not recorded here; else None.
    """

    path: Path
    campaign: Campaign
    bench: Bench
    left: tuple[str, ...]
    done: int
    is_restarted: bool = False
    left_behind: tuple[str, ...] = ()
    foreign: Foreign | None = None

    @property
    def warnings(self) -> list[str]:
        """What there is to know before it goes on, in sentences."""
        restarted = [RESTARTED] if self.is_restarted else []
        if self.foreign is not None:
            restarted.insert(0, FOREIGN)
        told = [f"{text[0].upper()}{text[1:]}." for text in self.left_behind]
        return restarted + told


def unfinished(path: Path, now: Now | None = None) -> Unfinished:
    """Look at a session that was cut off; it is recovered where that is to do.

    Args:
        path: The session file.
        now: The clocks of this computer, None to read them.

    Raises:
        ClockError: The computer was restarted since, and its clock cannot be right.
        BadInput: It is no session, it ended in order, or nothing is left of it.
    """
    with open_session(path) as session:
        state, steps = session.state, session.steps()
        left = tuple(
            step.label
            for step in steps
            if step.was_cut_off or step.never_began or was_held(step)
        )
        is_left = state == "crashed" and left
        carried = carry_on(session, now) if is_left else None
        behind = tuple(left_behind(session))
        plan = None
        if carried is not None:
            elsewhere = foreign(session, made_things(session.journal()))
            plan = (*plan_in(session), elsewhere)
    if state != "crashed":
        raise BadInput(
            "the run of this session ended in order, there is nothing left of it"
            if state == "complete"
            else "the session is being recorded at this moment",
            where=str(path),
            way_out="Run its campaign again for a new session.",
        )
    done = len([step for step in steps if step.outcome == Outcome.DONE])
    if carried is None or plan is None:
        raise BadInput(
            f"no row of this session is left to be run, {done} of {len(steps)} are "
            "complete",
            where=str(path),
            way_out="See how the others ended with bayscope show, or run its campaign "
            "again for a new session."
            if done < len(steps)
            else "Open it as it is: bayscope show.",
        )
    campaign, bench, elsewhere = plan
    return Unfinished(
        path,
        campaign,
        bench,
        left,
        done,
        carried.is_restarted,
        behind,
        elsewhere,
    )
