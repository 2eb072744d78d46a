"""How the pre-flight is told: a look a line, a sentence for all, notes to keep."""

from collections.abc import Sequence

from app.operations.preflight.finding import Finding, Help, Level
from app.ui.kit.states import Look

LOOKS = {
    Level.STOP: Look("STOP", "octagon-x", "error"),
    Level.WARN: Look("Warning", "triangle-alert", "warn"),
    Level.OK: Look("Fine", "circle-check", "ok"),
}

OFFERS = {
    Help.BENCH: ("Bench", "Close this and go to the source on the bench"),
    Help.CAMPAIGN: ("Campaign", "Close this and open the campaign in the editor"),
    Help.FOLDER: ("Folder...", "Choose another folder for the session"),
    Help.TARGET: ("Target...", "Choose another target"),
    Help.COMMAND: ("Copy command", "Put the command into the clipboard"),
}
"""What the button beside a line says, and what it does."""


def look_of_all(found: Sequence[Finding]) -> Look:
    """Get the worst look of all lines."""
    for level in (Level.STOP, Level.WARN):
        if any(one.level is level for one in found):
            return LOOKS[level]
    return LOOKS[Level.OK]


def summary(found: Sequence[Finding]) -> str:
    """Write how many lines there are of which kind."""

    def count(level: Level, one: str, more: str) -> str:
        number = len([each for each in found if each.level is level])
        return f"{number} {one if number == 1 else more}" if number else ""

    parts = (
        count(Level.STOP, "stop", "stops"),
        count(Level.WARN, "warning", "warnings"),
        count(Level.OK, "fine", "fine"),
    )
    return ", ".join(part for part in parts if part)


def notes_of(found: Sequence[Finding] | None) -> list[str]:
    """Write what the session's journal keeps of it; None is a look that did not end."""
    if found is None:
        return ["the pre-flight had not ended"]
    told = [one for one in found if one.level is not Level.OK]
    return [f"{LOOKS[one.level].word}: {one.topic}: {one.text}" for one in told]
