"""Whether another machine is the one it was: known host keys, and what to do if not."""

from dataclasses import dataclass, field

import asyncssh

from instruments.errors import BadInput, BenchError, plain_words
from instruments.files.foreign_text import home_path

_USUAL = ("~/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts")


class UnknownKey(BenchError):  # noqa: N818  (reads as a sentence where it is raised)
    """A machine shows a host key that nobody vouches for yet; it is not trusted.

    Attributes:
        fingerprint: Of the key, to be compared with the one on the machine.
        line: What a file of known hosts would say of it.
        file: The file that it would stand in.
    """

    def __init__(self, place: str, scan: str, offered: "Offered", file: str) -> None:
        self.fingerprint = str(offered.key.get_fingerprint())
        host, port = offered.host, offered.port
        named = f"[{host}]:{port}" if port != 22 else host
        text = offered.key.export_public_key("openssh").decode("ascii").split()
        self.line = " ".join((named, *text[:2]))
        self.file = home_path(file)
        super().__init__(
            f"its host key {self.fingerprint} is not known",
            where=place,
            way_out=f"Compare it with the one on the machine, then run: {scan}",
        )


def trust(key: UnknownKey) -> None:
    """Let a key be known from now on; only call it after a person compared it.

    Raises:
        BadInput: The file of known hosts cannot be written.
    """
    try:
        key.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = key.file.read_text("utf-8") if key.file.exists() else ""
        with key.file.open("a", encoding="utf-8") as file:
            # A last line without its end would become one with ours.
            file.write(("" if text.endswith("\n") or not text else "\n") + key.line)
            file.write("\n")
    except OSError as error:
        raise BadInput(
            f"the host key cannot be kept ({plain_words(error)})",
            where=str(key.file),
            way_out="Check whether that file may be written.",
        ) from error


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
        # Never accepted here: only a person can compare it with the machine's.
        self.offered.append(Offered(host, addr, port, key))
        return False


def read_known_hosts(path: str) -> asyncssh.SSHKnownHosts:
    """Read the known host keys: of one file, or of the user's and the system's.

    Raises:
        BadInput: The file is not there, or is not a file of known hosts.
    """
    files = [home_path(each) for each in ((path,) if path else _USUAL)]
    known_hosts = asyncssh.SSHKnownHosts()
    for file in files:
        if not path and not file.is_file():  # the usual files need not be there
            continue
        try:
            known_hosts.load(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadInput(
                f"known hosts cannot be read ({plain_words(error)})",
                where=str(file),
                way_out="Give the file with key known_hosts, or leave it out.",
            ) from error
        except ValueError as error:
            raise BadInput(
                f"it is not a file of known hosts ({plain_words(error)})",
                where=str(file),
                way_out="Mend or remove that line; ssh-keyscan makes such lines.",
            ) from error
    return known_hosts


def distrust(
    known_hosts: asyncssh.SSHKnownHosts, offered: Offered, place: str, file: str
) -> BenchError:
    """Make the error of a host key that is unknown, or not the one that it was."""
    host, port = offered.host, offered.port
    fingerprint = offered.key.get_fingerprint()
    into = file or _USUAL[0]
    scan = f"ssh-keyscan -p {port} {host} >> {into}"
    if not any(
        known_hosts.match(host, offered.address, port if port != 22 else None)[:3]
    ):
        return UnknownKey(place, scan, offered, into)
    entry = f"[{host}]:{port}" if port != 22 else host
    return BenchError(
        f"its host key has changed to {fingerprint}, so it may be another machine",
        where=place,
        way_out="If it was installed again, run: "
        f"ssh-keygen -R '{entry}' -f {into} && {scan}",
    )
