"""One load host tried before a run: is it reached, has it our fio, what time is it?"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.bench.load import LoadHosts
from app.bench.load_places import build_places
from app.bench.model import Bench
from instruments.errors import BenchError
from instruments.host.clock import Clock, clock_offset
from instruments.sizes import counted
from instruments.tools.hosts import LocalHost
from workloads.guard.nodes import list_disks
from workloads.hosts.place import Place
from workloads.hosts.target_names import find_there
from workloads.hosts.versions import fio_version, same_version
from workloads.hosts.windows_job import check_windows_target

# The round trip with the shortest way bounds the offset best; eight find one without a
# queue.
_ROUNDS = 8
_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class HostTry:
    """What a load host answered.

    Attributes:
        name: What the bench calls it.
        lines: What it said of itself, a sentence each.
        warnings: What keeps loads from running there, or may spoil them.
        trouble: Why it cannot be used at all, "" where it can.
        key: The host key that is to be compared and trusted, None for none.
    """

    name: str
    lines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    trouble: str = ""
    key: BenchError | None = None

    @property
    def text(self) -> str:
        """Write it for people."""
        return "\n".join(filter(None, (self.trouble, *self.warnings, *self.lines)))


def try_host(bench: Bench, load: LoadHosts, name: str) -> HostTry:
    """Reach one host of [load], and ask it all that matters before a run.

    Nothing is written there, and no host key is trusted.
    """
    # A bench may do without SSH.
    from instruments.ssh.trust import UnknownKey  # noqa: PLC0415

    try:
        hosts = build_places(replace(bench, load=load))
        place = next(one for one in hosts.places if one.name == name)
        with contextlib.closing(place.windows or place.host):
            return _tried(place, is_server=load.way == "server")
    except UnknownKey as error:
        told = f"Its host key is not known: {error.fingerprint}"
        return HostTry(name, trouble=told, key=error)
    except BenchError as error:
        return HostTry(name, trouble=str(error))


def trust_key(key: BenchError) -> None:
    """Keep the host key of a try, which a person has compared; raises BadInput."""
    from instruments.ssh.trust import UnknownKey, trust  # noqa: PLC0415

    if isinstance(key, UnknownKey):
        trust(key)


def _tried(place: Place, *, is_server: bool) -> HostTry:
    lines: list[str] = []
    warnings: list[str] = []
    if place.windows is not None:
        done = place.windows.run(["fio", "--version"], _TIMEOUT_S)
        version = done.stdout.strip()
        offset, spread = place.windows.clock_offset(_ROUNDS)
        for target in place.targets:
            check_windows_target(target, destroys=False)
    else:
        version = fio_version(place.host)
        offset, spread = clock_offset(place.host, Clock.REALTIME, rounds=_ROUNDS)
    lines.append(f"It answers, with {version}.")
    own = fio_version(LocalHost())
    try:
        same_version({"": own, place.name: version})
    except BenchError:
        why = "fio's client and its servers must be the same release"
        warnings.append(f"This machine has {own}, {place.name} {version}: {why}.")
        if not is_server:
            warnings[-1] = f"This machine has {own}, {place.name} {version}."
    away = offset - _own_offset()
    side = "behind" if away > 0 else "ahead of"
    lines.append(
        f"Its clock is {abs(away) / 1e6:.1f} ms {side} this machine's, known to "
        f"{spread / 1e6:.1f} ms; this is measured in each step and corrected."
    )
    if place.windows is None:
        lines += _disks(place, warnings)
    return HostTry(place.name, tuple(lines), tuple(warnings))


def _own_offset() -> int:
    """Get how far our own wall clock is from our monotonic one."""
    return clock_offset(LocalHost(), Clock.REALTIME, rounds=_ROUNDS)[0]


def _disks(place: Place, warnings: list[str]) -> Sequence[str]:
    disks = list_disks(place.host)
    lines = [f"It has {counted(len(disks), 'disk')}."]
    try:
        names = find_there(place.host, place.targets)
    except BenchError as error:
        warnings.append(str(error))
        return lines
    if place.has_disks:
        known = {path for disk in disks for path in (disk.path, *disk.links)}
        missing = [name for name in names if name not in known]
        if missing:
            warnings.append(f"There is no disk {', '.join(missing[:3])}.")
    several = "targets" if len(names) > 1 else "target"
    return [*lines, f"{len(names)} {several}: {_shortened(names)}."]


def _shortened(names: Sequence[str]) -> str:
    if len(names) <= 4:
        return ", ".join(names)
    return f"{names[0]}, {names[1]} ... {names[-1]}"
