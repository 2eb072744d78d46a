"""What is asked before a run or a step ends: the words, and what a yes does."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from app.ui.run.steering_words import Standing


@dataclass(frozen=True, slots=True)
class SteeringQuestion:
    """One question.

    Attributes:
        do: What a yes does.
        yes: What the button for it says.
        tip: What that means.
        words: The question, in place of how the run stands.
        step_id: The step it is about, with which it goes; 0 for the whole run.
    """

    do: Callable[[], None]
    yes: str
    tip: str
    words: Standing
    step_id: int = 0


def stop_question(stop: Callable[[], None]) -> SteeringQuestion:
    """Ask whether the run is to end."""
    text = "What was measured is kept, and what tears down is run."
    return SteeringQuestion(
        stop,
        "Stop the run",
        "End the run (Ctrl+Return)",
        Standing("Stop the run?", text, "triangle-alert", "warn"),
    )


def skip_question(
    skip: Callable[[int], None], label: str, step_id: int
) -> SteeringQuestion:
    """Ask whether a step is to end.

    Args:
        skip: Ends the step with a number.
        label: What the step is called.
        step_id: Its number.
    """
    text = "What it measured is kept; a run with a hole in its table is no PASS."
    return SteeringQuestion(
        partial(skip, step_id),
        "Skip it",
        "The table will have a hole, so this is no PASS (Ctrl+Return)",
        Standing(f"Skip {label}?", text, "triangle-alert", "warn"),
        step_id,
    )
