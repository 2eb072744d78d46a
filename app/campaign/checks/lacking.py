"""What a campaign asks of its bench that the bench cannot tell, said at the start."""

from collections.abc import Sequence

from app.analysis.steady.rounds import POWER, TEMPERATURE, Rounds
from app.campaign.phases.cooldown import NO_DRIVE
from app.plan.cooldown import check_cooldown
from app.plan.step import Step
from app.record.store import Session

_NEEDED = {
    "power": (POWER, "no meter tells the power of the device"),
    "temperature": (TEMPERATURE, "no source tells the temperature of a drive"),
}


def lacking(rows: Sequence[tuple[str, Step]], session: Session) -> list[str]:
    """Say of each step what it waits for in vain.

    Args:
        rows: Labels and steps.
        session: The session, with the channels of its bench.
    """
    there = {quantity.name for quantity in Rounds(session).quantities}
    found = []
    for label, step in rows:
        if step.engine == "cooldown":
            plan = check_cooldown(step.options)
            if not plan.only_time and not plan.channel and TEMPERATURE not in there:
                found.append(f"{label}: {NO_DRIVE}")
        for name in step.steady.quantities if step.steady is not None else ():
            needed, why = _NEEDED.get(name, ("", ""))
            if needed and needed not in there:
                found.append(f"{label}: {why}, so it will not be found steady")
    return found
