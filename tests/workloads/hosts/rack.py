"""Load hosts for the tests: real SSH servers on loopback, each with a scratch file.

The files are in memory where that is to be had, so that the disk delays no load.
"""

import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from instruments.reading import Reading
from instruments.ssh.host import SshHost
from instruments.ssh.target import Target
from tests.sshd import Sshd, sshd
from workloads.base import LoadResult, Workload
from workloads.engines import LOADS
from workloads.fio_job import FioJob
from workloads.hosts.load import FioOnHosts
from workloads.hosts.place import Place
from workloads.kept import Kept

SIZE = 16 * 2**20
LIFE_S = 60.0
"""So that nothing is cut off that is not meant to be, however busy the machine is."""
MEMORY = Path("/dev/shm")


class Rack:
    """Two or more servers, the places on them, and what a load on them tells.

    Args:
        folder: Where the files of the test are.
        servers: By the names of the hosts.
        files: Where the scratch files are, if not there too.
    """

    def __init__(
        self, folder: Path, servers: dict[str, Sshd], files: Path | None = None
    ) -> None:
        self.folder = folder
        self.files = files or folder
        self.servers = servers
        self.life_s: dict[str, float] = {}  # of hosts that are cut off
        self.readings: list[Reading] = []
        self.said: list[tuple[str, str]] = []
        self.stop = threading.Event()
        self.began = threading.Event()
        self._heard = threading.Condition()

    def account(self, name: str) -> Target:
        return self.servers[name].target

    def scratch(self, name: str) -> Path:
        """Get the scratch file of a host."""
        return self.files / f"{name}.bin"

    def place(self, name: str) -> Place:
        host = SshHost(name, self.account(name), life_s=self.life_s.get(name, LIFE_S))
        target = str(self.scratch(name))
        return Place(name, host, (target,), SIZE, account=self.account(name))

    def job(self, runtime: float, ramp: float = 0, **options: str) -> FioJob:
        own = {"rw": "randread", "bs": "4k", "rate_iops": "120", **options}
        return FioJob("step", (Path("unused"),), SIZE, runtime, ramp, False, own)

    def run(self, load: Workload) -> LoadResult:
        """Run a load; what was kept of it has to give its values again."""
        say = lambda *said: self.said.append(said)  # noqa: E731
        result = load.run(self._take, say, self.stop)
        if isinstance(load, FioOnHosts):
            outputs = {artefact.name: artefact.content for artefact in result.artefacts}
            again = LOADS["fio"].kept_result(Kept(outputs, load.job.options))
            assert dict(again.values) == dict(result.values)
            assert again.jobs == result.jobs
        return result

    def _take(self, reading: Reading) -> None:
        with self._heard:
            self.readings.append(reading)
            self._heard.notify_all()
        self.began.set()

    def wait_for_values(self, *names: str) -> bool:
        """Wait until each of these channels has a value."""
        with self._heard:
            return self._heard.wait_for(lambda: all(map(self.values, names)), 60)

    def values(self, name: str) -> list[float]:
        """Get the values of a channel by its printed name."""
        return [value for _, _, value in self.spans(name)]

    def spans(self, name: str) -> list[tuple[int, int, float]]:
        """Get start, end and value of the readings of a channel."""
        return [
            (reading.start_ns, reading.end_ns, value)
            for reading in self.readings
            for channel, value in zip(reading.channels, reading.values, strict=True)
            if channel.name == name
        ]


def wait_for(address: str, port: int) -> None:
    """Wait until a server listens."""
    for _ in range(1200):
        with socket.socket() as probe:
            if probe.connect_ex((address, port)) == 0:
                return
        threading.Event().wait(0.05)
    raise TimeoutError(f"{address}:{port}")


def opens(path: Path) -> list[int]:
    """List the processes called fio that have a file open."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if (entry / "comm").read_text().strip() != "fio":
                continue
            links = [str(link.readlink()) for link in (entry / "fd").iterdir()]
        except OSError:
            continue
        if str(path) in links:
            found.append(int(entry.name))
    return found


@contextmanager
def in_memory(folder: Path) -> Iterator[Path]:
    """Make a folder in memory; where that is not to be had, take the one given."""
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < 2**30:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="bayscope-test-", dir=MEMORY) as name:
        yield Path(name)


@contextmanager
def rack(folder: Path, *names: str) -> Iterator[Rack]:
    """Run a server for each name, in folders of their own."""
    with ExitStack() as stack:
        files = stack.enter_context(in_memory(folder))
        servers = {}
        for name in names:
            (folder / name / "sshd").mkdir(parents=True)
            servers[name] = stack.enter_context(sshd(folder / name / "sshd"))
        yield Rack(folder, servers, files)
