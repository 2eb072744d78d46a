"""A load host as the bench names it: the machine, and what its loads run on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from instruments.errors import BadInput
from instruments.ssh.target import Target
from instruments.tools.hosts import Host

if TYPE_CHECKING:
    from instruments.ssh.windows import WindowsHost  # loads asyncssh
    from workloads.guard.device import Device  # loads all that looks at disks

FIO_PORT = 8765
"""The port of fio's server unless it is told another one."""


@dataclass(frozen=True, slots=True)
class Place:
    """One load host.

    Attributes:
        name: What the bench calls it; the location of its channels.
        host: The machine; its tools run there.
        targets: The scratch files or disks there, or patterns of them.
        size: Bytes of each target that are used, 0 for all of a disk.
        devices: The disks as they were found before the run, in the order of
            `targets`; none for scratch files.
        account: Its account for SSH, None where it is this machine.
        address: Where the lab's own fio server is reached.
        port: The port of that server.
        windows: The machine where it is a Windows; `host` is not used then.
    """

    name: str
    host: Host
    targets: tuple[str, ...]
    size: int
    devices: tuple["Device", ...] = ()
    account: Target | None = None
    address: str = ""
    port: int = FIO_PORT
    windows: "WindowsHost | None" = None

    @property
    def target(self) -> str:
        """Get the first of its targets, for what has one only and for messages."""
        return self.targets[0]

    @property
    def has_disks(self) -> bool:
        """Whether its targets are disks, and not scratch files."""
        return is_disk(self.target)

    def with_targets(
        self, targets: Sequence[str], devices: Sequence["Device"] = ()
    ) -> "Place":
        """Derive the same host with the targets that were found there."""
        return replace(self, targets=tuple(targets), devices=tuple(devices))


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


def is_disk(target: str) -> bool:
    """Tell from its name whether the target on another machine is a disk."""
    parents = PurePosixPath(target).parents
    in_memory = PurePosixPath("/dev/shm") in parents
    return PurePosixPath("/dev") in parents and not in_memory


_PLAIN = re.compile(r"[A-Za-z0-9_./\\:@+=,-]+")


def escaped(path: str) -> str:
    r"""Write a path as fio's option filename takes it: ":" divides files there.

    So "C:\\scratch.bin" becomes "C\\:\\scratch.bin", as its HOWTO says; a raw disk of
    Windows, "\\\\.\\PhysicalDrive3", is taken as it is.

    Raises:
        BadInput: It has characters that fio or its job file would change.
    """
    if not _PLAIN.fullmatch(path):
        raise BadInput(
            "it has characters that cannot be given to a fio that runs elsewhere",
            where=f"target {path}",
            way_out="Expected letters, digits and . _ - + = @ , / only.",
        )
    return path.replace(":", "\\:")
