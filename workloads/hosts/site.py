"""One load host in one step: checked and held before the load, let go of after it."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from instruments.errors import BenchError
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.host.clock import Clock
from instruments.timebase import monotonic_ns
from instruments.tools.hosts import Host
from instruments.tools.own_there import OwnThere, folder_there
from instruments.tools.started import Started
from workloads.base import Say
from workloads.fio_job import FioJob, link_names
from workloads.guard.open_files import Allowed, judge
from workloads.hosts.clocks import ClockPair
from workloads.hosts.held import HeldTargets
from workloads.hosts.host_logs import with_logs
from workloads.hosts.place import Place
from workloads.hosts.versions import fio_version

_READY = b"ready\n"
# Waits for USR1, and goes on as the program right within its trap. The shell that holds
# it gives it no stdin, so a signal it is; without one it ends by itself. What shells
# say of the sleep that the signal hits, too, is not the program's.
_WAIT = (
    "exec 3>&2 2>/dev/null; trap 'exec \"$@\" 2>&3 3>&-' USR1; "
    "echo ready; n=0; while [ $n -lt 120 ]; "
    'do n=$((n+1)); sleep 1 & wait "$!"; done; exit 75'
)


def start_waiting(host: Host, argv: Sequence[str], folder: str) -> Started:
    """Start a program that waits until `let_go`; it ends by itself after two minutes.

    Raises:
        BenchError: It cannot be started there.
    """
    process = host.start(["sh", "-c", _WAIT, "sh", *argv], cwd=folder)
    # Byte by byte, since what comes after it is the program's.
    descriptor = process.stdout.fileno()
    for expected in _READY:
        if os.read(descriptor, 1) != bytes([expected]):
            complaint = process.stderr_text().strip()[-200:]
            process.close()
            raise BenchError(
                f"{argv[0]} cannot be started there ({complaint or 'it does not say'})",
                where=str(host),
                way_out="Check whether its account has a POSIX shell.",
            )
    return process


def let_go(process: Started) -> None:
    """Let a program that waits begin."""
    process.send_signal(signal.SIGUSR1)


_OPEN_THERE_TIMEOUT_S = 10.0
_SCRIPT = r"""
import json, os, sys
def family(pid):
    parents, groups, above = {}, {}, [pid]
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry, errors="replace") as file:
                told = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry)], groups[int(entry)] = int(told[1]), int(told[2])
    while above[-1] in parents:
        above.append(parents[above[-1]])
    # What it started and left behind has another parent, and still the group, which
    # is its own, or that of the shell which holds it.
    group = groups.get(pid) if groups.get(pid) in above[:2] else None
    found = [pid] + [one for one in groups if groups[one] == group and one not in above]
    for one in found:
        found += [child for child in parents
                  if parents[child] == one and child not in found]
    return found
rows = []
for pid in family(int(sys.argv[1])):
    base = "/proc/%d/" % pid
    try:
        numbers = os.listdir(base + "fd")
    except OSError:
        continue
    for number in numbers:
        try:
            st = os.stat(base + "fd/" + number)
            link = os.readlink(base + "fd/" + number)
            with open(base + "fdinfo/" + number) as file:
                flags = next(l for l in file if l.startswith("flags:")).split()[1]
        except (OSError, StopIteration):
            continue
        writes = bool(int(flags, 8) & os.O_ACCMODE)
        facts = [st.st_mode, st.st_ino, st.st_dev, st.st_nlink, st.st_rdev]
        rows.append([facts, link, writes])
own = []
for path in sys.argv[2:]:
    try:
        st = os.stat(path)
        own.append([st.st_dev, st.st_ino])
    except OSError:
        own.append(None)
