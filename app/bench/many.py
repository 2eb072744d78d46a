"""The load of a step on several scratch files or disks at a time."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from app.plan.step import Step
from instruments.errors import BenchError
from instruments.host.diskstats import Device as DeviceNumber
from instruments.host.diskstats import Transfers, disk_transfers
from workloads.base import Workload
from workloads.disk_trace import Traced, traced_device
from workloads.fio.fine import with_logs
from workloads.fio.load import Fio
from workloads.fio_job import FioJob, destroys
from workloads.guard.budget import Budget
from workloads.guard.disks_guard import DisksGuard
from workloads.guard.file_guard import FilesGuard
from workloads.guard.helper_client import can_ask
from workloads.guard.load_guard import LoadGuard
from workloads.helper.guard import HelperGuard
from workloads.target.targets import ManyDisks, ManyFiles


def build_many(
    label: str,
    step: Step,
    target: ManyFiles | ManyDisks,
    budget: Budget | None,
    *,
    together: bool,
) -> Workload:
    """Make the load of a step on several targets, behind the guard, not traced.

    Args:
        label: What the row is called.
        step: The step.
        target: What the load runs on.
        budget: Counts what is written, None where nobody counts.
        together: Whether all of them are one array to one job, and not a job each.

    Raises:
        BenchError: The engine runs on one target only.
    """
    first, *others = target.each
    if step.engine != "fio":
        raise BenchError(
            f"{step.engine} runs on one target, the bench has {len(target.each)}",
            where=label,
            way_out="Name one in [dut] target, or take the engine fio.",
        )
    guard: LoadGuard
    if isinstance(target, ManyDisks):
        guard = _disks_guard(target, budget, writes=destroys(step.options))
    else:
        handles = [one.handle for one in target.each]
        guard = FilesGuard([one.path for one in target.each], budget, handles)
    job = FioJob(
        label=label,
        target=first.path,
        size=first.size,
        runtime_s=step.runtime_s,
        ramp_s=step.ramp_s,
        direct=target.direct and step.options.get("direct", "1") != "0",
        options=step.options,
        more=tuple(one.path for one in others),
        together=together,
    )
    # What the helper's fio writes stays with root.
    helped = isinstance(guard, HelperGuard)
    return Fio(job if helped else with_logs(job), guard=guard)


def _disks_guard(
    target: ManyDisks, budget: Budget | None, *, writes: bool
) -> LoadGuard:
    """Make the guard of several disks: the helper's where we may not do it here.

    Only root sees who else has a disk open that is to be written.
    """
    is_ours = not writes and all(os.access(one.path, os.R_OK) for one in target.each)
    if can_ask() and not is_ours:
        first, *more = target.each
        return HelperGuard(first, budget, more=more)
    return DisksGuard(target.each, budget)


def traced(load: Workload, paths: Sequence[Path]) -> Workload:
    """Trace what lies beneath several targets, in sum; not where one is not known."""
    found = [traced_device(path) for path in paths]
    devices = list(dict.fromkeys(one for one in found if one is not None))
    if None in found or not devices:
        return load
    return Traced(load, devices[0], _sum_of(devices))


def _sum_of(
    devices: Sequence[DeviceNumber],
) -> Callable[[], dict[DeviceNumber, Transfers]]:
    def read() -> dict[DeviceNumber, Transfers]:
        counts = disk_transfers()
        known = [counts[one] for one in devices if one in counts]
        return {devices[0]: sum(known, Transfers())} if known else {}

    return read
