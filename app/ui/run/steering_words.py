"""How a run stands while it goes on, in one line with an icon; no Qt."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.campaign.run.progress import Progress
from app.plan.durations import format_duration
from app.plan.interlocks import Interlock


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


def standing_of(
    progress: Progress | None,
    interlocks: Sequence[Interlock] = (),
    *,
    stopping: bool = False,
) -> Standing:
    """Say how a run stands; what waits for somebody goes first.

    Args:
        progress: The last snapshot, None before the first.
        interlocks: What may hold the run.
        stopping: Whether it was told to end.
    """
    if stopping:
        text = "the load ends, data are kept, what tears down is run"
        return Standing("Stopping", text, "square", "warn")
    if progress is None:
        return Standing("Starting", "", "activity", "accent")
    waits = _waiting(progress, interlocks)
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


def _waiting(progress: Progress, interlocks: Sequence[Interlock]) -> Standing | None:
    """Say what the run waits for; None where for nothing but time."""
    if progress.question is not None:
        held = f"Held: {progress.held}" if progress.held else ""
        asked = "\n".join(filter(None, (progress.question.text, held)))
        return Standing("You are asked", asked, "info", "warn", needs=True)
    if progress.held:
        text = f"{progress.held}. {_comes_back(progress.held, interlocks)}"
        return Standing("Held", text, "octagon-x", "error", needs=True)
    return _pausing(progress) if progress.paused else None


def _pausing(progress: Progress) -> Standing:
    running = 0 < progress.step_fraction < 1
    if running:
        text = f"{progress.label} still runs, nothing starts after it"
        return Standing("Pausing", text, "pause", "warn")
    text = "recording goes on; the next step starts when you let it"
    return Standing("Paused", text, "pause", "warn")


def _comes_back(held: str, interlocks: Sequence[Interlock]) -> str:
    """Say when a run that is held goes on."""
    causes = [one for one in interlocks if f"{one.name}: " in held]
    told = "; ".join(_cleared(one) for one in causes)
    return f"Runs again when {told or 'the cause is gone'}."


def _cleared(one: Interlock) -> str:
    lasting = f" for {format_duration(one.for_s)}" if one.for_s else ""
    if one.lost:
        return f"it answers again{lasting}"
    if one.disk_free:
        return f"there is room again{lasting}"
    good = one.until
    if good is not None:
        return f"{'at most' if one.above is not None else 'at least'} {good:g}{lasting}"
    return f"no longer {one.limit}{lasting}"
