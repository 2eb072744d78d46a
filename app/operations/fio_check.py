"""Check the fio steps of a campaign on a bench, before anything runs."""

from app.bench import Bench
from app.plan.campaign import Campaign
from workloads.fio_checks import Place, check_job, free_memory, logical_block
from workloads.fio_finding import Finding
from workloads.targets import find_targets


def check_fio_steps(
    campaign: Campaign, bench: Bench | None = None
) -> list[tuple[str, Finding]]:
    """Say of each fio step what fio says only when it runs, or never.

    Every point of a sweep is checked; repeats are checked once.

    Args:
        campaign: The campaign.
        bench: Where it is to run; None leaves out what depends on the target.

    Returns:
        Pairs of a row's label and a finding.

    Raises:
        BadInput: The targets of the bench cannot be found by their names.
    """
    place = Place(memory=free_memory())
    if bench is not None:
        targets = find_targets(bench.dut.targets)
        block = max(logical_block(target) for target in targets)
        place = Place(targets, bench.dut.size, place.memory, block)
    found = []
    for step in campaign.steps:
        if step.engine != "fio" or not step.enabled:
            continue
        points = [(step.label, step.options)]
        if step.sweep is not None:
            points = [
                (point.label, {**step.options, **point.options})
                for point in step.sweep.points(step.label)
            ]
        for label, options in points:
            found += [(label, finding) for finding in check_job(options, place)]
    return found
