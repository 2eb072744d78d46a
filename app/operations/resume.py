"""Going on with a run that a crash, a kill or a power cut ended."""

from dataclasses import dataclass
from pathlib import Path

from app.analysis.interrupted import open_session
from app.bench import Bench, parse_bench
from app.plan.campaign import Campaign, parse_campaign
from app.plan.verdict import Outcome
from app.record.clock import Clock, SystemClock
from app.record.store import CRASHED, StepRow
from instruments.errors import BadInput


class RestartedError(BadInput):
    """Rows are left, but the computer was restarted since."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run that was cut off, and what is left of it.

    Attributes:
        path: The session file.
        campaign: As run.
        bench: As it was.
        left: Labels of the rows that are to be run, the one that was cut off first.
        done: How many rows are complete.
    """

    path: Path
    campaign: Campaign
    bench: Bench
    left: tuple[str, ...]
    done: int


def unfinished(path: Path, clock: Clock | None = None) -> Unfinished:
    """Look at a session that was cut off; it is recovered where that is to do.

    Raises:
        RestartedError: The computer was restarted since, so its times cannot go on.
        BadInput: It is no session, it ended in order, or nothing is left of it.
    """
    with open_session(path) as session:
        state, info, steps = session.state, session.info, session.steps()
    if state != "crashed":
        raise BadInput(
            "the run of this session ended in order, there is nothing left of it"
            if state == "complete"
            else "the session is being recorded at this moment",
            where=str(path),
            way_out="Run its campaign again for a new session.",
        )
    left = tuple(step.label for step in steps if _is_left(step))
    if not left:
        raise BadInput(
            "every row of this session is complete",
            where=str(path),
            way_out="Open it as it is: bayscope show.",
        )
    if info.boot_id != (clock or SystemClock()).boot_id():
        raise RestartedError(
            "the computer was restarted since, so the times of this session cannot "
            "go on",
            where=str(path),
            way_out=f"Run what is left in a new session: {', '.join(left[:5])}.",
        )
    return Unfinished(
        path,
        parse_campaign(info.campaign, f"the campaign in {path.name}"),
        parse_bench(info.bench, f"the bench in {path.name}"),
        left,
        len([step for step in steps if step.outcome == Outcome.DONE]),
    )


def _is_left(step: StepRow) -> bool:
    cut_off = step.outcome == Outcome.ERROR and step.reason.startswith(CRASHED)
    never = step.outcome == Outcome.SKIPPED and step.reason.endswith(CRASHED)
    return cut_off or never
