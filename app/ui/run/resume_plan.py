"""The plan that goes on with a run that was cut off; no Qt."""

from app.campaign.checks import has_load
from app.operations.run.erase import uses_buckets
from app.operations.run.resume import Unfinished
from app.ui.run.control import RunPlan
from workloads.guard.device import is_device


def plan_of(left: Unfinished) -> RunPlan:
    """Make the plan: what ran, on what it ran, into the same file."""
    code = left.foreign.code if left.foreign is not None else ""
    out = left.path.parent
    return RunPlan(
        left.campaign,
        left.bench,
        out,
        resume=left.path,
        left=left.to_run,
        confirmed=code,
    )


def needs_words(plan: RunPlan) -> bool:
    """Tell whether something has to be typed: a disk, or a bucket that is emptied."""
    bench, campaign = plan.bench, plan.campaign
    is_disk = bench.load is not None or any(map(is_device, bench.dut.targets))
    overwrites = has_load(campaign) and campaign.writes and is_disk
    return overwrites or uses_buckets(campaign)