print(json.dumps([own, rows]))
"""


def stray_there(
    host: Host,
    pid: int,
    *,
    files: Sequence[str],
    numbers: Sequence[str],
    folder: str,
    writes: bool,
) -> str:
    """Look for an open file that a load on a host, or what it started, must not have.

    Args:
        host: The machine.
        pid: The load's process there.
        files: Its scratch files, none where it has disks.
        numbers: Device numbers of its disks, none where it has files.
        folder: Its own folder.
        writes: Whether it may open its disks for writing.

    Returns:
        A sentence about the first one, "" where there is none.

    Raises:
        BenchError: The host cannot be asked.
    """
    argv = ["python3", "-I", "-c", _SCRIPT, str(pid), *files]
    done = host.run(argv, _OPEN_THERE_TIMEOUT_S)
    try:
        own, rows = parsed_json(done.stdout)
        for file, found in zip(files, own, strict=True):
            if found is None:
                return f"{file} is gone"
        allowed = Allowed(
            folder=folder,
            writes=writes,
            numbers=tuple(numbers),
            files=tuple((device, inode) for device, inode in own),
        )
        for (mode, inode, device, links, rdev), link, is_written in rows:
            seen = os.stat_result(
                (mode, inode, device, links, 0, 0, 0, 0, 0, 0), {"st_rdev": rdev}
            )
            if trouble := judge(seen, link, is_written, allowed):
                return trouble
    except MISSHAPEN as error:
        raise BenchError(
            "it does not report what the load has open",
            where=str(host),
            way_out="Check whether python3 runs there.",
        ) from error
    return ""


_TIMEOUT_S = 15.0
_AGAIN_S = 5.0
"""Seconds between two looks at what a load there has open."""

_FILL = (
    'umask 077; d=$1; printf %s "$2" >"$d/job.fio" && shift 2 && while [ $# -gt 1 ]; '
    'do ln -s -- "$2" "$d/$1" || exit 1; shift 2; done'
)
"""Puts the job and the links to its targets into the folder of the load."""

_NOWHERE = "gone/target"
"""What the link of a disk that is excluded leads to, so that fio cannot open it."""


class Site:
    """One load host around one load of fio; used by one thread at a time.

    Attributes:
        place: The host and its targets.
        clock: How far its clock is from ours.
        version: What its fio says of itself, "" until it was asked.
        folder: The folder of the load there.
        direct: Whether loads on the targets can bypass the page cache.
        failed: Targets that are gone or have failed, with the number of their error;
            the load does without them.
        trouble: Why it is not part of the load any more, "" while it is.
        lost_ns: When it was lost, on the monotonic clock; 0 while it is not.
    """

    def __init__(self, place: Place, clock: Clock) -> None:
        self.place = place
        self.name = place.name
        self.clock = ClockPair(clock)
        self.version = ""
        self.folder = ""
        self._own: OwnThere | None = None
        self.direct = True
        self.failed: dict[str, int] = {}
        self._job: FioJob | None = None
        self.trouble = ""
        self.lost_ns = 0
        self._held: HeldTargets | None = None
        self._next_look = 0.0

    def open(
        self, job: FioJob | None, *, destroys: bool, stop: threading.Event, say: Say
    ) -> None:
        """Check the host, hold its targets and make the folder of the load.

        Args:
            job: The job of fio; its targets are those of this host, direct as they
                allow. None for another engine.
            destroys: Whether it writes or erases.
            stop: Ends the filling of scratch files early.
            say: Takes events.

        Raises:
            BenchError: The load cannot or must not run there.
        """
        host = self.place.host
        if job is not None:
            self.version = fio_version(host)
            job = job_at(job, self.place)
        self.clock.begin(host)
        self._held = HeldTargets(
            self.place,
            destroys=destroys,
            stop=stop,
            can_spare=job is not None and bool(job.devices),
        )
        self.direct, self.failed = self._held.direct, self._held.failed
        for name, number in self.failed.items():
            why = os.strerror(number)
            say("error", f"{self.name}: the load does without {name} ({why})")
        text = ""
        if job is not None:
            direct = replace(job, direct=job.direct and self.direct)
            number = int(self.clock.clock)
            self._job = with_logs(direct, self.name, clock=number)
            text = self._job.text()
        links = zip(link_names(len(self._held.paths)), self._held.paths, strict=True)
        pairs = [word for link, path in links for word in (link, path or _NOWHERE)]
        self._own = folder_there(host, "bayscope-fio-")
        self._tell_swept(say)
        self.folder = self._own.path
        argv = ["sh", "-c", _FILL, "sh", self.folder, text, *pairs]
        done = host.run(argv, _TIMEOUT_S)
        if done.code:
            raise BenchError(
                f"a folder for the load cannot be made ({done.stderr.strip()})",
                where=str(host),
                way_out="Check whether the account may write to /tmp there.",
            )

    def _tell_swept(self, say: Say) -> None:
        if self._own is not None and self._own.told:
            say("info", f"{self.name}: {self._own.told}")

    @property
    def job(self) -> FioJob:
        """The job as it runs there; only after `open`."""
        if self._job is None:
            raise RuntimeError(f"{self.name} is not open")
        return self._job

    def marked(self, jobs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Mark the jobs of disks that were excluded: fio says that it got no size."""
        pairs = zip(self.job.devices, self.place.targets, strict=False)
        errors = {device: self.failed.get(target, 0) for device, target in pairs}
        return [
            {**job, "error": errors.get(job["jobname"]) or job["error"]} for job in jobs
        ]

    def start(self, argv: list[str]) -> Started:
        """Start a program in the folder of the load; raises BenchError."""
        return self.place.host.start(argv, cwd=self.folder)

    def ready(self, argv: list[str]) -> Started:
        """Start a program that waits to be let go; raises BenchError."""
        return start_waiting(self.place.host, argv, self.folder)

    def go(self, process: Started) -> None:
        """Let go of a program that waits."""
        let_go(process)

    def check(self, pid: int, *, destroys: bool) -> str:
        """Say why the load there has to be killed at once, "" where it may go on.

        Looks every few seconds; a host that does not answer is not judged by this.
        """
        if self._held is None or time.monotonic() < self._next_look:
            return ""
        self._next_look = time.monotonic() + _AGAIN_S
        if trouble := self.held():
            return trouble
        with contextlib.suppress(BenchError):
            return stray_there(
                self.place.host,
                pid,
                files=self._held.files,
                numbers=self._held.numbers,
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
        """Say that the targets are not held any more, "" while they are."""
        return "" if self._held is None else self._held.trouble()

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of each target that are used."""
        place = self.place
        if place.devices and not place.size:
            return tuple(device.disk.identity.size for device in place.devices)
        return (place.size,) * len(place.targets)

    def lose(self, why: str) -> None:
        """Note that the host is not part of the load any more."""
        if not self.trouble:
            self.trouble, self.lost_ns = why, monotonic_ns()

    def close(self) -> None:
        """Measure its clock again, remove the folder and let go; never raises."""
        host = self.place.host
        if not self.lost_ns:
            self.clock.end(host)
        if self._held is not None:
            self._held.close()
        if self._own is not None:
            self._own.close()
        with contextlib.suppress(BenchError):
            host.close()

    def facts(self) -> dict[str, object]:
        """Tell what is known of it, as evidence."""
        targets = self.place.targets
        facts: dict[str, object] = {
            "host": str(self.place.windows or self.place.host),
            **({"targets": targets} if len(targets) > 1 else {"target": targets[0]}),
            "fio": self.version,
            **self.clock.facts(),
        }
        if self.failed:
            facts["failed"] = {n: os.strerror(e) for n, e in self.failed.items()}
        return facts | ({"trouble": self.trouble} if self.trouble else {})


def job_at(job: FioJob, place: Place) -> FioJob:
    """Derive a job as it runs on a host: its targets and their size."""
    return replace(job, targets=tuple(map(Path, place.targets)), size=place.size)
