"""How findings, steps and targets of a text with fio jobs stand in tables; no Qt."""

from collections.abc import Sequence

from app.operations.editing.values import summary
from app.plan.fio.targets import NamedTarget
from app.plan.step import Step
from app.ui.kit.rows_model import Column
from app.ui.kit.states import Look
from instruments.durations import format_duration
from workloads.fio.paste.finding import Finding, Weight

_DECIDE = Look("decide", "triangle-alert", "error")
_LOOKS = {
    Weight.TRAP: Look("trap", "triangle-alert", "warn"),
    Weight.EXCLUDED: Look("excluded", "ban", "muted"),
    Weight.NOTE: Look("note", "info", "muted"),
}
_ORDER = tuple(_LOOKS)
_MOST_LINES = 4


def finding_columns() -> list[Column[Finding]]:
    """Make the columns of findings."""
    return [
        Column("", lambda one: look_of_finding(one).word, look=look_of_finding),
        Column("Line", lambda one: lines_text(one.lines), tip=_lines_tip, right=True),
        Column("Text", lambda one: one.quote),
        Column("fio's behaviour", lambda one: one.fio),
        Column("Imported as", lambda one: one.made),
    ]


def look_of_finding(one: Finding) -> Look:
    """Get how much a finding matters."""
    return _DECIDE if one.decide else _LOOKS[one.weight]


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """Put what has to be decided first, then traps, what is left out, and notes."""
    return sorted(
        findings, key=lambda one: (not one.decide, _ORDER.index(one.weight), one.lines)
    )


def lines_text(lines: Sequence[int]) -> str:
    """Write lines, such as "3, 5" or "2, 5, 8, 11 ..."."""
    shown = ", ".join(str(line) for line in lines[:_MOST_LINES])
    return f"{shown} ..." if len(lines) > _MOST_LINES else shown


def count_text(findings: Sequence[Finding]) -> str:
    """Tell how many findings there are of each kind, "" without any."""
    decide = sum(finding.decide for finding in findings)
    counts = [(decide, "decision needed" if decide == 1 else "decisions needed")]
    for weight, word in (
        (Weight.TRAP, "traps"),
        (Weight.EXCLUDED, "excluded"),
        (Weight.NOTE, "notes"),
    ):
        several = sum(
            finding.weight is weight and not finding.decide for finding in findings
        )
        counts.append((several, word.removesuffix("s") if several == 1 else word))
    return ", ".join(f"{count} {word}" for count, word in counts if count)


def step_columns() -> list[Column[Step]]:
    """Make the columns of the steps that a text makes."""
    return [
        Column("Step", lambda one: one.label),
        Column("Options", _options),
        Column("Runtime", lambda one: format_duration(one.runtime_s), right=True),
    ]


def _options(step: Step) -> str:
    options = {k: v for k, v in step.options.items() if (k, v) != ("numjobs", "1")}
    return summary({"engine": step.engine, step.engine: options})


def target_columns() -> list[Column[NamedTarget]]:
    """Make the columns of the targets that a text names."""
    return [
        Column("File or disk", lambda one: one.path),
        Column("Size", lambda one: one.size, right=True),
        Column("Jobs", lambda one: "write" if one.writes else "read"),
        Column("Line", lambda one: lines_text(one.lines), tip=_lines_tip, right=True),
    ]


def _lines_tip(one: Finding | NamedTarget) -> str:
    return ", ".join(str(line) for line in one.lines)
