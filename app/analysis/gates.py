"""Judging the gates of a row: passed, failed, or not judged and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.analysis.row_figures import Lack, RowRecord, figure_of
from app.plan.gates import Gate, gates


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


def judge_gates(row: RowRecord, chosen: Iterable[Gate] = ()) -> list[JudgedGate]:
    """Judge some gates of a row, or all."""
    return [_judged(row, gate) for gate in chosen or gates()]


def _judged(row: RowRecord, gate: Gate) -> JudgedGate:
    figure = figure_of(row, gate.measure)
    if isinstance(figure, Lack):
        return JudgedGate(gate, GateState.NOT_JUDGED, lack=figure)
    state = GateState.PASS if gate.lets(figure) else GateState.FAIL
    return JudgedGate(gate, state, figure)
