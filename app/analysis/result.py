"""One value of a step, with what it was made of, and how it gets into the session."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.record.store import Basis, Notebook, Window
from instruments.reading import Channel


@dataclass(frozen=True, slots=True)
class Result:
    """One value of a step, with what it was made of.

    Attributes:
        name: As in the view report_table.
        value: In `unit`; None where too little was measured.
        unit: Unit of the value.
        start_ns: Start of the window it is quoted over.
        end_ns: End of it.
        n_valid: Samples that were values.
        n_expected: Samples that the nominal periods promise.
        origin: The channels it comes from.
        note: How it was averaged, and what is missing.
        channels: The channels it was computed from; they are not stored.
        basis: What it is made of, where that is not what its name promises.
        over_range_s: For so long a meter was over range, so that it is too low.
    """

    name: str
    value: float | None
    unit: str
    start_ns: int
    end_ns: int
    n_valid: int
    n_expected: int
    origin: str
    note: str = ""
    channels: tuple[Channel, ...] = ()
    basis: Basis = Basis.USUAL
    over_range_s: float = 0.0


def store_results(
    notebook: Notebook, step_id: int, window: Window, results: Sequence[Result]
) -> None:
    """Store a step's measured window and its results."""
    start, end = window
    notebook.update_step(step_id, window_start_ns=start, window_end_ns=end)
    for result in results:
        store_result(notebook, step_id, result)


def store_result(notebook: Notebook, step_id: int, result: Result) -> None:
    """Store one value of a step."""
    notebook.result(
        step_id,
        result.name,
        result.value,
        result.unit,
        start_ns=result.start_ns,
        end_ns=result.end_ns,
        n_valid=result.n_valid,
        n_expected=result.n_expected,
        origin=result.origin,
        note=result.note,
        basis=result.basis,
        over_range_s=result.over_range_s,
    )
