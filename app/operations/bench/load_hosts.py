"""The load hosts of a run: reached before it starts, and their disks armed."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from app.bench.load_places import build_places
from app.bench.model import Bench
from app.plan.campaign import Campaign
from instruments.errors import BadInput, BenchError
from instruments.tools.hosts import LocalHost
from workloads.engines import LOADS
from workloads.guard.device import Device, open_device
from workloads.guard.look import look
from workloads.guard.survey import survey
from workloads.hosts.place import OnHosts, Place, is_disk
from workloads.hosts.target_names import find_there
from workloads.hosts.versions import fio_version, same_version
from workloads.hosts.windows_job import check_windows_target

T = TypeVar("T")

# A rack answers in one round, and sshd's MaxStartups (10:30:100) is for each host.
_AT_ONCE = 16
_SESSIONS = 6
"""Disks of one host that are looked at side by side; an SSH server allows ten."""

_MOST_TOLD = 64
"""Refusals that are told in one sentence."""

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
    if words and not any(place.has_disks for place in found.places):
        raise BadInput(
            "the targets of the load hosts are files, there is no disk to arm",
            where=f"--arm {words[0]}",
            way_out="Name the disks in targets of [load].",
        )

    def reach(place: Place) -> tuple[str, Place]:
        with contextlib.closing(place.windows or place.host):
            if place.windows is not None:
                return _look_at_windows(place, writes=campaign.writes), place
            version = ""
            if "fio" in engines:
                version = fio_version(place.host)
            # What a machine has in use is read once for all of its disks.
            needed = campaign.writes and place.has_disks
            see = partial(look, place.host, seen=survey(place.host)) if needed else None

            def open_one(path: str) -> Device:
                return open_device(
                    Path(path),
                    place.size,
                    writes=campaign.writes,
                    words=words,
                    overrule=overrule,
                    allow=bench.guard.allow,
                    host=place.host,
                    see=see,
                )

            return version, with_disks(place, open_one)

    looks = _on_all(found, reach)
    if "fio" in engines:
        _check_versions({name: version for name, (version, _) in looks.items()}, found)
    return replace(found, places=tuple(place for _, place in looks.values()))


def tell_hosts(bench: Bench) -> str:
    """Reach each load host of a bench and look at its target, without touching it.

    Returns:
        A line for each: its fio and its target.

    Raises:
        BenchError: One cannot be reached, or their versions of fio differ.
    """
    found = build_places(bench)

    def reach(place: Place) -> tuple[str, str]:
        with contextlib.closing(place.windows or place.host):
            if place.windows is not None:
                return _look_at_windows(place, writes=False), _told(place)
            version = fio_version(place.host)

            def open_one(path: str) -> Device:
                host = place.host
                return open_device(Path(path), place.size, writes=False, host=host)

            return version, _told(with_disks(place, open_one))

    looks = _on_all(found, reach)
    _check_versions({name: version for name, (version, _) in looks.items()}, found)
    return "\n".join(f"{name}: {', '.join(told)}" for name, told in looks.items())


def with_disks(place: Place, open_one: Callable[[str], Device]) -> Place:
    """Derive a host with its targets as they are there, and its disks opened.

    Raises:
        BenchError: One cannot be used; of several disks all are told at once.
    """
    names = find_there(place.host, place.targets)
    if not is_disk(names[0]):
        return place.with_targets(names)
    with ThreadPoolExecutor(_SESSIONS, "load-disk") as pool:
        looks = [(name, pool.submit(open_one, name)) for name in names]
    _raise_all(looks, "disks")
    return place.with_targets(names, [one.result() for _, one in looks])


def _on_all(hosts: OnHosts, look: Callable[[Place], T]) -> dict[str, T]:
    """Look at all hosts side by side; raises what is wrong with any."""
    with ThreadPoolExecutor(_AT_ONCE, "load-host") as pool:
        looks = [(place.name, pool.submit(look, place)) for place in hosts.places]
    _raise_all(looks, "load hosts")
    return {name: one.result() for name, one in looks}


def _look_at_windows(place: Place, *, writes: bool) -> str:
    """Check the targets of a Windows host by their names; get its fio."""
    assert place.windows is not None
    for target in place.targets:
        check_windows_target(target, destroys=writes)
    return place.windows.run(["fio", "--version"], _TIMEOUT_S).stdout.strip()


def _told(place: Place) -> str:
    """Name the targets of a host: the only one, or how many they are."""
    titles = [device.disk.title for device in place.devices] or list(place.targets)
    if len(titles) == 1:
        return titles[0]
    kind = "disks" if place.devices else "files"
    return f"{len(titles)} {kind}, {titles[0]} to {titles[-1]}"


def _check_versions(versions: Mapping[str, str], hosts: OnHosts) -> None:
    """Check that all are of one release, with fio's client here; raises BenchError."""
    own = {"": fio_version(LocalHost())} if hosts.way == "server" else {}
    same_version({**own, **versions})


def _raise_all(looks: Sequence[tuple[str, Future[T]]], what: str) -> None:
    found = [(name, e) for name, one in looks if (e := one.exception()) is not None]
    for _, error in found:
        if not isinstance(error, BenchError):
            raise error
    errors = [(name, error) for name, error in found if isinstance(error, BenchError)]
    raise_all(errors, f"{len(looks)} {what}", "[load]")


def raise_all(errors: Sequence[tuple[str, BenchError]], count: str, where: str) -> None:
    """Raise what is wrong with hosts or disks, by name; of several all in a sentence.

    Args:
        errors: What is wrong; nothing is raised where there is none.
        count: How many were looked at, such as "60 disks".
        where: Where they are named.
    """
    if not errors:
        return
    if len(errors) == 1:
        raise errors[0][1]
    kind = BadInput if all(isinstance(e, BadInput) for _, e in errors) else BenchError
    first, left = errors[:_MOST_TOLD], len(errors) - _MOST_TOLD
    told = "; ".join(f"{name}: {error.what}" for name, error in first)
    more = f"; and {left} more" if left > 0 else ""
    raise kind(
        f"{len(errors)} of {count} cannot be used: {told}{more}",
        where=where,
        way_out=" ".join(dict.fromkeys(error.way_out for _, error in first)),
    )
