"""How a run stands, as a word, its colour and a sentence."""

from dataclasses import dataclass

from app.campaign.run.progress import Progress
from app.plan.campaign import Campaign
from app.ui.kit.clock import clock


@dataclass(frozen=True, slots=True)
class Standing:
    """One line about a run.

    Attributes:
        word: What it does, in a word or two.
        text: The rest.
        icon: Name of the icon.
        token: Colour of icon and word.
        needs: Whether somebody should look.
    """

    word: str
    text: str
    icon: str
    token: str
    needs: bool = False


def standing_of(progress: Progress | None, *, stopping: bool = False) -> Standing:
    """Say how a run stands; what waits for somebody goes first.

    Args:
        progress: The last snapshot, None before the first.
        stopping: Whether it was told to end.
    """
    if stopping:
        text = "the load ends, data are kept, teardown steps still run"
        return Standing("Stopping", text, "square", "warn")
    if progress is None:
        return Standing("Starting", "", "activity", "accent")
    waits = _waiting(progress)
    if waits is not None:
        return waits
    if progress.trouble:
        return Standing("Running", progress.trouble, "triangle-alert", "warn")
    if not progress.step:
        word = progress.state.capitalize()
        share = f"{progress.step_fraction:.0%}" if progress.step_fraction else ""
        return Standing(word, share, "activity", "accent")
    count = f"step {progress.step} of {progress.steps}"
    parts = [f"{progress.label}, {count}", progress.why]
    return Standing("Running", ": ".join(filter(None, parts)), "activity", "accent")


def _waiting(progress: Progress) -> Standing | None:
    """Say what the run waits for; None where for nothing but time."""
    if progress.question is not None:
        held = f"Paused: {progress.held}" if progress.held else ""
        asked = "\n".join(filter(None, (progress.question.text, held)))
        return Standing("Operator input needed", asked, "info", "warn", needs=True)
    if progress.held:
        until = progress.held_until or "the condition clears"
        text = f"{progress.held}. Resumes when {until}."
        return Standing(
            "Paused by an interlock", text, "octagon-x", "error", needs=True
        )
    return _pausing(progress) if progress.paused else None


def _pausing(progress: Progress) -> Standing:
    running = 0 < progress.step_fraction < 1
    if running:
        text = f"{progress.label} is still running; nothing starts after it"
        return Standing("Pausing", text, "pause", "warn")
    text = "recording continues; the next step waits until you resume"
    return Standing("Paused", text, "pause", "warn")


def state_of(progress: Progress) -> str:
    """Write what is done now, how long it takes, and what is waited for.

    What is lost stands in the bar over all pages.
    """
    text = progress.state.capitalize()
    if progress.step and progress.remaining_s:
        least = "at least " if progress.may_grow else ""
        left = f"{least}{clock(progress.remaining_s)}"
        text = f"{text}, step {progress.step} of {progress.steps}, {left} to go"
    elif progress.step_fraction:
        text = f"{text}, {progress.step_fraction:.0%}"
    return f"{text}\n{_reasons(progress.why)}" if progress.why else text


def _reasons(why: str) -> str:
    """Write what a step waits for, each reason on its own line."""
    return "\n".join(part[0].upper() + part[1:] for part in why.split("; ") if part)


def share_of(progress: Progress | None) -> str:
    """Write how much of the running step is done, "" where nobody can tell."""
    if progress is None or not progress.step or not progress.step_fraction:
        return ""
    return f"{progress.step_fraction:.0%}"


def beginning_of(progress: Progress | None, campaign: Campaign | None) -> str:
    """Write what goes on before there is anything to chart."""
    name = f"{campaign.name}. " if campaign is not None else ""
    fraction = 0.0 if progress is None else progress.step_fraction
    done = f"{fraction:.0%} done" if fraction else "Charts will appear shortly"
    return f"{name}{done}."
