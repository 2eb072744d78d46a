"""What a session gives a calculator: measured values of a row, facts of its bench."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.analysis.interrupted import open_session
from app.calc.calculator import Calculator
from app.operations.sessions.compare import sweeps_over_sizes
from app.report.efficiency import idle_row
from app.report.rows import report_rows
from app.report.table import Row, number_of
from instruments.errors import BadInput
from instruments.files.foreign_text import stored_table
from instruments.settings import Value, did_you_mean

_BLOCKS = ("bssplit", "bs", "blocksize")


@dataclass(frozen=True, slots=True)
class Facts:
    """What calculators can take from a session.

    Attributes:
        of_rows: Values of each row by their names, by the labels of the rows.
        common: What holds for all of them: the row at rest, the bench.
    """

    of_rows: Mapping[str, Mapping[str, object]]
    common: Mapping[str, object]

    def taken(self, calculator: Calculator, label: str) -> dict[str, Value]:
        """Get the inputs of a calculator that a row and the bench give.

        Raises:
            OptionError: A stored value is not what an input expects.
        """
        return calculator.taken({**self.common, **self.of_rows[label]})


def session_facts(path: Path) -> Facts:
    """Read what calculators can take from a session; raises BadInput."""
    with open_session(path) as session:
        rows = report_rows(session)
        plans = {step.label: step.plan for step in session.steps()}
        bench = session.info.bench
        sweeps = sweeps_over_sizes(session.info.campaign)
    of_rows: dict[str, dict[str, object]] = {}
    for row in rows:
        label = str(row["step"])
        options = stored_table(plans.get(label, ""), "fio")
        blocks = next((options[key] for key in _BLOCKS if key in options), None)
        of_rows[label] = {**row, "blocks": blocks and str(blocks)}
    for labels in sweeps.values():
        _add_sweep(of_rows, labels)
    return Facts(of_rows, _common(rows, bench))


def _common(rows: Sequence[Row], bench: str) -> dict[str, object]:
    """Get what holds for all rows; see `Facts`."""
    common: dict[str, object] = {
        f"idle.{name}": value for name, value in idle_row(rows).items()
    }
    for table in ("dut", "cost"):
        common |= {f"{table}.{k}": v for k, v in stored_table(bench, table).items()}
    duty = common.get("cost.duty")
    if isinstance(duty, int | float):
        common["cost.duty_percent"] = 100.0 * duty
    return common


def _add_sweep(
    of_rows: Mapping[str, dict[str, object]], labels: Mapping[int, str]
) -> None:
    """Give each row of a sweep over sizes the whole sweep, in KiB and MB/s."""
    rates = ", ".join(
        f"{size / 1024:g}:{rate:.6g}"
        for size, label in sorted(labels.items())
        if (rate := number_of(of_rows.get(label, {}), "bandwidth_mb_s")) is not None
    )
    for label in labels.values():
        if label in of_rows:
            of_rows[label]["sweep"] = rates


def taken(path: Path, label: str, calculator: Calculator) -> dict[str, Value]:
    """Get the inputs of a calculator that a row of a session gives.

    Raises:
        BadInput: There is no such session or row, or it gives none of them.
    """
    facts = session_facts(path)
    rows = facts.of_rows
    if label not in rows:
        raise BadInput(
            f'there is no row "{label}"{did_you_mean(label, rows)}',
            where=str(path),
            way_out=f"Rows: {', '.join(rows)}.",
        )
    found = facts.taken(calculator, label)
    if not found:
        names = ", ".join(calculator.takes.values())
        raise BadInput(
            f'"{label}" has nothing that {calculator.word} can take',
            where=str(path),
            way_out=f"It takes {names}." if names else "Enter the values.",
        )
    return found
