"""The hosts of [load] while they are edited: added, removed, tried, trusted."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bench import Bench
from app.bench.load import LoadHosts
from app.operations.load_try import HostTry, trust_key, try_host
from app.ui.background import Background
from app.ui.load_rows import LoadRow
from instruments.errors import BadInput
from instruments.host import ssh, windows
from workloads.hosts.target_names import check_names

_REACHED = (ssh.DRIVER.name, windows.DRIVER.name)


class LoadHostList(QObject):
    """Knows the hosts that are chosen, and what each answered.

    Args:
        bench: The bench.
        background: Where hosts are tried.
        parent: What it belongs to.

    Signals:
        changed: Other hosts, or other answers.
    """

    changed = Signal()

    def __init__(self, bench: Bench, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self.bench = bench
        load = bench.load
        names = load.hosts if load else ()
        self.rows = [
            LoadRow(
                name,
                self._address(name),
                load.targets_of(number, ()) if load else (),
            )
            for number, name in enumerate(names)
        ]

    @property
    def others(self) -> list[str]:
        """Hosts of the bench that could be reached, and are not chosen."""
        chosen = {row.name for row in self.rows}
        return [
            one.name
            for one in self.bench.sources
            if one.section == "host"
            and one.driver.name in _REACHED
            and one.name not in chosen
        ]

    def take_bench(self, bench: Bench) -> None:
        """Take the bench with a host that was added or changed."""
        self.bench = bench
        self.rows = [
            replace(row, address=self._address(row.name), tried=None)
            for row in self.rows
        ]
        self.changed.emit()

    def add(self, name: str) -> None:
        """Let loads come from another host, too."""
        self.rows = [*self.rows, LoadRow(name, self._address(name))]
        self.changed.emit()

    def remove(self, number: int) -> None:
        """Let loads come from a host no more; its [[host]] stays."""
        self.rows = [row for place, row in enumerate(self.rows) if place != number]
        self.changed.emit()

    def aim(self, number: int, targets: tuple[str, ...]) -> None:
        """Give a host other targets."""
        self._put(self.rows[number].aimed(targets))

    def load(self, way: str, port: int, *, start: bool) -> LoadHosts | None:
        """Make [load] of them; None where no host is chosen.

        Raises:
            BadInput: A host has files and disks, or some have targets and some none;
                `where` ends with its name.
        """
        if not self.rows:
            return None
        for row in self.rows:
            check_names(row.targets, row.name)
            if not row.targets and any(one.targets for one in self.rows):
                raise BadInput(
                    "the other hosts have targets of their own, and it has none",
                    where=f"targets of {row.name}",
                    way_out="Enter some, or take those of the others out.",
                )
        targets = tuple(row.targets for row in self.rows if row.targets)
        names = tuple(row.name for row in self.rows)
        return LoadHosts(names, way, start, port, targets)

    def try_all(self, load: LoadHosts, numbers: Sequence[int]) -> None:
        """Try hosts, off the GUI thread and side by side."""
        bench = self.bench
        for number in numbers:
            row = replace(self.rows[number], asked=True)
            self._put(row)
            self._background.run(
                _asking(bench, load, row.name), self._take, lasting=True
            )

    def trust(self, number: int) -> None:
        """Keep the host key that a person has compared; raises BadInput."""
        tried = self.rows[number].tried
        if tried is not None and tried.key is not None:
            trust_key(tried.key)

    def _take(self, tried: HostTry) -> None:
        for row in self.rows:
            if row.name == tried.name:
                self._put(replace(row, asked=False, tried=tried))

    def _put(self, row: LoadRow) -> None:
        self.rows = [row if one.name == row.name else one for one in self.rows]
        self.changed.emit()

    def _address(self, name: str) -> str:
        hosts = [one for one in self.bench.sources if one.section == "host"]
        return next((one.address for one in hosts if one.name == name), "")


def _asking(bench: Bench, load: LoadHosts, name: str) -> Callable[[], HostTry]:
    return lambda: try_host(bench, load, name)
