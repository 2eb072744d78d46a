"""What a simulated bench does in place of an operator's hands and of drive tools."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Hands:
    """Of a bench with real devices there are none: the operator is all there is.

    Attributes:
        do: Sends lines to the simulator; None where the bench is not simulated.
        env: Variables for commands, by which they find simulated tools first.
        tools: Names of those tools.
    """

    do: Callable[[Sequence[str]], None] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()


NO_HANDS = Hands()

TOLD = "(Simulated bench: answer, and the simulator does it.)"
"""What is added to a question whose answer the simulator acts on."""
