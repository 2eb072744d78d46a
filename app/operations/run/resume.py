"""Going on with a run that a crash, a kill or a power cut ended."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.analysis.interrupted import open_session
from app.bench.model import Bench
from app.campaign.run.redoing import Resumption
from app.campaign.run.schedule import known_rows, was_held
from app.operations.run.foreign import Foreign, foreign, plan_in
from app.operations.run.left_behind import left_behind, made_things
from app.operations.run.resume_clock import Now, carry_on
from app.plan.campaign import Campaign
from app.plan.verdict import Outcome
from app.record.store import Action, Session, StepRow
from instruments.errors import BadInput
from instruments.sizes import counted

FOREIGN = "It was not recorded by you on this computer, or was changed since."
RESTARTED = "The computer was restarted since: times continue by its clock."


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run that was cut off, and what is left of it.

    Attributes:
        path: The session file.
        campaign: As run.
        bench: As it was.
        left: Labels of the rows that are to be run, the one that was cut off first.
        again: Labels of rows that had ended and are run again, such as a set-up step.
        rows: How many rows there are.
        is_restarted: Whether the computer was restarted since, so that times continue
            by its wall clock.
        left_behind: Sentences on what it may have left as it was, such as a mount.
        foreign: What it would do here, where it was not recorded here; else None.
    """

    path: Path
    campaign: Campaign
    bench: Bench
    left: tuple[str, ...]
    again: tuple[str, ...]
    rows: int
    is_restarted: bool = False
    left_behind: tuple[str, ...] = ()
    foreign: Foreign | None = None

    @property
    def to_run(self) -> tuple[str, ...]:
        """Labels of all rows that are run."""
        return (*self.again, *self.left)

    @property
    def count(self) -> str:
        """How many rows are to be run, of how many."""
        count = len(self.to_run)
        verb = "is" if count == 1 else "are"
        text = f"{count} of {counted(self.rows, 'row')} {verb} left"
        return f"{text}, with {', '.join(self.again)} again" if self.again else text

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

    Raises:
        ClockError: The computer was restarted since, and its clock cannot be right.
        BadInput: It is not a session, it ended in order, or nothing is left of it.
    """
    with open_session(path) as session:
        state, steps = session.state, session.steps()
        due = [
            step
            for step in steps
            if step.was_cut_off or step.never_began or was_held(step)
        ]
        found = _look(session, due, now) if state == "crashed" and due else None
    if found is None:
        raise _nothing_left(path, state, steps)
    return replace(found, path=path)


def _nothing_left(path: Path, state: str, steps: Sequence[StepRow]) -> BadInput:
    if state != "crashed":
        return BadInput(
            "the run of this session is complete, nothing is left to run"
            if state == "complete"
            else "the session is being recorded at this moment",
            where=str(path),
            way_out="Run its campaign again for a new session.",
        )
    done = len([step for step in steps if step.outcome == Outcome.DONE])
    return BadInput(
        f"no row of this session is left to run, {done} of {len(steps)} are complete",
        where=str(path),
        way_out="See in its report how the others ended, or run its campaign again for "
        "a new session."
        if done < len(steps)
        else "Open it as it is.",
    )


def _look(session: Session, due: Sequence[StepRow], now: Now | None) -> Unfinished:
    """Find what is left to be run of a session, with what was made taken back."""
    carried = carry_on(session, now)
    campaign, bench = plan_in(session)
    rows = session.journal()
    things = made_things(rows)
    undone = [row.t_ns for row in rows if row.action == Action.UNDONE]
    # What is still there is taken back before anything is run.
    undone += [session.extent()[1]] if things else []
    how = Resumption(carried.restarted_ns, max(undone, default=None))
    steps = session.steps()
    known = known_rows(campaign.runs, steps)
    ids = {step.id for step in due}
    again = how.again(known, [own for step, own in known if step.id in ids])
    return Unfinished(
        session.path,
        campaign,
        bench,
        tuple(step.label for step in due),
        tuple(step.label for step, _ in again),
        _row_count(steps),
        carried.is_restarted,
        tuple(left_behind(session)),
        foreign(session, things),
    )


def _row_count(steps: Sequence[StepRow]) -> int:
    """Count rows once: a void one without a verdict was replaced by one that follows.

    One that an interlock held is void as well, but has not been replaced yet.
    """
    replaced = [s for s in steps if s.outcome == Outcome.VOID and s.verdict is None]
    return len(steps) - len(replaced) + sum(map(was_held, replaced))
