"""[load] of the bench: the hosts that its loads come from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from app.plan.toml_table import TomlTable
from instruments.errors import BadInput
from instruments.host import ssh, windows
from workloads.hosts.place import FIO_PORT

SECTION = "load"
WAYS = ("server", "ssh")


@dataclass(frozen=True, slots=True)
class LoadHosts:
    """Which hosts the loads of a bench come from, and how they are driven.

    Attributes:
        hosts: Names of [[host]] entries.
        way: "server" for fio's client and servers, "ssh" for one fio a host.
        start: Whether the servers are started by us; else the lab runs them.
        port: The port of the lab's servers.
        targets: The scratch files or disks of each host, or one group of them for
            all; those of [dut] where it is empty.
    """

    hosts: tuple[str, ...]
    way: str = "server"
    start: bool = True
    port: int = FIO_PORT
    targets: tuple[tuple[str, ...], ...] = ()

    def without(self, names: Collection[str]) -> "LoadHosts":
        """Derive the same without some of the hosts.

        Raises:
            BadInput: None would be left.
        """
        kept = [n for n, host in enumerate(self.hosts) if host not in names]
        if not kept:
            raise BadInput(
                "no load host is left",
                where=f"--without {self.hosts[0]}",
                way_out="Leave one of them in, or take a bench without [load].",
            )
        targets = self.targets
        if len(targets) > 1:
            targets = tuple(targets[n] for n in kept)
        hosts = tuple(self.hosts[n] for n in kept)
        return replace(self, hosts=hosts, targets=targets)

    def targets_of(self, number: int, default: Sequence[str]) -> tuple[str, ...]:
        """Get the targets of a host by its number, from 0."""
        if not self.targets:
            return tuple(default)
        return self.targets[number if len(self.targets) > 1 else 0]


def parse_load(table: TomlTable, known: Mapping[str, str]) -> LoadHosts:
    """Read [load].

    Raises:
        BadInput: Names the line and the key.
    """
    hosts = table.texts("hosts")
    if not hosts:
        table.fail("hosts", "hosts is missing", 'Expected ["load1", "load2"].')
    for name in hosts:
        table.check_host("hosts", name, known)
    if len(set(hosts)) < len(hosts):
        table.fail("hosts", "a host is named twice", "Name every host once.")
    found = LoadHosts(
        tuple(hosts),
        way=table.choice("way", WAYS, "server"),
        start=table.flag("start", True),
        port=table.integer("port", FIO_PORT, low=1, high=65535),
        targets=_targets(table),
    )
    table.finish()
    if len(found.targets) not in (0, 1, len(hosts)):
        several = "hosts" if len(hosts) > 1 else "host"
        table.fail(
            "targets",
            f"{len(found.targets)} targets are named for {len(hosts)} {several}",
            "Name one for all of them, or one for each in their order; several of "
            'one host stand in brackets of their own: [["/dev/sda", "/dev/sdb"]].',
        )
    if found.way == "ssh" and ("port" in table.values or not found.start):
        table.fail(
            "way",
            "start and port are for fio's servers",
            'Remove them, or set way = "server".',
        )
    _check_drivers(table, found, known)
    return found


def _targets(table: TomlTable) -> tuple[tuple[str, ...], ...]:
    """Read targets: a text or a list of texts for each host."""
    groups = table.items("targets")
    targets = []
    for group in groups:
        names = group if isinstance(group, list) else [group]
        texts = tuple(name for name in names if isinstance(name, str) and name)
        if not names or len(texts) < len(names):
            table.fail(
                "targets",
                "targets are not as expected",
                'Expected ["/scratch/a", "/scratch/b"], one for each host, or several '
                'of each in brackets of their own: [["/dev/sda", "/dev/sdb"], [...]].',
            )
        targets.append(texts)
    return tuple(targets)


def _check_drivers(
    table: TomlTable, found: LoadHosts, known: Mapping[str, str]
) -> None:
    """Check that each host can be driven in the way that is wanted."""
    hosts = found.hosts
    foreign = [name for name in hosts if known[name] == windows.DRIVER.name]
    if foreign and found.way == "server" and found.start:
        table.fail(
            "start",
            f'a server of fio cannot be started on "{foreign[0]}", a Windows',
            'Start it there and set start = false, or set way = "ssh".',
        )
    reached = (ssh.DRIVER.name, windows.DRIVER.name)
    local = [name for name in hosts if known[name] not in reached]
    if local and found.way == "server":
        table.fail(
            "hosts",
            f'"{local[0]}" is not a host with driver "ssh"',
            'Set way = "ssh", in which fio runs here, too, or take another host.',
        )
