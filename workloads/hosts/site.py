"""One load host in one step: checked and held before the load, let go of after it."""

import contextlib
import os
import signal
import threading
import time
from dataclasses import replace

from instruments.errors import BadInput, BenchError
from instruments.host.clock import Clock
from instruments.started import Started
from instruments.timebase import monotonic_ns
from workloads.fio_job import TARGET_NAME, FioJob
from workloads.guard.arming import check_armed
from workloads.guard.load_guard import check_same
from workloads.guard.look import look
from workloads.guard.nodes import find_disk
from workloads.guard.remote_hold import RemoteHold
from workloads.guard.survey import survey
from workloads.hosts.clocks import ClockPair
from workloads.hosts.open_there import stray_there
from workloads.hosts.place import Place
from workloads.hosts.scratch import ScratchThere
from workloads.hosts.versions import fio_version

_TIMEOUT_S = 15.0
_AGAIN_S = 5.0
"""Seconds between two looks at what a load there has open."""

_FOLDER = (
    'umask 077; d=$(mktemp -d "${TMPDIR:-/tmp}/bayscope-fio-XXXXXX") && '
    f'ln -s -- "$1" "$d/{TARGET_NAME}" && printf %s "$2" >"$d/job.fio" && echo "$d"'
)


_READY = b"ready\n"
# Waits for USR1, and goes on as the program right within its trap. The shell that holds
# it gives it no stdin, so a signal it is; without one it ends by itself. What shells
# say of the sleep that the signal hits, too, is not the program's.
_WAIT = (
    "exec 3>&2 2>/dev/null; trap 'exec \"$@\" 2>&3 3>&-' USR1; "
    "echo ready; n=0; while [ $n -lt 120 ]; "
    'do n=$((n+1)); sleep 1 & wait "$!"; done; exit 75'
)


