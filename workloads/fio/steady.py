"""fio's own verdict on a steady state, from its documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FioSteadyState:
    """fio's verdict on one job; it knows neither watts nor temperatures.

    Attributes:
        job: Name of the job.
        rule: As given to fio, such as "iops_slope:0.300000%".
        attained: Whether fio found it steady.
        criterion: The figure it compared, as fio wrote it, such as "0.120000%".
        duration_s: Length of the window it looked at.
    """

    job: str
    rule: str
    attained: bool
    criterion: str
    duration_s: float

    def __str__(self) -> str:
        """Say it in a sentence."""
        verdict = "attained" if self.attained else "not attained"
        return (
            f"fio: {self.rule} {verdict}, {self.criterion} over {self.duration_s:g} s"
        )


def fio_steady_states(document: Mapping[str, Any]) -> list[FioSteadyState]:
    """Read the object `steadystate` of each job of a fio document.

    fio writes it where the job had that option, since 2.99; fields as in fio 3.33.
    """
    states = []
    for job in document.get("jobs", []):
        entry = job.get("steadystate")
        if not isinstance(entry, dict):
            continue
        states.append(
            FioSteadyState(
                str(job.get("jobname", "")),
                str(entry.get("ss", "")),
                bool(entry.get("attained", 0)),
                str(entry.get("criterion", "")).strip(),
                float(entry.get("duration", 0)),
            )
        )
    return states
