"""From a bench's values to sources and loads that can be opened."""

from collections.abc import Collection

from app.bench.engines import build_engine, build_setup, build_warp
from app.bench.load_places import build_on_hosts
from app.bench.many import build_many, traced
from app.bench.model import Bench, SourceConfig, SwitchConfig
from app.plan.step import TOGETHER, Step
from instruments.base import Source
from instruments.errors import BadInput, BenchError
from instruments.host import ssh
from instruments.left_out import leave_out
from instruments.tools.hosts import Host, LocalHost
from workloads.base import Workload
from workloads.engines import LOADS
from workloads.fio.fine import with_logs
from workloads.fio.load import Fio
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.file_guard import FileGuard
from workloads.guard.load_guard import LoadGuard
from workloads.helper.guard import HelperGuard, device_guard
from workloads.hosts.place import OnHosts
from workloads.setup.made import MadeThings
from workloads.target.scratch import Scratch
from workloads.target.targets import ManyDisks, ManyFiles

Target = Scratch | Device | ManyFiles | ManyDisks | OnHosts
"""What the loads of a run have: scratch files or disks, here or on other hosts."""


def build_sources(bench: Bench) -> list[Source]:
    """Make the bench's sources, not yet opened.

    Raises:
        BadInput: A key has a value that its driver refuses.
    """
    return [build_source(bench, config) for config in bench.sources]


def build_source(bench: Bench, config: SourceConfig) -> Source:
    """Make one source of a bench, not yet opened; raises BadInput."""
    # A [[host]] is a source as well: it measures the machine that it reaches.
    host = build_host(bench, config.name if config.section == "host" else config.host)
    source = config.driver.build(config.driver.settings(config.name, config.keys, host))
    return leave_out(source, config.ignore)


def build_host(bench: Bench, name: str) -> Host:
    """Make the machine that a source's tools run on; "" is this one.

    Raises:
        BadInput: The bench has no such [[host]].
    """
    if not name:
        return LocalHost()
    for config in bench.sources:
        if (config.section, config.name) == ("host", name):
            settings = config.driver.settings(name, config.keys, LocalHost(name))
            is_remote = config.driver.name == ssh.DRIVER.name
            return ssh.host_of(settings) if is_remote else settings.host
    raise BadInput(
        f'there is no host "{name}"', where=bench.file, way_out="Add a [[host]]."
    )


def login_of(bench: Bench, name: str) -> str:
    """Say where the password of a source or a switch goes; it is for nobody else.

    Raises:
        BadInput: There is none of this name, or it needs no password.
    """
    known: dict[str, SourceConfig | SwitchConfig] = {}
    known |= {one.name: one for one in bench.sources}
    known |= {one.name: one for one in bench.switches}
    config = known.get(name) or known.get(name.removesuffix("-privacy"))
    if config is not None:
        driver, host = config.driver, build_host(bench, config.host)
        if found := driver.login(driver.settings(config.name, config.keys, host)):
            return found
    raise BadInput(
        f'there is no source or switch "{name}" that needs a password',
        where=bench.file or bench.name,
        way_out="Name one as the bench does.",
    )


def build_load(
    label: str,
    step: Step,
    target: Target | None,
    budget: Budget | None = None,
    *,
    erase: Collection[str] = (),
    made: MadeThings | None = None,
) -> Workload:
    """Make the load of a step on scratch files or disks, behind the guard.

    The disk beneath each is traced, where there is one and it is of this machine.
    See `build_untraced`.
    """
    load = build_untraced(label, step, target, budget, erase=erase, made=made)
    if step.engine == "warp" or target is None or isinstance(target, OnHosts):
        return load
    if step.engine == "fio" and step.options.get("ioengine") == "null":
        return load  # it moves nothing, and a disk must not be compared with it
    if isinstance(target, ManyFiles | ManyDisks):
        return traced(load, [one.path for one in target.each])
    return traced(load, [target.path])


def build_untraced(
    label: str,
    step: Step,
    target: Target | None,
    budget: Budget | None = None,
    *,
    erase: Collection[str] = (),
    made: MadeThings | None = None,
) -> Workload:
    """Make the load of a step without a look at the disk beneath its target.

    Args:
        label: What the row is called.
        step: The step.
        target: What the load runs on; None where there is none, as WARP needs none.
        budget: Counts what is written, None where nobody counts.
        erase: Buckets that the operator named, whatever they hold.
        made: Takes what set-up steps make, to be taken back at the end of the run.

    Raises:
        BenchError: The engine cannot run on a disk, only on files.
    """
    if isinstance(target, OnHosts):
        return build_on_hosts(label, step, target, budget, erase=erase)
    if step.engine == "warp":
        return build_warp(label, step, erase)
    if target is None:
        raise BenchError("there is no target", where=label)
    if LOADS[step.engine].sets_up:
        return build_setup(label, step, target, budget, made)
    if isinstance(target, ManyFiles | ManyDisks):
        return build_many(
            label, step, target, budget, together=step.devices == TOGETHER
        )
    guard: LoadGuard
    if isinstance(target, Device):
        guard = device_guard(target, budget)
    else:
        guard = FileGuard(target.path, budget, target.handle)
    if step.engine == "fio":
        return _fio(label, step, target, guard)
    return build_engine(label, step, target, guard)


def _fio(
    label: str, step: Step, target: Scratch | Device, guard: LoadGuard
) -> Workload:
    direct = target.direct and step.options.get("direct", "1") != "0"
    job = FioJob(
        label=label,
        target=target.path,
        size=target.size,
        runtime_s=step.runtime_s,
        ramp_s=step.ramp_s,
        direct=direct,
        options=step.options,
    )
    # What the helper's fio writes stays with root.
    helped = isinstance(guard, HelperGuard)
    return Fio(job if helped else with_logs(job), guard=guard)
