"""How a state looks: a word, a shape and a colour, never a colour alone."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.plan.cleanness import UNCLEAN

if TYPE_CHECKING:  # it brings numpy, which the first frame does not wait for
    from app.record.store import SessionSummary


@dataclass(frozen=True, slots=True)
class Look:
    """A state as it is shown.

    Attributes:
        word: What is written.
        icon: Name of the icon.
        token: Name of the colour.
    """

    word: str
    icon: str
    token: str


_LOOKS = {
    "planned": Look("planned", "circle-dashed", "muted"),
    "running": Look("running", "activity", "accent"),
    "ended": Look("ended", "circle-dashed", "muted"),
    "recording": Look("recording", "activity", "accent"),
    "complete": Look("complete", "circle-check", "ok"),
    "published": Look("published", "file-text", "accent"),
    "crashed": Look("not finished", "triangle-alert", "warn"),
    "DONE": Look("done", "circle-check", "ok"),
    "PASS": Look("PASS", "circle-check", "ok"),
    "FAIL": Look("FAIL", "octagon-x", "error"),
    "ERROR": Look("ERROR", "triangle-alert", "error"),
    "VOID": Look("VOID", "circle-slash", "warn"),
    "SKIPPED": Look("skipped", "ban", "muted"),
    "ABORTED": Look("ABORTED", "circle-x", "warn"),
    "info": Look("Info", "info", "muted"),
    "warning": Look("Warning", "triangle-alert", "warn"),
    "note": Look("Note", "circle-dot", "accent"),
    "error": Look("Error", "octagon-x", "error"),
    "ok": Look("answers", "circle-check", "ok"),
    "warns": Look("answers, warns", "triangle-alert", "warn"),
    "overdue": Look("calibration due", "triangle-alert", "warn"),
    "partly": Look("answers in part", "triangle-alert", "warn"),
    "lost": Look("no answer", "octagon-x", "error"),
    "unknown": Look("not checked", "circle-dashed", "muted"),
    "checking": Look("checking", "activity", "accent"),
}


def look_of(state: str | None) -> Look:
    """Get how a state is shown; one nobody knows is written as it is."""
    if not state:
        return Look("", "circle-dashed", "muted")
    return _LOOKS.get(state, Look(state, "info", "muted"))


def look_of_session(summary: "SessionSummary") -> Look:
    """Get how a session looks in a list: how it ended, and whether it is clean."""
    if summary.error:
        return Look("unreadable", "triangle-alert", "error")
    return look_of_run(summary.judged, UNCLEAN * bool(summary.unclean))


def look_of_run(state: str | None, marks: str = "") -> Look:
    """Get how a verdict or a state looks with what follows it, such as UNCLEAN."""
    found = look_of(state)
    if not marks:
        return found
    word = f"{found.word}{marks}"
    if state == "PASS":
        return Look(word, "triangle-alert", "warn")
    return Look(word, found.icon, found.token)
