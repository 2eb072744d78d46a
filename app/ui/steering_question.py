"""What is asked before a run or a step ends: the words, and what a yes does."""

from collections.abc import Callable
from dataclasses import dataclass

from app.ui.steering_words import Standing


@dataclass(frozen=True, slots=True)
class SteeringQuestion:
    """One question.

    Attributes:
        do: What a yes does.
        yes: What the button for it says.
        tip: What that means.
        words: Gets the question, in place of how the run stands.
    """

    do: Callable[[], None]
    yes: str
    tip: str
    words: Callable[[], Standing]


def stop_question(stop: Callable[[], None]) -> SteeringQuestion:
    """Ask whether the run is to end."""
    text = "What was measured is kept, and what tears down is run."
    return SteeringQuestion(
        stop,
        "Stop the run",
        "End the run (Ctrl+Return)",
        lambda: Standing("Stop the run?", text, "triangle-alert", "warn"),
    )


def skip_question(
    skip: Callable[[], None], label: Callable[[], str]
) -> SteeringQuestion:
    """Ask whether the running step is to end.

    Args:
        skip: Ends it.
        label: Gets what it is called; another step may have begun meanwhile.
    """
    text = "What it measured is kept; a run with a hole in its table is no PASS."
    return SteeringQuestion(
        skip,
        "Skip it",
        "The table will have a hole, so this is no PASS (Ctrl+Return)",
        lambda: Standing(f"Skip {label()}?", text, "triangle-alert", "warn"),
    )
