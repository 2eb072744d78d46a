"""A load host as the bench names it: the machine, and what its loads run on."""

from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from instruments.hosts import Host
from instruments.ssh_target import Target
from workloads.guard.device import Device

if TYPE_CHECKING:
    from instruments.ssh_windows import WindowsHost  # loads asyncssh

FIO_PORT = 8765
"""The port of fio's server unless it is told another one."""


@dataclass(frozen=True, slots=True)
class Place:
    """One load host.

    Attributes:
        name: What the bench calls it; the location of its channels.
        host: The machine; its tools run there.
        target: The scratch file or disk there.
        size: Bytes of the target that are used, 0 for all of a disk.
        device: The disk as it was found before the run, None for a scratch file.
        account: Its account for SSH, None where it is this machine.
        address: Where the lab's own fio server is reached.
        port: The port of that server.
        windows: The machine where it is a Windows; `host` is not used then.
    """

    name: str
    host: Host
    target: str
    size: int
    device: Device | None = None
    account: Target | None = None
    address: str = ""
    port: int = FIO_PORT
    windows: "WindowsHost | None" = None

    def with_device(self, device: Device | None) -> "Place":
        """Derive the same host with the disk that was found there."""
        return replace(self, device=device)


@dataclass(frozen=True, slots=True)
class OnHosts:
    """The targets of loads that come from several hosts.

    Attributes:
        places: The hosts.
        way: "server" for fio's client and servers, "ssh" for one fio a host.
        start: Whether the servers are started by us.
    """

    places: tuple[Place, ...]
    way: str = "server"
    start: bool = True

    @property
    def path(self) -> Path:
        """Get the target of the first host, for messages."""
        return Path(self.places[0].target)

    def close(self) -> None:
        """Nothing is held between steps."""


def is_disk(target: str) -> bool:
    """Tell from its name whether the target on another machine is a disk."""
    parents = PurePosixPath(target).parents
    in_memory = PurePosixPath("/dev/shm") in parents
    return PurePosixPath("/dev") in parents and not in_memory
