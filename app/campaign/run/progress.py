"""How far a run has got: a frozen snapshot for the terminal and the window."""

from dataclasses import dataclass
from pathlib import Path

from app.campaign.phases.steering import Question


@dataclass(frozen=True, slots=True)
class Progress:
    """A snapshot of a run.

    Attributes:
        state: A word or two for the user, such as "recording" or "filling".
        session: The session file, None until it exists.
        step: Position of the step in the plan, 0 before the first.
        steps: Number of rows of the plan.
        label: What the step is called.
        step_fraction: Done part of the step, 0 to 1.
        fraction: Done part of the whole, 0 to 1.
        remaining_s: Seconds to go as planned.
        may_grow: Whether repeats or rounds that are not yet planned may follow.
        t_ns: Monotonic time of the snapshot.
        trouble: Which sources are lost just now, and why; "" where none is.
        held: Why nothing may run just now; "" where it may.
        held_until: When it may run again; "" where nobody can say.
        paused: Whether the operator paused the run, or will after this step.
        given_up: Why the run is ended before its last row; "" where it goes on.
        ended: How the last row ended, and why, where that is not a PASS; "" where it
            is.
        question: What the operator is asked; None for nothing.
        why: What the step still waits for, such as "not yet steady; ..."; "" where
            only its time ends it.
        step_id: The step's number in the session, 0 before the first.
        pass_number: The pass of a loop in which it is run.
        missed: What the operator did too late to have an effect, a sentence each.
    """

    state: str
    session: Path | None = None
    step: int = 0
    steps: int = 0
    label: str = ""
    step_fraction: float = 0.0
    fraction: float = 0.0
    remaining_s: float = 0.0
    may_grow: bool = False
    t_ns: int = 0
    trouble: str = ""
    held: str = ""
    held_until: str = ""
    paused: bool = False
    given_up: str = ""
    ended: str = ""
    question: Question | None = None
    why: str = ""
    step_id: int = 0
    pass_number: int = 1
    missed: tuple[str, ...] = ()
