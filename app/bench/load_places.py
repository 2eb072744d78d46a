"""From [load] of a bench to the hosts that loads come from, and their loads."""

from collections.abc import Collection

from app.bench.engines import build_warp
from app.bench.load import LoadHosts
from app.bench.model import Bench
from app.plan.step import TOGETHER, Step
from instruments.errors import BadInput, BenchError
from instruments.host import ssh, windows
from instruments.tools.hosts import LocalHost
from workloads.base import Workload
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.hosts.each import FioEach
from workloads.hosts.place import OnHosts, Place
from workloads.hosts.servers import FioServers
from workloads.hosts.vdbench_hosts import VdbenchOnHosts
from workloads.vdbench.job import VdbenchJob
from workloads.warp.job import WarpJob

ENGINES = ("fio", "vdbench", "warp")
"""Engines that run on the hosts of [load]."""

LIFE_S = 10.0
"""Seconds after which a load ends by itself on a host that has lost us."""


def build_places(bench: Bench) -> OnHosts:
    """Make the load hosts of a bench, not reached yet; it has [load].

    Raises:
        BadInput: A [[host]] has something that its driver refuses.
    """
    load = bench.load
    if load is None:
        raise BadInput("there is no [load]", where=bench.file)
    places = [_place(bench, load, number) for number in range(len(load.hosts))]
    return OnHosts(tuple(places), load.way, load.start)


def _place(bench: Bench, load: LoadHosts, number: int) -> Place:
    name = load.hosts[number]
    config = next(
        source
        for source in bench.sources
        if (source.section, source.name) == ("host", name)
    )
    settings = config.driver.settings(name, config.keys, LocalHost(name))
    targets = load.targets_of(number, [str(target) for target in bench.dut.targets])
    if config.driver.name == windows.DRIVER.name:
        from instruments.ssh.windows import WindowsHost  # noqa: PLC0415  (as host.ssh)

        account = ssh.target_of(settings)
        return Place(
            name,
            settings.host,
            targets,
            bench.dut.size,
            address=account.address,
            port=load.port,
            windows=WindowsHost(name, account),
        )
    if config.driver.name != ssh.DRIVER.name:
        return Place(name, settings.host, targets, bench.dut.size)
    return Place(
        name,
        ssh.host_of(settings, LIFE_S),
        targets,
        bench.dut.size,
        account=ssh.target_of(settings),
        address=settings.text("address"),
        port=load.port,
    )


def build_on_hosts(
    label: str,
    step: Step,
    target: OnHosts,
    budget: Budget | None,
    *,
    erase: Collection[str] = (),
) -> Workload:
    """Make the load of a step on the hosts of a bench.

    WARP has its clients there, unless the step names others.

    Raises:
        BenchError: The engine runs on one machine only.
    """
    if step.engine == "warp" and "warp-client" in step.options:
        return build_warp(label, step, erase)
    if step.engine == "warp":
        from workloads.hosts.warp_clients import WarpOnHosts  # noqa: PLC0415  (as WARP)

        warp = WarpJob(label, step.runtime_s, step.ramp_s, step.options)
        return WarpOnHosts(warp, target.places, erase=erase)
    if step.engine == "vdbench":
        vdbench = VdbenchJob(
            label=label,
            target=target.path,
            size=target.places[0].size,
            runtime_s=step.runtime_s,
            ramp_s=step.ramp_s,
            direct=True,
            options=step.options,
        )
        return VdbenchOnHosts(vdbench, target.places, budget=budget)
    if step.engine != "fio":
        raise BenchError(
            f"{step.engine} does not run on the hosts of [load]",
            where=label,
            way_out="Use fio, vdbench or warp, or a bench without [load].",
        )
    job = FioJob(
        label=label,
        targets=(target.path,),
        size=target.places[0].size,
        runtime_s=step.runtime_s,
        ramp_s=step.ramp_s,
        direct=step.options.get("direct", "1") != "0",
        options=step.options,
        together=step.devices == TOGETHER,
    )
    if target.way == "ssh":
        return FioEach(job, target.places, budget=budget)
    return FioServers(job, target.places, start=target.start, budget=budget)
