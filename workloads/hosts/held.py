"""The targets of a load host in one step: checked and held before the load."""

import contextlib
import errno
import threading
from typing import Protocol

from instruments.errors import BadInput, BenchError
from workloads.guard.device import Device
from workloads.guard.load_guard import check_same
from workloads.guard.nodes import find_disks
from workloads.guard.remote_hold import RemoteHold
from workloads.guard.watch import Watch
from workloads.hosts.place import Place
from workloads.hosts.scratch import ScratchThere

_PROBE_S = 90.0
"""Disks that fail take their time to say so."""

# A disk that is gone has no node, or one without a capacity (a loop device); one that
# failed cannot be read at its start or its end, where the guard looks for data.
_DEAD = r"""
import concurrent.futures, errno, mmap, os, stat, sys
def trouble(path):
    try:
        st = os.stat(path)
        if stat.S_ISCHR(st.st_mode):
            return 0
        if not stat.S_ISBLK(st.st_mode):
            return errno.ENODEV
        handle = os.open(path, os.O_RDONLY | os.O_DIRECT)
        try:
            size = os.lseek(handle, 0, os.SEEK_END)
            if not size:
                return errno.ENODEV
            buffer = mmap.mmap(-1, 4096)
            for place in (0, max(0, size - 4096) // 4096 * 4096):
                os.preadv(handle, [buffer], place)
        finally:
            os.close(handle)
    except OSError as error:
        gone = (errno.ENOENT, errno.ENXIO, errno.ENOMEDIUM)
        return errno.ENODEV if error.errno in gone else error.errno
    return 0
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    for path, number in zip(sys.argv[1:], pool.map(trouble, sys.argv[1:])):
        print(number, path)
"""
_FAILED = (errno.ENODEV, errno.EIO, errno.ETIMEDOUT, errno.EREMOTEIO)
"""Errors by which a disk has failed; every other one is not its own fault."""


class _Holder(Protocol):
    """What holds targets on a host."""

    def check(self) -> None: ...
    def close(self) -> None: ...


class HeldTargets:
    """What a load on one host runs on, held until `close`.

    Scratch files are locked, disks that are written to taken exclusively and all of
    them looked at anew under that; no disk is written to unless every one passes. A
    disk that is gone, or has failed, is left out where the others can do without it.

    Args:
        place: The host and its targets.
        destroys: Whether the load writes or erases.
        stop: Ends the filling of scratch files early.
        can_spare: Whether the load can do without one of several disks.

    Attributes:
        paths: Where each target is found there; "" for one that is left out.
        failed: The targets that are left out, with the number of their error.
        direct: Whether loads on all of them bypass the page cache.
        files: The scratch files among them.
        numbers: Device numbers of the disks among them.

    Raises:
        BenchError: The load cannot or must not run on one of them.
    """

    def __init__(
        self, place: Place, *, destroys: bool, stop: threading.Event, can_spare: bool
    ) -> None:
        self._place = place
        self._holder: _Holder | None = None
        self._watch: Watch | None = None
        self.direct = True
        self.failed: dict[str, int] = {}
        self.files: tuple[str, ...] = ()
        self.numbers: tuple[str, ...] = ()
        if not place.has_disks:
            held = ScratchThere(
                place.host, place.targets, place.size, writes=destroys, stop=stop
            )
            self._holder = held
            self.paths, self.direct = held.paths, held.direct
            self.files = held.paths
            return
        if not place.devices:
            raise BadInput("it is not armed", where=f"{place.target} on {place.host}")
        there = self._present(can_spare=can_spare)
        while True:
            try:
                self._take(there, destroys=destroys)
                break
            except BadInput:
                # One may have failed while it was looked at.
                left = self._present(can_spare=can_spare)
                if len(left) >= len(there):
                    raise
                there = left
        self.paths = tuple(
            str(one.path) if one in there else "" for one in place.devices
        )
        self.numbers = tuple(one.disk.identity.number for one in there)

    def trouble(self) -> str:
        """Say that the targets are not held any more, "" while they are."""
        if self._holder is None:
            return ""
        try:
            self._holder.check()
        except BenchError as error:
            return str(error)
        return self._watch.check() if self._watch else ""

    def close(self) -> None:
        """Let go of them; never raises, may be called twice."""
        if self._holder is not None:
            with contextlib.suppress(BenchError):
                self._holder.close()

    def _present(self, *, can_spare: bool) -> list[Device]:
        """Find the disks that can be used; all where none can be spared."""
        place = self._place
        if not can_spare or len(place.devices) < 2:
            return list(place.devices)
        argv = ["python3", "-I", "-c", _DEAD, *place.targets]
        found = {}
        for line in place.host.run(argv, _PROBE_S).stdout.splitlines():
            number, _, name = line.partition(" ")
            found[name] = int(number)
        failed = {name: number for name, number in found.items() if number in _FAILED}
        pairs = zip(place.targets, place.devices, strict=True)
        there = [device for name, device in pairs if name not in failed]
        if not there:
            return list(place.devices)
        self.failed = failed
        return there

    def _take(self, devices: list[Device], *, destroys: bool) -> None:
        if destroys:
            self._arm(devices)
            return
        now = find_disks(self._place.host, [str(one.path) for one in devices])
        for device, disk in zip(devices, now, strict=True):
            check_same(device, disk)

    def _arm(self, devices: list[Device]) -> None:
        host = self._place.host
        armed = []
        for device in devices:
            if device.armed is None:
                raise BadInput("it is not armed", where=f"{device.path} on {host}")
            armed.append(device.armed)
        hold = RemoteHold(host, armed)
        try:
            watch = Watch(host, [device.disk for device in devices], hold.pid)
            watch.check_armed(armed)
        except BaseException:
            hold.close()
            raise
        self._holder, self._watch = hold, watch
