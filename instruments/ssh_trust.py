"""Whether another machine is the one it was: known host keys, and what to do if not."""

from dataclasses import dataclass, field
from pathlib import Path

import asyncssh

from instruments.errors import BadInput, BenchError

_USUAL = ("~/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts")


@dataclass(slots=True)
class Offered:
    """A host key that was not trusted.

    Attributes:
        host: Where it came from, as connected to.
        address: Its network address.
        port: Its port.
        key: The key.
    """

    host: str
    address: str
    port: int
    key: asyncssh.SSHKey


@dataclass(slots=True)
class Witness(asyncssh.SSHClient):
    """Keeps the host key that nobody vouches for, so that an error can show it."""

    offered: list[Offered] = field(default_factory=list)

    def validate_host_public_key(
        self, host: str, addr: str, port: int, key: asyncssh.SSHKey
    ) -> bool:
        """Refuse a host key that is not known, and keep it."""
        self.offered.append(Offered(host, addr, port, key))
        return False


def read_known_hosts(path: str) -> asyncssh.SSHKnownHosts:
    """Read the known host keys: of one file, or of the user's and the system's.

    Raises:
        BadInput: The file is not there, or is not a file of known hosts.
    """
    files = [Path(each).expanduser() for each in ((path,) if path else _USUAL)]
    known = asyncssh.SSHKnownHosts()
    for file in files:
        if not path and not file.is_file():
            continue
        try:
            known.load(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadInput(
                f"known hosts cannot be read ({error.strerror or error})",
                where=str(file),
                way_out="Give the file with key known_hosts, or leave it out.",
            ) from error
        except ValueError as error:
            raise BadInput(
                f"it is not a file of known hosts ({error})",
                where=str(file),
                way_out="Mend or remove that line; ssh-keyscan makes such lines.",
            ) from error
    return known


def distrust(
    known: asyncssh.SSHKnownHosts, offered: Offered, place: str, file: str
) -> BenchError:
    """Make the error of a host key that is unknown, or not the one that it was."""
    host, port = offered.host, offered.port
    fingerprint = offered.key.get_fingerprint()
    into = file or _USUAL[0]
    scan = f"ssh-keyscan -p {port} {host} >> {into}"
    if not any(known.match(host, offered.address, port if port != 22 else None)[:3]):
        return BenchError(
            f"its host key {fingerprint} is not known",
            where=place,
            way_out=f"Compare it with the one on the machine, then run: {scan}",
        )
    entry = f"[{host}]:{port}" if port != 22 else host
    return BenchError(
        f"its host key has changed to {fingerprint}, so it may be another machine",
        where=place,
        way_out="If it was installed anew, run: "
        f"ssh-keygen -R '{entry}' -f {into} && {scan}",
    )
