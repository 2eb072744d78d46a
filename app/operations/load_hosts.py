"""The load hosts of a run: reached before it starts, and their disks armed."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

from app.bench import Bench
from app.bench.load_places import build_places, with_devices
from app.plan.campaign import Campaign
from instruments.errors import BadInput, BenchError
from instruments.hosts import LocalHost
from workloads.engines import LOADS
from workloads.guard.device import Device, open_device
from workloads.hosts.place import OnHosts, Place, is_disk
from workloads.hosts.versions import fio_version, same_version
from workloads.hosts.windows_job import check_windows_target

_AT_ONCE = 16
_TIMEOUT_S = 15.0


def find_hosts(
    campaign: Campaign,
    bench: Bench,
    words: Sequence[str],
    overrule: Sequence[str],
) -> OnHosts | None:
    """Reach the hosts of [load], and arm their disks where loads write to them.

    Args:
        campaign: The plan.
        bench: What is connected; it has [load].
        words: A word for each disk that may be overwritten, as typed.
        overrule: Types of traces of data that may be overwritten.

    Returns:
        The hosts; None where no step is a load.

    Raises:
        BadInput: Their versions of fio differ, or a disk is not armed or must not be
            overwritten; nothing was started.
        BenchError: A host cannot be reached.
    """
    engines = {step.engine for _, step in campaign.runs} & LOADS.keys()
    if not engines:
        return None
    found = build_places(bench)
    if words and not any(is_disk(place.target) for place in found.places):
        raise BadInput(
            "the targets of the load hosts are files, there is no disk to arm",
            where=f"--arm {words[0]}",
            way_out="Name the disks in targets of [load].",
        )

    def look(place: Place) -> tuple[str, Device | None]:
        if place.windows is not None:
            check_windows_target(place.target, destroys=campaign.writes)
            try:
                done = place.windows.run(["fio", "--version"], _TIMEOUT_S)
            finally:
                place.windows.close()
            return done.stdout.strip(), None
        try:
            version = ""
            if "fio" in engines:
                version = fio_version(place.host)
            else:
                place.host.run(["true"], _TIMEOUT_S)
            if not is_disk(place.target):
                return version, None
            return version, open_device(
                Path(place.target),
                place.size,
                writes=campaign.writes,
                words=words,
                overrule=overrule,
                allow=bench.guard.allow,
                host=place.host,
            )
        finally:
            place.host.close()

    with ThreadPoolExecutor(_AT_ONCE, "load-host") as pool:
        looks = [(place.name, pool.submit(look, place)) for place in found.places]
    troubles = [(n, e) for n, one in looks if (e := one.exception()) is not None]
    if troubles:
        _raise_all(troubles)
    if "fio" in engines:
        _check_versions({name: one.result()[0] for name, one in looks}, found)
    devices = {name: one.result()[1] for name, one in looks}
    return with_devices(found, {n: d for n, d in devices.items() if d is not None})


def tell_hosts(bench: Bench) -> str:
    """Reach each load host of a bench and look at its target, without touching it.

    Returns:
        A line for each: its fio and its target.

    Raises:
        BenchError: One cannot be reached, or their versions of fio differ.
    """
    found = build_places(bench)

    def look(place: Place) -> tuple[str, str]:
        if place.windows is not None:
            check_windows_target(place.target, destroys=False)
            try:
                done = place.windows.run(["fio", "--version"], _TIMEOUT_S)
            finally:
                place.windows.close()
            return done.stdout.strip(), place.target
        try:
            version, told = fio_version(place.host), place.target
            if is_disk(place.target):
                disk = open_device(
                    Path(place.target), place.size, writes=False, host=place.host
                )
                told = disk.disk.title
            return version, told
        finally:
            place.host.close()

    with ThreadPoolExecutor(_AT_ONCE, "load-host") as pool:
        looks = [(place.name, pool.submit(look, place)) for place in found.places]
    troubles = [(n, e) for n, one in looks if (e := one.exception()) is not None]
    if troubles:
        _raise_all(troubles)
    _check_versions({name: one.result()[0] for name, one in looks}, found)
    return "\n".join(f"{name}: {', '.join(one.result())}" for name, one in looks)


def _check_versions(versions: Mapping[str, str], hosts: OnHosts) -> None:
    """Check that all are of one release, with fio's client here; raises BenchError."""
    own = {"": fio_version(LocalHost())} if hosts.way == "server" else {}
    same_version({**own, **versions})


def _raise_all(troubles: Sequence[tuple[str, BaseException]]) -> NoReturn:
    """Raise what is wrong with hosts; of several all are told in one sentence."""
    ours = [(name, e) for name, e in troubles if isinstance(e, BenchError)]
    if len(ours) < len(troubles):
        raise next(e for _, e in troubles if not isinstance(e, BenchError))
    if len(ours) == 1:
        raise ours[0][1]
    kind = BadInput if all(isinstance(e, BadInput) for _, e in ours) else BenchError
    told = "; ".join(f"{name}: {error.what}" for name, error in ours)
    raise kind(
        f"{len(ours)} load hosts cannot be used: {told}",
        where="[load]",
        way_out=" ".join(dict.fromkeys(error.way_out for _, error in ours)),
    )
