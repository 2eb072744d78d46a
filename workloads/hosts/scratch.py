"""The scratch file of a load host: made, filled and locked by a program there.

It keeps the rules of `workloads.scratch`: only a file of Bayscope's own, or one that
holds nothing, is ever written.
"""

import sys
import threading
from collections.abc import Callable

from instruments.closing import Closing
from instruments.errors import BenchError
from instruments.hosts import Host, LocalHost
from workloads.sizes import describe_size

_SCRIPT = r"""
import errno, fcntl, os, shutil, signal, stat, sys
path, size = os.path.abspath(os.path.expanduser(sys.argv[1])), int(sys.argv[2])
writes = sys.argv[3] == "1"
MARK, BLOCK, SPARE = "user.bayscope.scratch", 4 << 20, 256 << 20
def say(*words):
    print(*words, flush=True)
def refuse(why):
    say("refused", why)
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
try:
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
                say("filled", done / size)
            os.fsync(handle)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    say("held", direct(), path)
except OSError as error:
    if error.errno == errno.EWOULDBLOCK:
        refuse("another run uses this file")
    refuse("it cannot be used (%s)" % error.strerror)
while True:
    signal.pause()
"""


class ScratchThere(Closing):
    """A scratch file on a host, locked until `close`; see `workloads.scratch`.

    The program that holds it ends with us and with the connection.

    Args:
        host: The machine; it needs python3.
        path: The file there; "~" is the home folder of its account.
        size: Bytes that the load will use.
        writes: Whether the load writes.
        stop: Ends the filling early.
        progress: Takes the fraction that is filled, from 0 to 1.

    Attributes:
        path: The whole path of the file there.
        direct: Whether its file system takes O_DIRECT.

    Raises:
        BenchError: It must not or cannot be used, or the host cannot be reached.
    """

    def __init__(
        self,
        host: Host,
        path: str,
        size: int,
        *,
        writes: bool,
        stop: threading.Event,
        progress: Callable[[float], None] = lambda _: None,
    ) -> None:
        python = sys.executable if isinstance(host, LocalHost) else "python3"
        facts = [path, str(size), str(int(writes))]
        self._process = host.start([python, "-I", "-c", _SCRIPT, *facts])
        word, rest = "", ""
        for line in iter(self._process.stdout.readline, b""):
            word, _, rest = line.decode("utf-8", "replace").strip().partition(" ")
            if word != "filled" or stop.is_set():
                break
            progress(float(rest))
        direct, _, self.path = rest.partition(" ")
        self.direct = direct == "1"
        if word != "held":
            self._process.wait(1.0)
            said = self._process.stderr_text().strip().splitlines()
            self.close()
            if stop.is_set():
                rest = "the filling was stopped"
            why = rest if word == "refused" or stop.is_set() else "".join(said[-1:])
            raise BenchError(
                f"a scratch file of {describe_size(size)} cannot be had "
                f"({why or 'nothing was said'})",
                where=f"{path} on {host}",
                way_out="Nothing was overwritten. Name a file that does not exist "
                "yet, in a folder with room; see targets and size of the bench.",
            )

    def check(self) -> None:
        """See that the file still is held.

        Raises:
            BenchError: It is not; end the load at once.
        """
        if self._process.wait(0) is not None:
            raise BenchError(
                "the scratch file is not held any more", where=self.path or "it"
            )

    def close(self) -> None:
        """Let another run have the file; may be called twice."""
        self._process.close()
