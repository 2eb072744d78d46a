"""Before the start: are the engines of a campaign there, and do they fit the target."""

from collections.abc import Callable, Collection, Mapping

from app.campaign.checks.preflight import check_fio
from app.plan.campaign import Campaign
from instruments.errors import BadInput, BenchError
from instruments.tools.secrets import NeverUsedError
from workloads.engines import LOADS
from workloads.iozone import load as iozone
from workloads.setup.make import program_of
from workloads.vdbench import load as vdbench
from workloads.warp import load as warp
from workloads.warp.bucket import check_bucket
from workloads.warp.job import WarpJob

_PROGRAMS: Mapping[str, Callable[[], str]] = {
    "iozone": iozone.program,
    "vdbench": vdbench.program,
    "warp": warp.program,
}


def check_engines(
    campaign: Campaign, erase: Collection[str] = (), *, is_use: bool = True
) -> dict[str, BenchError]:
    """Check that the program of every engine in a campaign is there.

    Args:
        campaign: The plan.
        erase: Buckets that the operator named, whatever they hold.
        is_use: Whether a run is being started; before, keys go to no new server.

    Returns:
        What is wrong, by engine: its steps will end with ERROR, the others can be
        measured.

    Raises:
        BadInput: fio refuses a job, or a bucket holds data that nobody confirmed.
    """
    troubles: dict[str, BenchError] = {}
    trouble = check_fio(campaign)
    if trouble is not None:
        troubles["fio"] = trouble
    for engine in {step.engine for _, step in campaign.runs} & _PROGRAMS.keys():
        try:
            _PROGRAMS[engine]()
        except BenchError as error:
            troubles[engine] = error
    for _, step in campaign.runs:
        if step.is_load and LOADS[step.engine].sets_up:
            try:
                program_of(step.options.get("type", step.engine))
            except BenchError as error:
                troubles[step.engine] = error
    if "warp" not in troubles:
        trouble = _check_buckets(campaign, erase, is_use=is_use)
        if trouble is not None:
            troubles["warp"] = trouble
    return troubles


def _check_buckets(
    campaign: Campaign, erase: Collection[str], *, is_use: bool
) -> BenchError | None:
    """Check each bucket once; raises BadInput where one must not be erased."""
    jobs = {
        (job.hosts, job.bucket): job
        for _, step in campaign.runs
        if step.engine == "warp"
        for job in [WarpJob(step.label, step.runtime_s, step.ramp_s, step.options)]
    }
    try:
        for job in jobs.values():
            check_bucket(job, erase, is_use=is_use)
    except BadInput:
        raise
    except NeverUsedError:
        return None
    except BenchError as error:
        return error
    return None


def needs_target(campaign: Campaign, troubles: Mapping[str, BenchError]) -> bool:
    """Tell whether any step whose engine is there runs on the target."""
    return any(
        step.on_target and step.engine not in troubles for _, step in campaign.runs
    )
