"""The buckets that a campaign would empty, and what they hold before it starts."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.plan.campaign import Campaign
from instruments.errors import BenchError
from workloads.warp.bucket import open_bucket
from workloads.warp.job import WarpJob


@dataclass(frozen=True, slots=True)
class BucketLook:
    """One bucket of a campaign as it was found.

    Attributes:
        name: Its name.
        text: The bucket and its server, for a person.
        holds_data: Whether it holds objects, all of which WARP would delete.
        trouble: Why it cannot be looked at, "" where it can.
    """

    name: str
    text: str
    holds_data: bool = False
    trouble: str = ""


def uses_buckets(campaign: Campaign) -> bool:
    """Tell whether any step empties a bucket."""
    return any(step.engine == "warp" for _, step in campaign.runs)


def look_at_buckets(campaign: Campaign) -> list[BucketLook]:
    """Look at each bucket of a campaign once, off the GUI thread."""
    jobs = {
        (job.hosts, job.bucket): job
        for _, step in campaign.runs
        if step.engine == "warp"
        for job in [WarpJob(step.label, step.runtime_s, step.ramp_s, step.options)]
    }
    return [_look(job) for job in jobs.values()]


def not_named(buckets: Sequence[BucketLook], named: Sequence[str]) -> str:
    """Tell which bucket with data is still to be named, "" where none is."""
    for bucket in buckets:
        if bucket.holds_data and bucket.name not in named:
            return "Type the name of the bucket that will be emptied."
    return ""


def _look(job: WarpJob) -> BucketLook:
    text = f"bucket {job.bucket} on {job.hosts[0]}"
    try:
        bucket = open_bucket(job, is_use=False)
        try:
            return BucketLook(job.bucket, text, not bucket.is_empty())
        finally:
            bucket.close()
    except BenchError as error:
        return BucketLook(job.bucket, text, trouble=str(error))
