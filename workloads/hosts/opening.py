"""All load hosts of a step: opened side by side, and closed again whatever happened."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from instruments.errors import BenchError
from instruments.host.clock import Clock
from instruments.tools.hosts import LocalHost
from workloads.base import Say
from workloads.fio_job import FioJob
from workloads.hosts.place import Place
from workloads.hosts.site import Site
from workloads.hosts.versions import fio_version, same_version

_AT_ONCE = 16
"""Hosts that are spoken to at the same time; each takes a thread and a handshake."""


@contextlib.contextmanager
def opened(
    places: Sequence[Place],
    job: FioJob | None,
    clock: Clock,
    say: Say,
    *,
    destroys: bool,
    stop: threading.Event,
    here: bool = False,
) -> Iterator[list[Site]]:
    """Open the hosts of a step; those that cannot be had are excluded, and told.

    Without a job it is for another engine than fio. `here` tells that the fio of this
    machine takes part, too, as their client.

    Yields:
        All of them; one with a trouble is not part of the load.

    Raises:
        BenchError: None can be had, or their versions of fio differ.
    """
    sites = [_site(place, clock) for place in places]

    def open_one(site: Site) -> None:
        site.open(job, destroys=destroys, stop=stop, say=say)

    try:
        each(sites, open_one, say)
        versions = {site.name: site.version for site in living(sites)}
        if here:
            versions = {"": fio_version(LocalHost())} | versions
        if job is not None:
            same_version(versions)
        yield sites
    finally:
        with ThreadPoolExecutor(_AT_ONCE, "host-close") as pool:
            list(pool.map(lambda site: site.close(), sites))


def _site(place: Place, clock: Clock) -> Site:
    if place.windows is None:
        return Site(place, clock)
    from workloads.hosts.windows_site import WindowsSite  # noqa: PLC0415  (asyncssh)

    return WindowsSite(place, clock)


def living(sites: Sequence[Site]) -> list[Site]:
    """Get the hosts that are part of the load.

    Raises:
        BenchError: There is none.
    """
    found = [site for site in sites if not site.trouble]
    if not found:
        raise BenchError(
            f"none of the {len(sites)} load hosts can be used: {sites[0].trouble}",
            where="[load]",
            way_out="Correct that, then run the step again.",
        )
    return found


def each(sites: Sequence[Site], work: Callable[[Site], None], say: Say) -> None:
    """Do something on all hosts side by side; one on which it fails is lost."""

    def guarded(site: Site) -> None:
        try:
            work(site)
        except BenchError as error:
            site.lose(str(error))
            say("error", f"{site.name} is excluded: {error}")

    with ThreadPoolExecutor(_AT_ONCE, "host-open") as pool:
        list(pool.map(guarded, [site for site in sites if not site.trouble]))
