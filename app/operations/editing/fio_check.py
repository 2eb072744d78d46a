"""Check the fio steps of a campaign on a bench, before anything runs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.bench.model import Bench
from app.plan.campaign import Campaign
from workloads.fio.checks import (
    Place,
    all_parse,
    check_job,
    free_memory,
    logical_block,
)
from workloads.fio.options import check
from workloads.fio.paste.finding import Finding, Weight
from workloads.target.targets import find_targets


@dataclass(frozen=True, slots=True)
class StepFinding:
    """What a fio step has that may not be meant.

    Attributes:
        row: Number of the step in the campaign, from 0.
        label: Of the step, or of the point of its sweep.
        finding: What it is, and what comes of it.
    """

    row: int
    label: str
    finding: Finding

    @property
    def sentence(self) -> str:
        """Say it where the option is not seen."""
        return f"{self.finding.fio} {self.finding.made}".strip()


def find_in_steps(campaign: Campaign, bench: Bench | None = None) -> list[StepFinding]:
    """Say of each fio step what fio says only when it runs, or never.

    Every point of a sweep is checked; repeats are checked once. Without a bench nothing
    is said of what depends on the target.

    Raises:
        BadInput: The targets of the bench cannot be found by their names.
    """
    place = _place(bench)
    jobs, found = [], []
    for row, label, options in _points(campaign):
        wrong = _values(options)
        found += [StepFinding(row, label, one) for one in wrong]
        jobs.append((row, label, options, not wrong))
    # Asking fio takes a while, so it is asked for each job only where it refuses one.
    ask = not all_parse([options for _, _, options, is_right in jobs if is_right])
    for row, label, options, is_right in jobs:
        findings = check_job(options, place, ask=ask and is_right)
        found += [StepFinding(row, label, one) for one in findings]
    return sorted(found, key=lambda one: one.row)


def _points(campaign: Campaign) -> Iterator[tuple[int, str, Mapping[str, str]]]:
    """List the jobs of a campaign: number of the step, label, options."""
    for row, step in enumerate(campaign.steps):
        if step.engine != "fio" or not step.enabled:
            continue
        if step.sweep is None:
            yield row, step.label, step.options
            continue
        for point in step.sweep.points(step.label):
            yield row, point.label, {**step.options, **point.options}


def _place(bench: Bench | None) -> Place:
    if bench is None:
        return Place(memory=free_memory())
    if bench.load is not None:  # targets and memory are those of other machines
        return Place(size=bench.dut.size)
    targets = find_targets(bench.dut.targets)
    block = max(logical_block(target) for target in targets)
    return Place(targets, bench.dut.size, free_memory(), block)


def _values(options: Mapping[str, str]) -> list[Finding]:
    """Check values by fio's own types, which names the option that is wrong."""
    findings = []
    for name, value in options.items():
        if trouble := check(name, value):
            said = f"{trouble.rstrip('.')}."
            quote = f"{name}={value}"
            findings.append(Finding((), quote, said, "", Weight.TRAP, True, name))
    return findings
