"""From a bench's values to sources and loads that can be opened."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from app.bench.engines import build_engine, build_setup, build_warp
from app.bench.load_places import build_on_hosts
from app.bench.model import Bench, SourceConfig, SwitchConfig
from app.plan.step import TOGETHER, Step
from instruments.base import Source
from instruments.errors import BadInput, BenchError
from instruments.exclusion import excluding
from instruments.host import ssh
from instruments.host.diskstats import Device as DeviceNumber
from instruments.host.diskstats import Transfers, disk_transfers
from instruments.settings import did_you_mean
from instruments.switch.guard import Guarded
from instruments.tools.hosts import Host, LocalHost
from workloads.base import Workload
from workloads.disk_trace import DiskTrace, Traced, traced_device
from workloads.engines import LOADS
from workloads.fio.fine import with_logs
from workloads.fio.load import Fio
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.file_guard import FileGuard
from workloads.guard.load_guard import LoadGuard
from workloads.helper.guard import HelperGuard, disk_guard
from workloads.hosts.place import OnHosts
from workloads.setup.made import MadeThings
from workloads.target.scratch import Scratch


def traced(load: Workload, paths: Sequence[Path]) -> Workload:
    """Trace what lies beneath targets, in sum; not where one is not known."""
    devices = _devices_beneath(paths)
    return Traced(load, devices[0], _sum_of(devices)) if devices else load


def trace_of(paths: Sequence[Path]) -> DiskTrace | None:
    """Make a trace of what lies beneath targets, see `traced`, without any load."""
    devices = _devices_beneath(paths)
    return DiskTrace(devices[0], _sum_of(devices)) if devices else None


def _devices_beneath(paths: Sequence[Path]) -> list[DeviceNumber]:
    """Find the devices beneath targets; none where one is not known."""
    found = [traced_device(path) for path in paths]
    known = [one for one in found if one is not None]
    return list(dict.fromkeys(known)) if len(known) == len(found) else []


def _sum_of(
    devices: Sequence[DeviceNumber],
) -> Callable[[], dict[DeviceNumber, Transfers]]:
    def read() -> dict[DeviceNumber, Transfers]:
        counts = disk_transfers()
        known = [counts[device] for device in devices if device in counts]
        return {devices[0]: sum(known, Transfers())} if known else {}

    return read


Targets = Sequence[Scratch | Device] | OnHosts
"""What the loads of a run have: scratch files or disks, here or on other hosts.

Here they are all files or all disks, and none where nothing runs on any.
"""


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
    return excluding(source, config.ignore)


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
    names = [config.name for config in bench.sources if config.section == "host"]
    raise BadInput(
        f'there is no host "{name}"{did_you_mean(name, names)}',
        where=bench.file,
        way_out=f"Available: {', '.join(names)}." if names else "Add a [[host]].",
    )


def login_of(bench: Bench, name: str) -> str:
    """Say where the password of a source or a switch goes; it is for nobody else.

    Raises:
        BadInput: There is none of this name, or it needs no password.
    """
    known: dict[str, SourceConfig | SwitchConfig] = {}
    known |= {source.name: source for source in bench.sources}
    known |= {switch.name: switch for switch in bench.switches}
    config = known.get(name) or known.get(name.removesuffix("-privacy"))
    if config is not None:
        driver, host = config.driver, build_host(bench, config.host)
        if found := driver.login(driver.settings(config.name, config.keys, host)):
            return found
    raise BadInput(
        f'there is no source or switch "{name}" that needs a password'
        f"{'' if config else did_you_mean(name, known)}",
        where=bench.file or bench.name,
        way_out="Name one as the bench does.",
    )


def build_load(
    label: str,
    step: Step,
    targets: Targets,
    budget: Budget | None = None,
    *,
    erase: Collection[str] = (),
    made: MadeThings | None = None,
) -> Workload:
    """Make the load of a step on scratch files or disks, behind the guard.

    The disk beneath each is traced, where there is one and it is of this machine.

    Args:
        label: What the row is called.
        step: The step.
        targets: What the load runs on; WARP needs none.
        budget: Counts what is written, None where nobody counts.
        erase: Buckets that the operator named, whatever they hold.
        made: Takes what set-up steps make, to be taken back at the end of the run.

    Raises:
        BenchError: The engine cannot run on a disk, or not on several targets.
    """
    if isinstance(targets, OnHosts):
        return build_on_hosts(label, step, targets, budget, erase=erase)
    if step.engine == "warp":
        return build_warp(label, step, erase)
    load = build_untraced(label, step, targets, budget, made)
    if step.engine == "fio" and step.options.get("ioengine") == "null":
        return load  # it moves nothing, and a disk must not be compared with it
    return traced(load, [target.path for target in targets])


def build_untraced(
    label: str,
    step: Step,
    targets: Sequence[Scratch | Device],
    budget: Budget | None = None,
    made: MadeThings | None = None,
) -> Workload:
    """Make the load of a step here, without a look at the disks beneath its targets.

    Raises:
        BenchError: The engine cannot run on a disk, or not on several targets.
    """
    if not targets:
        raise BenchError("there is no target", where=label)
    disks = [target for target in targets if isinstance(target, Device)]
    engine = LOADS[step.engine]
    if engine.sets_up:
        return build_setup(label, step, disks, budget, made)
    guard: LoadGuard
    if disks:
        writes = engine.writes(step.options)
        guard = disk_guard(step.engine, disks, budget, writes=writes)
    else:
        guard = _file_guard(targets, budget)
    if step.engine == "fio":
        return _fio(label, step, targets, guard)
    if len(targets) > 1:
        raise BenchError(
            f"{step.engine} runs on one target, the bench has {len(targets)}",
            where=label,
            way_out="Name one in [dut] target, or take the engine fio.",
        )
    return build_engine(label, step, targets[0], guard)


def _file_guard(
    targets: Sequence[Scratch | Device], budget: Budget | None
) -> FileGuard:
    files = [target for target in targets if isinstance(target, Scratch)]
    return FileGuard([one.path for one in files], budget, [one.handle for one in files])


def _fio(
    label: str, step: Step, targets: Sequence[Scratch | Device], guard: LoadGuard
) -> Workload:
    direct = step.options.get("direct", "1") != "0"
    job = FioJob(
        label=label,
        targets=tuple(target.path for target in targets),
        size=targets[0].size,
        runtime_s=step.runtime_s,
        ramp_s=step.ramp_s,
        direct=direct and all(target.direct for target in targets),
        options=step.options,
        together=step.devices == TOGETHER,
    )
    # What the helper's fio writes stays with root.
    helped = isinstance(guard, HelperGuard)
    return Fio(job if helped else with_logs(job), guard=guard)


def build_switch(bench: Bench, name: str) -> Guarded:
    """Make a switch of a bench, not yet opened, which does only what is allowed.

    Raises:
        BadInput: The bench has no such switch.
    """
    config = bench.switch(name)
    host = build_host(bench, config.host)
    settings = config.driver.settings(config.name, config.keys, host)
    return Guarded(config.driver.build(settings), config.allow)
