"""How a run stands, as a word, its colour and a sentence."""

from dataclasses import dataclass

from app.campaign.run.progress import Progress


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
