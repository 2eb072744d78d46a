"""What the servers of fio have open on their hosts, looked at while they run."""

import threading
from collections.abc import Sequence

from workloads.hosts.server import FioServer


class HostLook:
    """Looks at what the servers have open, one host after the other, until `close`.

    Attributes:
        servers: The servers of all hosts.
        trouble: Why the load has to end at once, "" while it may go on.
    """

    def __init__(self, servers: Sequence[FioServer], *, destroys: bool) -> None:
        self.servers = servers
        self.trouble = ""
        self._destroys = destroys
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="host-look", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it; call it before the servers are let go of."""
        self._done.set()
        self._thread.join(20)

    def _run(self) -> None:
        while not self._done.wait(1.0):
            for server in self.servers:
                site = server.site
                if site.trouble or not server.pid or self._done.is_set():
                    continue
                found = site.check(server.pid, destroys=self._destroys)
                if found:
                    self.trouble = f"{site.name}: {found}"
                    server.close()  # which kills it
                    return
