"""What the servers of fio have open on their hosts, looked at while they run."""

import threading
import time
from collections.abc import Sequence

from instruments.errors import BenchError
from workloads.hosts.server import FioServer

_CLOSE_S = 20.0


class HostLook:
    """Looks at what the servers have open until `close`.

    Each host has a thread of its own, so that one that hangs delays no other.

    Attributes:
        servers: The servers of all hosts.
        trouble: Why the load has to end at once, "" while it may go on.
    """

    def __init__(self, servers: Sequence[FioServer], *, destroys: bool) -> None:
        self.servers = servers
        self.trouble = ""
        self._destroys = destroys
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(
                target=self._run, args=(server,), name="host-look", daemon=True
            )
            for server in servers
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End it; call it before the servers are let go of."""
        self._done.set()
        until = time.monotonic() + _CLOSE_S
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _run(self, server: FioServer) -> None:
        site = server.site
        while not self._done.wait(1.0):
            if site.trouble or not server.pid:
                continue
            if found := self._look(server):
                with self._lock:
                    self.trouble = self.trouble or f"{site.name}: {found}"
                server.close()  # which kills it
                return

    def _look(self, server: FioServer) -> str:
        try:
            return server.site.check(server.pid, destroys=self._destroys)
        except BenchError:
            return ""  # A host that does not answer is judged by its server.
        except Exception as error:  # noqa: BLE001  (a load is not left unguarded)
            return f"what it has open cannot be looked at ({error!r})"
