"""The targets of a load host in one step: checked and held before the load."""

import contextlib
import errno
import sys
import threading
from collections.abc import Callable, Sequence

from instruments.errors import BadInput, BenchError
from instruments.files.foreign_text import lines_of
from instruments.sizes import describe_size
from instruments.tools.closing import Closing
from instruments.tools.hosts import Host, LocalHost
from workloads.guard.device import Device
from workloads.guard.hold import RemoteHold
from workloads.guard.load_guard import check_same
from workloads.guard.watch import Watch
from workloads.hosts.place import Place

_SCRIPT = r"""
import errno, fcntl, os, shutil, signal, stat, sys
size, writes = int(sys.argv[1]), sys.argv[2] == "1"
paths = [os.path.abspath(os.path.expanduser(name)) for name in sys.argv[3:]]
MARK, BLOCK, SPARE = "user.bayscope.scratch", 4 << 20, 256 << 20
def say(*words):
    print(*words, flush=True)
def refuse(why):
    say("refused", paths.index(path), why)
    sys.exit(1)
def empty():
    with open(path, "rb") as file:
        try:
            os.lseek(file.fileno(), 0, os.SEEK_DATA)
        except OSError as error:
            return error.errno == errno.ENXIO
    return False
def ours():
    try:
        if os.getxattr(path, MARK) == b"1":
            return True
    except OSError:
        pass
    return empty()
def direct():
    device = os.stat(path).st_dev
    number = "%d:%d" % (os.major(device), os.minor(device))
    with open("/proc/self/mountinfo") as mounts:
        for line in mounts:
            fields, _, kind = line.partition(" - ")
            memory = ("tmpfs", "ramfs", "devtmpfs")
            if fields.split()[2] == number and kind.split()[0] in memory:
                return 0
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    except OSError as error:
        if error.errno == errno.EINVAL:
            return 0
        raise
    return 1
def take(number):
    there = os.path.lexists(path)
    if there and not stat.S_ISREG(os.stat(path).st_mode):
        refuse("this is not a file")
    mine = not there or ours()
    if not mine and writes:
        refuse("this file holds data that Bayscope did not write")
    there_are = os.stat(path).st_size if there else 0
    if not mine and there_are < size:
        refuse("the file has %d bytes, the load wants %d" % (there_are, size))
    if mine:
        held = os.stat(path).st_blocks * 512 if there else 0
        free = shutil.disk_usage(os.path.dirname(path)).free
        if max(0, size - held) + SPARE > free:
            refuse("it does not fit, %d bytes are free there" % free)
    flags = os.O_RDWR | os.O_CREAT if mine else os.O_RDONLY
    handle = os.open(path, flags | os.O_CLOEXEC, 0o644)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if mine:
        try:
            os.setxattr(handle, MARK, b"1")
        except OSError:
            pass
        found = os.fstat(handle)
        if found.st_size < size or found.st_blocks * 512 < size:
            block, done = os.urandom(BLOCK), 0
            while done < size:
                turn = done // BLOCK % 4093
                piece = (block[turn:] + block[:turn])[: size - done]
                done += os.pwrite(handle, piece, done)
                if done % (16 * BLOCK) == 0:
                    os.fdatasync(handle)
                say("filled", (number + done / size) / len(paths))
            os.fsync(handle)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    say("held", direct(), path)
for number, path in enumerate(paths):
    try:
        take(number)
    except OSError as error:
        if error.errno == errno.EWOULDBLOCK:
            refuse("another run uses this file")
        refuse("it cannot be used (%s)" % error.strerror)
say("all")
while True:
    signal.pause()
"""


class ScratchThere(Closing):
    """Scratch files on a host, locked until `close`; see `workloads.target.scratch`.

    The program that holds them ends with us and with the connection.

    Attributes:
        paths: The whole paths of the files there.
        direct: Whether the file systems of all take O_DIRECT.

    Raises:
        BenchError: One must not or cannot be used, or the host cannot be reached.
    """

    def __init__(
        self,
        host: Host,
        names: Sequence[str],
        size: int,
        *,
        writes: bool,
        stop: threading.Event,
        progress: Callable[[float], None] = lambda _: None,
    ) -> None:
        python = sys.executable if isinstance(host, LocalHost) else "python3"
        facts = [str(size), str(int(writes)), *names]
        self._process = host.start([python, "-I", "-c", _SCRIPT, *facts])
        self.direct = True
        held: list[str] = []
        word, rest = "", ""
        for line in lines_of(self._process.stdout):
            word, _, rest = line.decode("utf-8", "replace").strip().partition(" ")
            if word == "held":
                direct, _, path = rest.partition(" ")
                self.direct = self.direct and direct == "1"
                held.append(path)
            elif word == "filled" and not stop.is_set():
                progress(float(rest))
            else:
                break
        self.paths = tuple(held)
        if word != "all":
            self._process.wait(1.0)
            complaints = self._process.stderr_text().strip().splitlines()
            self.close()
            number, _, why = rest.partition(" ")
            bad = names[min(len(held), len(names) - 1)]
            if stop.is_set():
                why = "the filling was stopped"
            elif word != "refused":
                why = "".join(complaints[-1:])
            else:
                bad = names[int(number)]
            raise BenchError(
                f"a scratch file of {describe_size(size)} cannot be used "
                f"({why or 'no message'})",
                where=f"{bad} on {host}",
                way_out="Nothing was overwritten. Name a file that does not exist "
                "yet, in a folder with room; see targets and size of the bench.",
            )

    def check(self) -> None:
        """Check that the files still are held.

        Raises:
            BenchError: They are not; end the load at once.
        """
        if self._process.wait(0) is not None:
            what = "files are" if len(self.paths) > 1 else "file is"
            raise BenchError(
                f"the scratch {what} not held any more", where=self.paths[0]
            )

    def close(self) -> None:
        """Let another run have the files; may be called twice."""
        self._process.close()


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


class HeldTargets:
    """What a load on one host runs on, held until `close`.

    Scratch files are locked, disks that are written to taken exclusively and all of
    them looked at again under that; no disk is written to unless every one passes. A
    disk that is gone, or has failed, is excluded where the others can do without it.

    Attributes:
        paths: Where each target is found there; "" for one that is excluded.
        failed: The targets that are excluded, with the number of their error.
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
        self._holder: ScratchThere | RemoteHold | None = None
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
            str(device.path) if device in there else "" for device in place.devices
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
        if self._watch is not None:
            self._watch.close()
        if self._holder is not None:
            with contextlib.suppress(BenchError):
                self._holder.close()

    def _present(self, *, can_spare: bool) -> list[Device]:
        """Find the disks that can be used; all where none can be spared."""
        place = self._place
        if not can_spare or len(place.devices) < 2:
            return list(place.devices)
        argv = ["python3", "-I", "-c", _DEAD, *place.targets]
        present = {}
        for line in place.host.run(argv, _PROBE_S).stdout.splitlines():
            number, _, name = line.partition(" ")
            present[name] = int(number)
        failed = {name: number for name, number in present.items() if number in _FAILED}
        pairs = zip(place.targets, place.devices, strict=True)
        there = [device for name, device in pairs if name not in failed]
        if not there:
            return list(place.devices)
        self.failed = failed
        return there

    def _take(self, devices: list[Device], *, destroys: bool) -> None:
        host = self._place.host
        if not destroys:
            check_same(host, devices)
            return
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
