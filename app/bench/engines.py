"""The loads that are not fio: what the steps of a plan become."""

from collections.abc import Collection, Sequence

from app.plan.step import Step
from instruments.errors import BenchError
from workloads.base import Workload
from workloads.copy.job import CopyJob
from workloads.copy.load import FileCopy
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.load_guard import LoadGuard
from workloads.iozone.job import IozoneJob
from workloads.iozone.load import Iozone
from workloads.setup.job import MkfsJob, ZpoolJob
from workloads.setup.load import Setup
from workloads.setup.made import MadeThings
from workloads.target.scratch import Scratch
from workloads.vdbench.job import VdbenchJob
from workloads.vdbench.load import Vdbench
from workloads.warp.job import WarpJob


def build_engine(
    label: str, step: Step, target: Scratch | Device, guard: LoadGuard
) -> Workload:
    """Make the load of a step of any engine that runs on the target, but fio.

    Raises:
        BenchError: The engine wants files and the target is a disk.
    """
    if step.engine == "vdbench":
        job = VdbenchJob(
            label=label,
            target=target.path,
            size=_size(target),
            runtime_s=step.runtime_s,
            ramp_s=step.ramp_s,
            direct=target.direct,
            options=step.options,
        )
        if job.tree_bytes:
            _want_files(step.engine, target)
        return Vdbench(job, guard=guard)
    _want_files(step.engine, target)
    if step.engine == "iozone":
        wanted = step.options.get("I", "1") not in ("0", "false", "no")
        return Iozone(
            IozoneJob(
                label=label,
                target=target.path,
                size=target.size,
                runtime_s=step.runtime_s,
                direct=target.direct and wanted,
                options=step.options,
            ),
            guard=guard,
        )
    copy = CopyJob(label, target.path, step.runtime_s, step.ramp_s, step.options)
    return FileCopy(copy, guard=guard)


def build_warp(label: str, step: Step, erase: Collection[str]) -> Workload:
    """Make the load of a step on an S3 server."""
    from workloads.warp.load import Warp  # noqa: PLC0415  (loads an HTTP client)

    return Warp(WarpJob(label, step.runtime_s, step.ramp_s, step.options), erase=erase)


def build_setup(
    label: str,
    step: Step,
    disks: Sequence[Device],
    budget: Budget | None,
    made: MadeThings | None,
) -> Workload:
    """Make a set-up step on the disks of the bench.

    Args:
        label: What the row is called.
        step: The step.
        disks: The disks, each armed; none where the targets are files.
        budget: Counts what is written.
        made: Takes what has to be taken back at the end of the run; None where the
            step is only looked at, and will not be run.

    Raises:
        BenchError: The target is a file, or the step does not fit so many disks.
    """
    if not disks:
        raise BenchError(
            f"{step.engine} works on disks, and the target is a file",
            where=label,
            way_out="Choose disks as the target, [dut] target.",
        )
    kind = ZpoolJob if step.engine == "zpool" else MkfsJob
    job = kind(label, step.runtime_s, step.options)
    return Setup(job, disks, made or MadeThings(), budget)


def _want_files(engine: str, target: Scratch | Device) -> None:
    if isinstance(target, Device):
        raise BenchError(
            f"{engine} works on files, and the target is a disk",
            where=str(target.path),
            way_out="Make a file system on it and name a file there in [dut] target.",
        )


def _size(target: Scratch | Device) -> int:
    if isinstance(target, Device) and not target.size:
        return target.disk.identity.size
    return target.size
