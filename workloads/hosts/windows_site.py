"""A Windows load host in one step: reached through OpenSSH, its fio ended by taskkill.

Untried on a real Windows; see `instruments.ssh.windows`. Nothing there can be held or
looked at, so targets are checked by their names. A load whose host is lost goes on
there until its runtime is over.
"""

import threading
from dataclasses import replace

from instruments.errors import BenchError
from instruments.ssh.windows import WindowsHost
from instruments.tools.own_there import OwnThere
from instruments.tools.started import Started
from workloads.base import Say
from workloads.fio_job import FioJob
from workloads.hosts.clocks import ROUNDS, Offset
from workloads.hosts.host_logs import with_logs
from workloads.hosts.site import Site, job_at
from workloads.hosts.windows_job import check_windows_target, fill_text, text_there

_TIMEOUT_S = 15.0


class WindowsSite(Site):
    """One Windows load host around one load of fio; see `Site`."""

    @property
    def _windows(self) -> WindowsHost:
        host = self.place.windows
        if host is None:
            raise RuntimeError(f"{self.name} is not a Windows host")
        return host

    def open(
        self, job: FioJob | None, *, destroys: bool, stop: threading.Event, say: Say
    ) -> None:
        """Check the host and put the job there; see `Site.open`."""
        host, targets = self._windows, self.place.targets
        if job is None:
            raise BenchError(
                "only fio runs on a Windows load host",
                where=self.name,
                way_out="Use the engine fio, or the host out of [load].",
            )
        for target in targets:
            check_windows_target(target, destroys=destroys)
        done = host.run(["fio", "--version"], _TIMEOUT_S)
        self.version = done.stdout.strip()
        self.clock.before = Offset(*host.clock_offset(ROUNDS))
        # Its logs are fetched by fio's client only, on its wall clock.
        self._job = with_logs(job_at(job, self.place), self.name, clock=0)
        for target in targets:
            if not target.startswith("\\\\"):
                self._fill(target, stop)
        self._own = _file_there(
            host, text_there(replace(self._job, logs=None), targets)
        )
        self._tell_swept(say)
        self.folder = self._own.path

    def _fill(self, target: str, stop: threading.Event) -> None:
        """Fill a scratch file that is not there or too small; raises BenchError."""
        host, size = self._windows, self.place.size
        ask = f"(Get-Item -LiteralPath '{target}' -ErrorAction SilentlyContinue).Length"
        argv = ["powershell", "-NoProfile", "-NonInteractive", "-Command", ask]
        length = host.run(argv, _TIMEOUT_S).stdout.strip()
        if length.isdigit() and int(length) >= size:
            return
        with (
            _file_there(host, fill_text(target, size)) as own,
            host.start(["fio", own.path], own.path) as filling,
        ):
            while (code := filling.wait(0.2)) is None and not stop.is_set():
                pass
            complaint = filling.stderr_text().strip()[-200:]
        if code != 0:
            raise BenchError(
                f"a scratch file cannot be filled there ({complaint or 'stopped'})",
                where=f"{target} on {host}",
                way_out="Name a file in a folder with room.",
            )

    def ready(self, argv: list[str]) -> Started:
        """Start fio at once: nothing there could wait for a signal; see `Site`."""
        words = [self.folder if word == "job.fio" else word for word in argv]
        return self._windows.start(words, self.folder)

    def go(self, process: Started) -> None:
        """It runs already; see `Site`."""

    def check(self, pid: int, *, destroys: bool) -> str:
        """Nothing can be seen from here; see `Site`."""
        del pid, destroys
        return ""

    def silence(self) -> str:
        """Ask the host whether it is there; see `Site`."""
        try:
            self._windows.run(["ver"], _TIMEOUT_S)
        except BenchError as error:
            return error.what
        return ""

    def close(self) -> None:
        """Measure its clock again and remove the job; never raises."""
        host = self._windows
        if not self.lost_ns and self.clock.before is not None:
            try:
                self.clock.after = Offset(*host.clock_offset(ROUNDS))
            except BenchError as error:
                self.clock.trouble = str(error)
        if self._own is not None:
            if self.lost_ns:  # A load may go on there, which still has it open.
                self._own.leave()
            self._own.close()
        host.close()


def _file_there(host: WindowsHost, text: str) -> OwnThere:
    """Put a job file into the home folder of the account; raises BenchError."""

    def make(name: str) -> str:
        host.put(name, text.encode("ascii"))
        return name

    return OwnThere(host, "bayscope-{}.fio", make, host.remove)
