"""What a run says of itself while it goes on, in words; no Qt."""

from app.campaign.run.progress import Progress
from app.plan.campaign import Campaign
from app.ui.kit.units import clock


def state_of(progress: Progress) -> str:
    """Write what is done now, how long it takes, what is lost, what is waited for."""
    text = progress.state.capitalize()
    if progress.step and progress.remaining_s:
        left = clock(progress.remaining_s)
        text = f"{text}, step {progress.step} of {progress.steps}, {left} to go"
    elif progress.step_fraction:
        text = f"{text}, {progress.step_fraction:.0%}"
    text = f"{text}. {progress.trouble}" if progress.trouble else text
    return f"{text}\n{_reasons(progress.why)}" if progress.why else text


def _reasons(why: str) -> str:
    """Write what a step waits for, each reason on a line of its own."""
    return "\n".join(part[0].upper() + part[1:] for part in why.split("; ") if part)


def share_of(progress: Progress | None) -> str:
    """Write how much of the running step is done, "" where none runs."""
    if progress is None or not progress.step:
        return ""
    return f"{progress.step_fraction:.0%}"


def beginning_of(progress: Progress | None, campaign: Campaign | None) -> str:
    """Write what goes on before there is anything to chart."""
    name = f"{campaign.name}. " if campaign is not None else ""
    fraction = 0.0 if progress is None else progress.step_fraction
    done = f"{fraction:.0%} done" if fraction else "The charts come in a moment"
    return f"{name}{done}."
