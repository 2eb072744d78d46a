"""What a cell of the report was made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.analysis.again.verify import Agreement
from app.analysis.samples import Samples
from app.analysis.uncertainty import Budget
from app.record.store import Result, StepRow, Window
from app.report.sums import Sum
from instruments.metric import BY_NAME, head_of


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a cell was made of.

    Attributes:
        path: The session.
        step: The row.
        name: The result, as in report_table.
        value: The cell; None where it is blank.
        unit: Of the value.
        window: What it is quoted over.
        uncertainty: Standard uncertainties by the meter and by scatter, None of the
            second where nothing is known; empty where the first is not known.
        stored: The stored result; None where it is worked out from others.
        formula: What it is worked out of, see FORMULAS.
        figures: The values of the formula's names.
        samples: The samples that count, of each channel.
        replies: Raw replies in the window, of each source that keeps them.
        kept: Names of the raw outputs of the step.
        agreement: Whether computing it again gives the same; None where it is worked
            out from others, which have their own.
        says: What it is, of a gate, of quality or of a percentile of few I/Os.
        head: What it is called, of a gate and of quality.
        lack: Why it is blank; "" where it is not, or where a note of `stored` says it.
        sums: How it is made of its samples, line by line; none of what is not.
        budget: What the uncertainty of a mean power is made of; None of other results.
    """

    path: Path
    step: StepRow
    name: str
    value: float | None
    unit: str
    window: Window
    uncertainty: Sequence[float | None]
    stored: Result | None
    formula: tuple[str, ...]
    figures: Mapping[str, float]
    samples: Sequence[Samples]
    replies: Mapping[str, Sequence[bytes]]
    kept: Sequence[str]
    agreement: Agreement | None
    says: str = ""
    head: str = ""
    lack: str = ""
    sums: Sequence[Sum] = ()
    budget: Budget | None = None

    @property
    def about(self) -> str:
        """What the metric is, "" where it is of no column of its own."""
        if self.says:
            return self.says
        metric = BY_NAME.get(self.name)
        return metric.about or metric.head if metric is not None else ""

    @property
    def title(self) -> str:
        """The head of its column, the name of what has none in words."""
        return self.head or head_of(self.name)
