"""The scratch files of a load host: made, filled and locked by a program there.

It keeps the rules of `workloads.target.scratch`: only a file of Bayscope's own, or one
that holds nothing, is ever written.
"""

import sys
import threading
from collections.abc import Callable, Sequence

from instruments.errors import BenchError
from instruments.files.foreign_text import lines_of
from instruments.tools.closing import Closing
from instruments.tools.hosts import Host, LocalHost
from workloads.sizes import describe_size

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

    Args:
        host: The machine; it needs python3.
        names: The files there; "~" is the home folder of its account.
        size: Bytes of each that the load will use.
        writes: Whether the load writes.
        stop: Ends the filling early.
        progress: Takes the fraction that is filled, from 0 to 1.

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
            said = self._process.stderr_text().strip().splitlines()
            self.close()
            number, _, why = rest.partition(" ")
            bad = names[min(len(held), len(names) - 1)]
            if stop.is_set():
                why = "the filling was stopped"
            elif word != "refused":
                why = "".join(said[-1:])
            else:
                bad = names[int(number)]
            raise BenchError(
                f"a scratch file of {describe_size(size)} cannot be had "
                f"({why or 'nothing was said'})",
                where=f"{bad} on {host}",
                way_out="Nothing was overwritten. Name a file that does not exist "
                "yet, in a folder with room; see targets and size of the bench.",
            )

    def check(self) -> None:
        """See that the files still are held.

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
