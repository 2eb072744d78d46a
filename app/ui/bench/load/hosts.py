"""The hosts of [load] while they are edited: added, removed, tried, trusted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.bench.load import LoadHosts
from app.bench.model import Bench
from app.operations.bench.load_try import HostTry, try_host
from app.ui.bench.load.rows import LoadRow
from app.ui.kit.background import Background
from instruments.errors import BadInput
from instruments.host import ssh, windows
from workloads.hosts.target_names import check_names

_REACHED = (ssh.DRIVER.name, windows.DRIVER.name)


class LoadHostList(QObject):
    """Knows the hosts that are chosen, and what each answered.

    Signals:
        changed: Other hosts, or other answers.
        added: There is one more host, the last one.
    """

    changed = Signal()
    added = Signal()

    def __init__(self, bench: Bench, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._asked = 0  # numbers questions, so that late answers are told apart
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
            source.name
            for source in self.bench.sources
            if source.section == "host"
            and source.driver.name in _REACHED
            and source.name not in chosen
        ]

    def take_bench(self, bench: Bench) -> None:
        """Take the bench with a host that was added or changed."""
        self.bench = bench
        self.rows = [replace(row, address=self._address(row.name)) for row in self.rows]
        self.forget()

    def forget(self) -> None:
        """Drop all answers, and those under way: they are of other questions now."""
        self.rows = [row.forgotten() for row in self.rows]
        self.changed.emit()

    def add(self, name: str) -> None:
        """Run loads on another host, too, too, if it is one that can be."""
        if name in self.others:
            self.rows = [*self.rows, LoadRow(name, self._address(name))]
            self.changed.emit()
            self.added.emit()

    def remove(self, number: int) -> None:
        """Let loads come from a host no more; its [[host]] stays."""
        self.rows = [row for place, row in enumerate(self.rows) if place != number]
        self.changed.emit()

    def aim(self, number: int, targets: tuple[str, ...]) -> None:
        """Give a host other targets."""
        self._put(self.rows[number].aimed(targets))

    def mistake(self) -> tuple[int, BadInput] | None:
        """Find the first host with files and disks, or without targets beside others.

        Returns:
            Its number and what is wrong, None where nothing is.
        """
        for number, row in enumerate(self.rows):
            try:
                check_names(row.targets, row.name)
            except BadInput as error:
                return number, error
            if not row.targets and any(one.targets for one in self.rows):
                return number, BadInput(
                    "the other hosts have their own targets, and it has none",
                    where=f"targets of {row.name}",
                    way_out="Enter some, or remove those of the others.",
                )
        return None

    def load(self, way: str, port: int, *, start: bool) -> LoadHosts | None:
        """Make [load] of them, which have no mistake; None where no host is chosen."""
        if not self.rows:
            return None
        targets = tuple(row.targets for row in self.rows if row.targets)
        names = tuple(row.name for row in self.rows)
        return LoadHosts(names, way, start, port, targets)

    def try_all(self, load: LoadHosts, numbers: Sequence[int]) -> None:
        """Try hosts, off the GUI thread and side by side."""
        for number in numbers:
            self._asked += 1
            question = self._asked
            row = replace(self.rows[number], question=question)
            self._put(row)
            self._background.run(
                _asking(self.bench, load, row.name),
                partial(self._take, question),
                partial(self._fail, question),
                lasting=True,
            )

    def _take(self, question: int, tried: HostTry) -> None:
        """Take an answer; one to a question that was dropped meanwhile is of no use."""
        for row in self.rows:
            if row.question == question:
                self._put(replace(row, question=0, tried=tried))

    def _fail(self, question: int, error: Exception) -> None:
        for row in self.rows:
            if row.question == question:
                self._put(row.forgotten())
        self._background.failed.emit(error)

    def _put(self, row: LoadRow) -> None:
        self.rows = [row if one.name == row.name else one for one in self.rows]
        self.changed.emit()

    def _address(self, name: str) -> str:
        hosts = [source for source in self.bench.sources if source.section == "host"]
        return next((host.address for host in hosts if host.name == name), "")


def _asking(bench: Bench, load: LoadHosts, name: str) -> Callable[[], HostTry]:
    return lambda: try_host(bench, load, name)
