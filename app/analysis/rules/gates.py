"""Judging the gates of a row: passed, failed, or not judged and why."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.analysis.rules.row_figures import Figure, Lack
from app.plan.gates import Gate, Measure, gates


class GateState(StrEnum):
    """What became of a gate."""

    PASS = "PASS"
    FAIL = "FAIL"
    NOT_JUDGED = "NOT JUDGED"


@dataclass(frozen=True, slots=True)
class JudgedGate:
    """A gate and a row.

    Attributes:
        gate: The gate.
        state: What became of it.
        value: What it bounds; None where it was not judged.
        lack: Why it was not judged.
    """

    gate: Gate
    state: GateState
    value: float | None = None
    lack: Lack | None = None

    @property
    def text(self) -> str:
        """What is said of a row that failed it."""
        shown = f"{self.value:.3g} {self.gate.unit}".rstrip()
        title = self.gate.title
        return f"gate {self.gate.name}: {title} is {shown}, not {self.gate.bounds}"


def judge_gates(
    figure_of: Callable[[Measure], Figure], chosen: Iterable[Gate] = ()
) -> list[JudgedGate]:
    """Judge some gates of the row that some figures are of, or all."""
    return [
        _judged(gate, figure_of(gate.measure))
        for gate in chosen or gates()
        if gate.measure is not None
    ]


def _judged(gate: Gate, figure: Figure) -> JudgedGate:
    if isinstance(figure, Lack):
        return JudgedGate(gate, GateState.NOT_JUDGED, lack=figure)
    state = GateState.PASS if gate.lets(figure) else GateState.FAIL
    return JudgedGate(gate, state, figure)
