"""fio's server on one load host: started over SSH, or one that the lab runs."""

import re
from contextlib import ExitStack

from instruments.errors import BadInput, BenchError
from instruments.files.own_folder import OwnFolder
from instruments.tools.command import run
from instruments.tools.hosts import LocalHost
from instruments.tools.started import Started
from workloads.hosts.place import escaped
from workloads.hosts.site import Site
from workloads.hosts.versions import fio_version
from workloads.hosts.windows_job import text_there

_SOCKET = "server"
_WAIT_S = 10.0
_LISTENS = (
    'n=0; while ! [ -S "$1" ]; do n=$((n+1)); [ $n -lt 80 ] || exit 1; sleep 0.1; done'
)
_PROBE = "[probe]\nioengine=null\nrw=read\nsize=4k\n"
_TELLS = re.compile(r"fio=(fio-\S+?),")


class FioServer:
    """A server of fio, and the way to it; close it after the load.

    One that we start listens on a socket in a folder that only its account may open,
    because fio asks nobody who they are and runs any job as its user; a tunnel of SSH
    leads there. The tunnel ends on a loopback address of ours that no other host has:
    fio names logs and results by it. It ends with us and with the connection.

    Args:
        site: The host, open.
        number: Number of the host, from 0.
        start: Whether we start it; else the lab runs it at the place's address.

    Attributes:
        address: Where fio's client reaches it.
        port: Its port there.
        version: What its fio says of itself.

    Raises:
        BenchError: It cannot be started or reached.
    """

    def __init__(self, site: Site, number: int, *, start: bool) -> None:
        self.site = site
        self.address, self.port = site.place.address, site.place.port
        self.version = site.version
        self._start = start
        self._process: Started | None = None
        self._way = ExitStack()
        if not start:
            self.version = self._probe()
            return
        path = f"{site.folder}/{_SOCKET}"
        self._process = site.start(["fio", f"--server=sock:{path}"])
        try:
            self._open_way(path, f"127.83.{number // 250}.{number % 250 + 1}")
        except BaseException:
            self.close()
            raise

    def _open_way(self, path: str, here: str) -> None:
        from instruments.ssh.tunnel import tunnel  # noqa: PLC0415  (loads asyncssh)

        account = self.site.place.account
        if account is None:
            raise BadInput(
                "this machine cannot be a load host with a server of fio",
                where=f'host "{self.site.name}"',
                way_out='Set way = "ssh" in [load], which starts fio itself.',
            )
        done = self.site.place.host.run(["sh", "-c", _LISTENS, "sh", path], _WAIT_S)
        if done.code:
            complaint = self._process.stderr_text().strip() if self._process else ""
            raise BenchError(
                f"its fio server does not listen ({complaint or 'no message'})",
                where=str(self.site.place.host),
                way_out="Try fio --server there.",
            )
        self.address, self.port = self._way.enter_context(tunnel(account, path, here))

    def _probe(self) -> str:
        """Let the lab's server do nothing once: does it answer, and of what version?"""
        with OwnFolder("bayscope-fio-") as folder:
            job = folder / "probe.fio"
            job.write_text(_PROBE, encoding="ascii")
            done = run(["fio", self.client_option, str(job)], _WAIT_S)
        if (found := _TELLS.search(done.stdout)) and done.code == 0:
            return found[1]
        lines = [*done.stderr.splitlines(), *done.stdout.splitlines()]
        complaint = "; ".join(line.removeprefix("fio: ") for line in lines if line)
        raise BenchError(
            f"the fio server there cannot be used ({complaint[:200] or 'no answer'})",
            where=f"{self.address}:{self.port}",
            way_out="Start fio --server there, of the very release of "
            f"{fio_version(LocalHost())} that is here.",
        )

    @property
    def client_option(self) -> str:
        """Get how fio's client is told of it."""
        return f"--client=ip:{self.address},{self.port}"

    @property
    def pid(self) -> int:
        """Get its process id there, 0 where the lab runs it."""
        return self._process.pid if self._process is not None else 0

    def trouble(self) -> str:
        """Say that it is gone, "" while it runs; of the lab's nothing is known."""
        if self._process is None:
            return ""
        try:
            code = self._process.wait(0)
        except BenchError as error:
            return error.what
        return "" if code is None else f"its fio server has ended (code {code})"

    def job_text(self) -> str:
        """Write the job for it, with logs that come back by the name of the host.

        Raises:
            BadInput: The path of a target cannot be given to a server.
        """
        job, place = self.site.job, self.site.place
        if place.windows is not None:
            return text_there(job, place.targets)
        if self._start:  # It runs in the folder that has the links.
            return job.text()
        return job.text([escaped(name) for name in place.targets])

    def close(self) -> None:
        """End it, and the way to it; may be called twice."""
        self._way.close()
        if self._process is not None:
            self._process.close()
