"""VDBench with its own slaves on the load hosts, one storage definition for each.

The parameters are those of the Vdbench 5.04 user's guide, section "Host Definition":
`hd=` names a host, `host=` of an `sd=` where the storage is. VDBench reaches its hosts
by the command ssh and what ~/.ssh/config says of them, and is expected in the same
folder on all of them. Tried with a stand-in only.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from instruments.errors import BenchError
from instruments.host.clock import Clock
from instruments.reading import Channel
from workloads.base import Emit, LoadResult, Say
from workloads.fio_job import link_names
from workloads.guard.budget import Budget
from workloads.guard.file_guard import FileGuard
from workloads.hosts.opening import opened
from workloads.hosts.place import Place
from workloads.hosts.site import Site
from workloads.hosts.verdict import evidence
from workloads.vdbench.job import VdbenchJob
from workloads.vdbench.load import Vdbench


@dataclass(frozen=True, slots=True)
class HostLun:
    """A host of VDBench, and what it reads and writes there.

    Attributes:
        name: What it is called.
        address: Where VDBench reaches it.
        user: Its account there, "" for that of ~/.ssh/config.
        lun: The file or disk; no spaces, commas or brackets in its name.
        size: Bytes of it.
    """

    name: str
    address: str
    user: str
    lun: str
    size: int


def _host_lines(luns: Sequence[HostLun]) -> list[str]:
    """Define each host once, however many storage definitions it has."""
    lines = ["hd=default,shell=ssh"]
    for one in {lun.name: lun for lun in luns}.values():
        user = f",user={one.user}" if one.user else ""
        lines.append(f"hd={one.name},system={one.address}{user}")
    return lines


@dataclass(frozen=True, slots=True)
class HostsJob(VdbenchJob):
    """A VDBench step on several hosts; see `VdbenchJob`."""

    luns: tuple[HostLun, ...] = ()

    def text(self, place: Path) -> str:
        """Write the parameter file; what stands there for one file is divided."""
        # slots=True makes the class again, so that super() without arguments fails.
        lines = VdbenchJob.text(self, place).splitlines()
        found = []
        for line in lines:
            if not line.startswith("sd=sd1,"):
                found.append(line.replace("wd=wd1,sd=sd1,", "wd=wd1,sd=sd*,"))
                continue
            rest = line.partition(f"size={self.size}")[2]
            found += _host_lines(self.luns)
            for number, one in enumerate(self.luns, 1):
                storage = f"sd=sd{number},host={one.name},lun={one.lun}"
                found.append(f"{storage},size={one.size}{rest}")
        return "\n".join(found) + "\n"


class VdbenchOnHosts:
    """One VDBench run whose load comes from several hosts; see `Vdbench`.

    VDBench sums its hosts itself, and ends all of them where one is lost.
    """

    name = driver = "vdbench"

    def __init__(
        self,
        job: VdbenchJob,
        places: Sequence[Place],
        budget: Budget | None = None,
    ) -> None:
        self.job = job
        self._places = tuple(places)
        self._budget = budget or Budget()

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels of its interval lines."""
        return Vdbench(self.job, self.name).channels

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> LoadResult:
        """Run VDBench to its end, or stop it with INT, TERM and KILL.

        Raises:
            BenchError: It is not installed, a host cannot be had, or the step wants
                a tree of files.
        """
        if self.job.tree_bytes:
            raise BenchError(
                "trees of files are for one host",
                where=self.job.label,
                way_out='Set mode = "raw", or take a bench without [load].',
            )
        with opened(
            self._places,
            None,
            Clock.REALTIME,
            say,
            destroys=self.job.destroys,
            stop=stop,
        ) as sites:
            _all_there(sites)
            job = self._job(sites)
            guard = _SitesGuard(sites, Path(sites[0].folder), self._budget)
            result = Vdbench(job, self.name, guard).run(emit, say, stop)
        kept = evidence(sites, dict.fromkeys((s.name for s in sites), result))
        return replace(result, artefacts=(*result.artefacts, kept))

    def _job(self, sites: Sequence[Site]) -> HostsJob:
        luns = tuple(
            HostLun(
                site.name,
                site.place.address or "localhost",
                site.place.account.user if site.place.account else "",
                f"{site.folder}/{link}",
                size,
            )
            for site in sites
            for link, size in zip(link_names(len(site.sizes)), site.sizes, strict=True)
        )
        job = self.job
        return HostsJob(
            label=job.label,
            target=Path(sites[0].place.target),
            size=sites[0].sizes[0],
            runtime_s=job.runtime_s,
            ramp_s=job.ramp_s,
            direct=all(site.direct for site in sites),
            options=job.options,
            luns=luns,
        )


def _all_there(sites: Sequence[Site]) -> None:
    """Check that no host is missing: VDBench cannot do without one."""
    for site in sites:
        if site.trouble:
            raise BenchError(
                f"VDBench needs all of its hosts: {site.trouble}",
                where=site.name,
                way_out="Correct that, or remove the host from [load].",
            )


class _SitesGuard(FileGuard):
    """The guard around VDBench on several hosts: their targets have to stay held."""

    def __init__(self, sites: Sequence[Site], path: Path, budget: Budget) -> None:
        super().__init__([path], budget)
        self._sites = tuple(sites)

    def check(
        self, pid: int, folder: str, *, destroys: bool, is_tool: bool = False
    ) -> str:
        """Check that all targets are held still; see `LoadGuard`."""
        del pid, folder, destroys, is_tool
        return next(filter(None, (site.held() for site in self._sites)), "")
