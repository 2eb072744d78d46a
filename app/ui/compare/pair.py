"""Two open sessions and how they compare; opened in a worker, no Qt."""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from app.analysis.compare import Comparison
from app.operations.sessions.compare import compare_sessions
from app.report.chart.panel import Row
from app.report.provenance import change_of
from app.ui.chart.data import apart_by_unit
from app.ui.chart.layers import Layer
from app.ui.session.record import Record, open_record
from instruments.reading import SECOND

NAMES = ("A", "B")
_LEAD_NS = 2 * SECOND
"""So much is shown before a step and after it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sessions side by side.

    Attributes:
        paths: The files.
        records: The open sessions; A first, which is the reference.
        comparison: Their report tables with differences.
    """

    paths: tuple[Path, Path]
    records: tuple[Record, Record]
    comparison: Comparison

    @property
    def is_simulated(self) -> bool:
        """Whether one of them, or both, ran on a simulator."""
        return any(record.is_simulated for record in self.records)

    def close(self) -> None:
        """Let go of both files."""
        for record in self.records:
            record.close()

    def checked(self) -> Comparison:
        """Compare both with their hashes, which takes a while; runs in a worker.

        Raises:
            BadInput: One of them is damaged.
        """
        changes = [change_of(record.session) for record in self.records]
        about = tuple(
            replace(one, warnings=(*one.warnings, change)) if change else one
            for one, change in zip(self.comparison.about, changes, strict=True)
        )
        return replace(self.comparison, about=about)

    def steps(self) -> list[str]:
        """List the labels of the steps that were begun in both."""
        started = [
            [step.label for step in record.session.steps() if step.start_ns is not None]
            for record in self.records
        ]
        return [label for label in started[0] if label in started[1]]

    def first_load(self) -> str:
        """Get the first step with a load; idle ones say little."""
        labels = self.steps()
        loads = {
            step.label
            for step in self.records[0].session.steps()
            if step.engine not in ("idle", "cooldown", "prompt", "startup")
        }
        found = [label for label in labels if label in loads]
        return (found or labels or [""])[0]

    def rows(self) -> list[str]:
        """List the rows of charts that one of them has."""
        rows = [row.name for record in self.records for row in record.layer.rows]
        return list(dict.fromkeys(rows))

    def layers(self, label: str, rows: tuple[str, ...] | None) -> list[Layer]:
        """Put both on a time axis that begins with one of their steps.

        Args:
            label: Of the step.
            rows: Names of the rows wanted, None for all.
        """
        layers = []
        first, second = (record.layer.rows for record in self.records)
        known = (apart_by_unit(first, second), apart_by_unit(second, first))
        for name, record, own in zip(NAMES, self.records, known, strict=True):
            wanted = tuple(row for row in own if rows is None or row.name in rows)
            layer = _at_step(record, label, wanted, name)
            if layer is not None:
                layers.append(layer)
        return layers


def open_pair(first: Path, second: Path) -> Pair:
    """Open both and compare them; where one fails none stays open.

    Raises:
        BadInput: One of them is no session, damaged, or of a newer version.
    """
    with ExitStack() as stack:
        one = open_record(first)
        stack.callback(one.close)
        other = open_record(second)
        stack.callback(other.close)
        found = compare_sessions([first, second], verify=False)
        pair = Pair((first, second), (one, other), found)
        stack.pop_all()
    return pair


def is_random(label: str) -> bool:
    """Tell whether a step is about operations rather than bytes."""
    return "random" in label.lower()


def _at_step(
    record: Record, label: str, rows: tuple[Row, ...], name: str
) -> Layer | None:
    for step in record.session.steps():
        if step.label == label and step.start_ns is not None:
            end = step.end_ns if step.end_ns is not None else record.layer.end
            return replace(
                record.layer,
                rows=rows,
                origin=step.start_ns,
                start=max(record.layer.start, step.start_ns - _LEAD_NS),
                end=min(record.layer.end, end + _LEAD_NS),
                name=name,
            )
    return None
