"""A row as rules see it: every figure that they bound, and its quality."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.analysis.rules.quality import Quality, quality_of
from app.analysis.rules.row_figures import Figure, row_record
from app.analysis.rules.run_figures import figure_of
from app.plan.gates import Measure
from app.record.store import Session, StepRow


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """What is left of a row once its samples are let go of."""

    figures: Mapping[Measure, Figure]
    quality: Quality


def judged_row(session: Session, step: StepRow) -> JudgedRow | None:
    """Work out the figures of a row, once; None where it has no mean of a window."""
    return session.once(_judged_row, step)


def _judged_row(session: Session, step: StepRow) -> JudgedRow | None:
    row = row_record(session, step)
    if row is None:
        return None
    figures = {measure: figure_of(row, measure) for measure in Measure}
    return JudgedRow(figures, quality_of(row))
