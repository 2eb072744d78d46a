"""Before the start: find every mistake that can be found without starting anything."""

import errno
import os
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from app.analysis.steady.rounds import POWER, TEMPERATURE, Rounds
from app.bench.model import Bench
from app.campaign.phases.align import burst_step
from app.campaign.phases.command import lacking_of_commands
from app.campaign.phases.cooldown import NO_DRIVE
from app.plan import clap
from app.plan.campaign import Campaign
from app.plan.cooldown import check_cooldown
from app.plan.step import Step
from app.record.store import Session
from instruments.errors import BadInput, BenchError
from instruments.files.own_folder import OwnFolder
from instruments.power.step_ranges import STEP_RANGES
from instruments.settings import did_you_mean
from instruments.tools.command import run as run_tool
from instruments.tools.secrets import NeverUsedError
from workloads.engines import LOADS
from workloads.fio.load import check_version
from workloads.fio_job import FioJob
from workloads.guard.device import is_device
from workloads.iozone import load as iozone
from workloads.setup.make import program_of
from workloads.target.targets import check_targets, find_targets
from workloads.vdbench import load as vdbench
from workloads.warp import load as warp
from workloads.warp.bucket import check_bucket
from workloads.warp.job import WarpJob


def check_step_ranges(campaign: Campaign, bench: Bench) -> None:
    """Check that every step with its own ranges is in the campaign.

    A step that is switched off is one of it, too.

    Raises:
        BadInput: There is no step with such a label, so that it would be measured on
            ranges that were not meant for it.
    """
    steps = (*campaign.steps, *(step for _, step in campaign.runs))
    labels = list(dict.fromkeys(step.label for step in steps))
    for source in bench.sources:
        written = source.keys.get(STEP_RANGES.key)
        for text in written if isinstance(written, list | tuple) else ():
            label = str(text).partition("=")[0].strip()
            if label not in labels:
                hint = did_you_mean(label, labels)
                raise BadInput(
                    f'step_ranges names "{label}", and there is no such step{hint}',
                    where=source.name,
                    way_out=f"The campaign's steps are {', '.join(labels)}.",
                )


_BROKEN = (errno.EIO, errno.ENOSPC, errno.ENOMEM, errno.EROFS, errno.EMFILE)
"""What fio stumbles over is this machine then, and not the job."""


def check_plan(campaign: Campaign, bench: Bench, without: Sequence[str]) -> None:
    """Check sources, and a scratch file; nothing is touched.

    A disk is checked where it is armed, a target of a load host there.

    Raises:
        BadInput: Something the user has to correct.
    """
    names = {source.name for source in bench.sources}
    if strange := [name for name in without if name not in names]:
        raise BadInput(
            f'there is no source "{strange[0]}" on the bench'
            f"{did_you_mean(strange[0], names)}",
            where="--without",
            way_out=f"It has {', '.join(sorted(names)) or 'none'}.",
        )
    check_step_ranges(campaign, bench)
    if lacking := lacking_of_commands(campaign, bench):
        raise lacking[0]
    _check_set_up(campaign, bench)
    is_here = bench.load is None and not is_device(bench.dut.targets[0])
    if has_load(campaign) and is_here:
        targets = find_targets(bench.dut.targets)
        check_targets(targets, bench.dut.size, writes=campaign.writes)


def _check_set_up(campaign: Campaign, bench: Bench) -> None:
    """Check that what makes arrays, pools and file systems has disks here for it."""
    if bench.load is None and is_device(bench.dut.targets[0]):
        return
    for label, step in campaign.runs:
        if step.is_load and LOADS[step.engine].sets_up:
            raise BadInput(
                f"{step.engine} makes something of disks of this machine, and the "
                f"target is {bench.dut.targets[0]}",
                where=f'step "{label}"',
                way_out="Choose disks as the target, [dut] target.",
            )


def check_fio(campaign: Campaign) -> BenchError | None:
    """Check that fio is there and takes every job of the campaign.

    Returns:
        What is wrong with fio itself: steps that need it will end with ERROR, the
        others can be measured. None where it is as it should be.

    Raises:
        BadInput: fio refuses a job; names the step and fio's reason.
    """
    loads = [step for _, step in campaign.runs if step.engine == "fio"]
    loads += [
        burst_step(step, clap.SHORTEST_S)
        for _, step in campaign.runs
        if step.engine == "align"
    ]
    if not loads:
        return None
    try:
        check_version(run_tool(["fio", "--version"], timeout_s=10).stdout)
    except BenchError as error:
        return error
    try:
        for step in loads:
            _parse(step)
    except BadInput:
        raise
    except BenchError as error:
        return error
    return None


def has_load(campaign: Campaign) -> bool:
    """Tell whether any step puts a load on the target."""
    return any(step.on_target for _, step in campaign.runs)


def _parse(step: Step) -> None:
    """Let fio itself parse the job; it opens and writes nothing."""
    job = FioJob(step.label, (Path("bayscope"),), 2**30, 1, 0, True, step.options)
    with OwnFolder("bayscope-fio-") as folder:
        (folder / "job.fio").write_text(job.text(), encoding="utf-8")
        done = run_tool(["fio", "--parse-only", f"{folder}/job.fio"], timeout_s=20)
    if done.code != 0:
        lines = [*done.stderr.splitlines(), *done.stdout.splitlines()]
        told = [line.strip() for line in lines if line.strip()]
        if any(os.strerror(number) in line for line in told for number in _BROKEN):
            raise BenchError(
                f"fio cannot look at the job: {'; '.join(told[:3])}",
                where=f'step "{step.label}"',
                way_out=f"Check the disks of fio and of {tempfile.gettempdir()}.",
            )
        raise BadInput(
            f"fio refuses the job: {'; '.join(told[:3]) or 'it does not say why'}",
            where=f'step "{step.label}"',
            way_out="Correct the options in [step.fio].",
        )


_NEEDED = {
    "power": (POWER, "no meter measures the power of the device"),
    "temperature": (TEMPERATURE, "no source measures the temperature of a drive"),
}


def lacking(rows: Sequence[tuple[str, Step]], session: Session) -> list[str]:
    """Say of each step what it waits for in vain."""
    there = {quantity.name for quantity in Rounds(session).quantities}
    sentences = []
    for label, step in rows:
        if _needs_drive(step) and TEMPERATURE not in there:
            sentences.append(f"{label}: {NO_DRIVE}")
        for name in step.steady.quantities if step.steady is not None else ():
            needed, why = _NEEDED.get(name, ("", ""))
            if needed and needed not in there:
                sentences.append(f"{label}: {why}, so it will not be found steady")
    return sentences


def _needs_drive(step: Step) -> bool:
    """Whether it waits for the hottest drive, and not for a channel that it names."""
    if step.engine != "cooldown":
        return False
    plan = check_cooldown(step.options)
    return not plan.only_time and not plan.channel


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