class Site:
    """One load host around one load of fio; used by one thread at a time.

    Attributes:
        place: The host and its target.
        clock: How far its clock is from ours.
        version: What its fio says of itself, "" until it was asked.
        folder: The folder of the load there.
        direct: Whether loads on the target can bypass the page cache.
        trouble: Why it is not part of the load any more, "" while it is.
        lost_ns: When it was lost, on the monotonic clock; 0 while it is not.
    """

    def __init__(self, place: Place, clock: Clock) -> None:
        self.place = place
        self.name = place.name
        self.clock = ClockPair(clock)
        self.version = ""
        self.folder = ""
        self.direct = True
        self._job: FioJob | None = None
        self.trouble = ""
        self.lost_ns = 0
        self._hold: RemoteHold | None = None
        self._scratch: ScratchThere | None = None
        self._next_look = 0.0

    def open(
        self, job: FioJob | None, *, destroys: bool, stop: threading.Event
    ) -> None:
        """Check the host, hold its target and make the folder of the load.

        Args:
            job: The job of fio; its target is that of this host, direct as its file
                allows. None for another engine.
            destroys: Whether it writes or erases.
            stop: Ends the filling of a scratch file early.

        Raises:
            BenchError: The load cannot or must not run there.
        """
        host = self.place.host
        if job is not None:
            self.version = fio_version(host)
        self.clock.begin(host)
        path, self.direct = self._take(destroys=destroys, stop=stop)
        text = ""
        if job is not None:
            direct = job.direct and self.direct
            self._job = replace(job, direct=direct, size=self.place.size)
            text = self._job.text()
        words = ["sh", "-c", _FOLDER, "sh", path, text]
        done = host.run(words, _TIMEOUT_S)
        if done.code:
            raise BenchError(
                f"a folder for the load cannot be made ({done.stderr.strip()})",
                where=str(host),
                way_out="See whether the account may write to /tmp there.",
            )
        self.folder = done.stdout.strip()

    @property
    def job(self) -> FioJob:
        """The job as it runs there; only after `open`."""
        if self._job is None:
            raise RuntimeError(f"{self.name} is not open")
        return self._job

    def start(self, argv: list[str]) -> Started:
        """Start a program in the folder of the load; raises BenchError."""
        return self.place.host.start(argv, cwd=self.folder)

    def ready(self, argv: list[str]) -> Started:
        """Start a program that waits to be let go; raises BenchError."""
        process = self.start(["sh", "-c", _WAIT, "sh", *argv])
        # Byte by byte, since what comes after it is the program's.
        descriptor = process.stdout.fileno()
        for expected in _READY:
            if os.read(descriptor, 1) != bytes([expected]):
                said = process.stderr_text().strip()[-200:]
                process.close()
                raise BenchError(
                    f"{argv[0]} cannot be started there ({said or 'it does not say'})",
                    where=str(self.place.host),
                    way_out="See whether its account has a POSIX shell.",
                )
        return process

    def go(self, process: Started) -> None:
        """Let go of a program that waits."""
        process.send_signal(signal.SIGUSR1)

    def check(self, pid: int, *, destroys: bool) -> str:
        """Say why the load there has to be killed at once, "" where it may go on.

        Looks every few seconds; a host that does not answer is not judged by this.
        """
        if time.monotonic() < self._next_look:
            return ""
        self._next_look = time.monotonic() + _AGAIN_S
        device = self.place.device
        if trouble := self.held():
            return trouble
        with contextlib.suppress(BenchError):
            return stray_there(
                self.place.host,
                pid,
                file="" if self._scratch is None else self._scratch.path,
                number="" if device is None else device.disk.identity.number,
                folder=self.folder,
                writes=destroys,
            )
        return ""

    def silence(self) -> str:
        """Ask the host whether it is there; say why not, "" where it answers."""
        try:
            self.place.host.run(["true"], _TIMEOUT_S)
        except BenchError as error:
            return error.what
        return ""

    def held(self) -> str:
        """Say that the target is not held any more, "" while it is."""
        try:
            if self._hold is not None:
                self._hold.check()
            if self._scratch is not None:
                self._scratch.check()
        except BenchError as error:
            return str(error)
        return ""

    @property
    def size(self) -> int:
        """Bytes of the target that are used."""
        device = self.place.device
        if device is not None and not self.place.size:
            return device.disk.identity.size
        return self.place.size

    def lose(self, why: str) -> None:
        """Note that the host is not part of the load any more."""
        if not self.trouble:
            self.trouble, self.lost_ns = why, monotonic_ns()

    def close(self) -> None:
        """Measure its clock again, remove the folder and let go; never raises."""
        host = self.place.host
        if not self.lost_ns:
            self.clock.end(host)
        for held in (self._hold, self._scratch):
            if held is not None:
                with contextlib.suppress(BenchError):
                    held.close()
        if self.folder:
            with contextlib.suppress(BenchError):
                host.run(["rm", "-r", "-f", "--", self.folder], _TIMEOUT_S)
        with contextlib.suppress(BenchError):
            host.close()

    def facts(self) -> dict[str, object]:
        """Tell what is known of it, as evidence."""
        found: dict[str, object] = {
            "host": str(self.place.windows or self.place.host),
            "target": self.place.target,
            "fio": self.version,
            **self.clock.facts(),
        }
        return found | ({"trouble": self.trouble} if self.trouble else {})

    def _take(self, *, destroys: bool, stop: threading.Event) -> tuple[str, bool]:
        """Check and hold the target; return its path and whether it takes O_DIRECT."""
        place, device = self.place, self.place.device
        if device is None:
            self._scratch = ScratchThere(
                place.host, place.target, place.size, writes=destroys, stop=stop
            )
            return self._scratch.path, self._scratch.direct
        if not destroys:
            check_same(device, find_disk(place.host, place.target)[0])
        elif device.armed is None:
            raise BadInput("it is not armed", where=f"{place.target} on {place.host}")
        else:
            self._hold = RemoteHold(place.host, device.armed)
            seen = survey(place.host, self._hold.pid)
            found = look(place.host, place.target, seen, held=True)
            check_armed(device.armed, found)
        return place.target, True
