"""Another machine as a [[host]]: tools run there over SSH, and it is measured."""

from instruments.driver import Driver
from instruments.host.source import OPTIONS, HostSource
from instruments.settings import Kind, Option, Settings
from instruments.ssh.target import Target
from instruments.tools.hosts import Host

ADDRESS = Option(
    "address",
    "Its name or network address, or an alias of ~/.ssh/config.",
    required=True,
    example="head.lab",
)
USER = Option(
    "user",
    "The account there; without it, ~/.ssh/config or the own name.",
    example="lab",
)
PORT = Option(
    "port",
    "The port of its SSH server; without it, ~/.ssh/config or 22.",
    Kind.INTEGER,
    low=1,
    high=65535,
)
KEY = Option(
    "key",
    "File of the private key; without it, the agent or the usual files.",
    example="~/.ssh/id_bench",
)
KNOWN_HOSTS = Option(
    "known_hosts",
    "File of known host keys; without it, those of the user and the system.",
    example="~/.ssh/known_hosts",
)
SUDO = Option(
    "sudo",
    "Whether tools run there as root, by sudo without a password.",
    Kind.FLAG,
    False,
)


def host_of(settings: Settings, life_s: float | None = None) -> Host:
    """Make the machine that a [[host]] with driver "ssh" reaches; nothing is opened.

    Args:
        settings: Its table of the bench.
        life_s: Seconds that a program lives on there when we are gone; None for the
            usual time.
    """
    # A bench may do without SSH.
    from instruments.ssh.host import SshHost  # noqa: PLC0415
    from instruments.ssh.started import LIFE_S  # noqa: PLC0415

    target = target_of(settings)
    sudo = settings.flag("sudo")
    return SshHost(settings.name, target, sudo=sudo, life_s=life_s or LIFE_S)


def target_of(settings: Settings) -> Target:
    """Get the account that a [[host]] with driver "ssh" names."""
    return Target(
        settings.text("address"),
        settings.text("user"),
        int(settings.values.get("port", 0)),  # type: ignore[arg-type]
        settings.text("key"),
        settings.text("known_hosts"),
    )


DRIVER = Driver(
    "host",
    "ssh",
    "Another machine over SSH: processors, memory, network, disks",
    (ADDRESS, USER, PORT, KEY, KNOWN_HOSTS, SUDO, *OPTIONS),
    lambda settings: HostSource(settings, "ssh"),
)
