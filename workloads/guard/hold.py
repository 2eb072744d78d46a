"""Disks that are held open: for a load, for a tool that claims them, on a host."""

import contextlib
import errno
import fcntl
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from instruments.errors import BadInput, BenchError, plain_words
from instruments.files.foreign_text import MOST_LINE
from instruments.tools.closing import Closing
from instruments.tools.hosts import Host, LocalHost
from instruments.tools.started import Started
from workloads.base import End
from workloads.guard.arming import Armed
from workloads.guard.budget import Budget, WriteMeter
from workloads.guard.device import Device
from workloads.guard.nodes import node_of
from workloads.guard.open_files import Allowed, stray_file
from workloads.guard.watch import Watch

# _IOR(0x12, 114, size_t) and _IOR(0x12, 128, __u64) of linux/fs.h.
# ioctls of linux/fs.h, as 64-bit kernels number them; the second since Linux 5.15.
_BLKGETSIZE64 = 0x80081272
_BLKGETDISKSEQ = 0x80081280


class Hold(Closing):
    """An open handle on a local disk, kept for the length of a step.

    The disk is opened by its device number, not by the name in the bench: whoever owns
    the folder of that name could make it point to something else at any moment.

    If the load writes, the handle is exclusive. Opening a block device with O_EXCL
    fails while anything uses it, in any mount namespace (a mount, swap, md, LVM,
    another exclusive handle), and keeps all of these off the disk until the handle is
    closed. The load itself opens the disk without O_EXCL and so is not locked out.

    Args:
        armed: What the disk was when it was armed, or last inspected if it is only
            read.
        writes: Whether the load writes to it.

    Attributes:
        node: The path it was opened by: the kernel's own, in /dev, where only root can
            create names.

    Raises:
        BadInput: The disk is in use, or is no longer the same disk.
    """

    def __init__(self, armed: Armed, *, writes: bool = True) -> None:
        self._armed = armed
        self._was = "was armed any more" if writes else "the run began with"
        self._fd = -1
        try:
            self.node = node_of(armed.identity.number)
            flags = os.O_RDWR | os.O_EXCL if writes else os.O_RDONLY
            self._fd = _open(self.node, flags)
        except OSError as error:
            raise _refusal(armed, error) from error
        try:
            self.check()
        except BaseException:
            self.close()
            raise

    @property
    def fd(self) -> int:
        """The file descriptor through which the load opens the disk."""
        return self._fd

    def check(self) -> None:
        """Check that the handle and the path still belong to the disk that was armed.

        Raises:
            BadInput: They do not; end the load at once.
        """
        own = self._armed.identity
        status = os.fstat(self._fd)
        number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
        try:
            named = os.stat(self._armed.path).st_rdev  # noqa: PTH116
        except OSError:  # it was taken out, and its name with it
            named = 0
        size, diskseq = self._ask(_BLKGETSIZE64), self._ask(_BLKGETDISKSEQ)
        same = (
            number == own.number
            and named == status.st_rdev
            and size == own.size
            and (not own.diskseq or diskseq == own.diskseq)
        )
        if not same:
            raise BadInput(
                f"this is not the disk that {self._was} (device {number}, "
                f"{size} bytes, diskseq {diskseq})",
                where=self._armed.path,
                way_out=f"It was {self._armed.title}. Look at the bench again.",
            )

    def share(self) -> None:
        """Give up exclusive access so that a tool can take it; keep a plain handle.

        mkfs, mount and zpool open the disk with O_EXCL themselves, which fails while we
        hold it that way. The plain handle is opened before the exclusive one is closed:
        while a handle is open, the kernel does not reuse the disk's name and number
        [inferred from its drivers], and `check` can still tell which disk they mean.

        Raises:
            BenchError: It is not the disk that was armed, or it does not respond.
        """
        plain = _open(self.node, os.O_RDONLY)
        exclusive, self._fd = self._fd, plain
        os.close(exclusive)
        self.check()

    def _ask(self, request: int) -> int:
        buffer = bytearray(8)
        try:
            fcntl.ioctl(self._fd, request, buffer)
        except OSError as error:
            if error.errno in (errno.ENOTTY, errno.EINVAL):  # an older kernel
                return 0
            raise BenchError(
                f"the disk does not answer ({plain_words(error)})",
                where=self._armed.path,
                way_out="Check whether it is still there.",
            ) from error
        return int(struct.unpack("=Q", buffer)[0])

    def close(self) -> None:
        """Close the handle; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def hold_device(device: Device, *, writes: bool) -> Hold:
    """Open the disk of a load and hold it; see `Hold`.

    Raises:
        BadInput: The load writes and the disk is not armed; see also `Hold`.
    """
    seen = device.armed
    if seen is None:
        if writes:
            raise BadInput("it is not armed", where=str(device.path))
        own = device.disk
        seen = Armed(str(device.path), own.identity, title=own.title)
    return Hold(seen, writes=writes)


def _open(node: str, flags: int) -> int:
    return os.open(node, flags | os.O_NOFOLLOW | os.O_CLOEXEC)


def _refusal(armed: Armed, error: OSError) -> BadInput:
    if error.errno == errno.EBUSY:
        return BadInput(
            f"{armed.title} is in use: mounted (in some namespace), swap, md, LVM or "
            "held by another program",
            where=armed.path,
            way_out="Nothing was written. See what uses it with lsblk and findmnt.",
        )
    return BadInput(
        f"{armed.title} cannot be opened ({plain_words(error)})",
        where=armed.path,
        way_out="Nothing was written. Check that it is there and who may write to it.",
    )


_SCRIPT = """
import fcntl, os, signal, struct, sys
facts, held = sys.argv[1:], []
def ask(fd, request):
    buffer = bytearray(8)
    try:
        fcntl.ioctl(fd, request, buffer)
    except OSError:
        return "0"
    return str(struct.unpack("=Q", buffer)[0])
while facts:
    path, number, size, diskseq = facts[:4]
    del facts[:4]
    try:
        fd = os.open(path, os.O_RDWR | os.O_EXCL)
    except OSError as error:
        print(len(held), "refused: " + os.strerror(error.errno), flush=True)
        sys.exit(1)
    held.append(fd)
    st = os.fstat(fd)
    now = ("%d:%d" % (os.major(st.st_rdev), os.minor(st.st_rdev)), ask(fd, 0x80081272))
    seq = ask(fd, 0x80081280)
    if now != (number, size) or (diskseq != "0" and seq != diskseq):
        told = "changed: device %s, %s bytes, diskseq %s" % (*now, seq)
        print(len(held) - 1, told, flush=True)
        sys.exit(1)
print("held", flush=True)
while True:
    signal.pause()
"""


class RemoteHold(Closing):
    """An exclusive handle on each of some armed disks of a host, until `close`.

    One program there holds all; it ends with us and with the connection. See `Hold`.
    Check everything again under it: `Watch(host, disks, hold.pid).check_armed(armed)`.

    Attributes:
        pid: The program's process id on its host.

    Raises:
        BadInput: Something uses a disk, or it is another one by now; none is held.
        BenchError: The host cannot be reached, or has no python3.
    """

    def __init__(self, host: Host, armed: Sequence[Armed]) -> None:
        self._armed = tuple(armed)
        facts = [
            fact
            for one in armed
            for own in (one.identity,)
            for fact in (one.path, own.number, str(own.size), str(own.diskseq))
        ]
        python = sys.executable if isinstance(host, LocalHost) else "python3"
        argv = [python, "-I", "-c", _SCRIPT, *facts]
        self._process: Started = host.start(argv)
        self.pid = self._process.pid
        answer = (
            self._process.stdout.readline(MOST_LINE).decode("utf-8", "replace").strip()
        )
        if answer != "held":
            self.close()
            number, _, why = answer.partition(" ")
            if not number.isdecimal():
                number, why = "0", answer
            one = self._armed[int(number)]
            raise BadInput(
                f"{one.title} cannot be held ({why or 'no message'})",
                where=one.path,
                way_out="Nothing was written. See what uses it, or arm it again.",
            )

    def check(self) -> None:
        """Check that the disks still are held.

        Raises:
            BenchError: They are not; end the load at once.
        """
        if self._process.wait(0) is not None:
            several = len(self._armed) > 1
            raise BenchError(
                "the disks are not held any more"
                if several
                else "the disk is not held any more",
                where=self._armed[0].path,
                way_out="See what became of the host.",
            )

    def close(self) -> None:
        """Let go of the disks; may be called twice."""
        self._process.close()


class SetupHold:
    """The guard around a tool that claims disks itself: mkfs, zpool.

    All disks are taken exclusively, then everything is looked at again, then they are
    let go for the tool, which takes them exclusively in its turn and fails where it
    cannot. A plain handle stays on each of them meanwhile.
    """

    def __init__(self, devices: Sequence[Device], budget: Budget | None = None) -> None:
        self._devices = tuple(devices)
        self._budget = budget or Budget()
        self._held: list[Hold] = []
        self._meter = WriteMeter([device.disk.identity.number for device in devices])
        self._watch: Watch | None = None

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Check all disks and hold them.

        Raises:
            BenchError: One is not armed, not what it was, or in use.
        """
        self._budget.check()
        with contextlib.ExitStack() as stack:
            stack.callback(self._held.clear)
            for device in self._devices:
                held = stack.enter_context(hold_device(device, writes=True))
                self._held.append(held)
            disks = [device.disk for device in self._devices]
            self._watch = Watch(LocalHost(), disks)
            self._watch.check_armed([one.armed for one in self._devices if one.armed])
            for held in self._held:
                held.share()
            self._meter.written()
            try:
                yield
            finally:
                self.count()
                self._watch = None

    @property
    def nodes(self) -> list[str]:
        """Get the kernel's names of the disks, as they are held; for tools."""
        return [held.node for held in self._held]

    def check(self, pid: int) -> str:
        """Say why a running tool has to be killed at once, "" where it may go on."""
        numbers = [device.disk.identity.number for device in self._devices]
        try:
            for held in self._held:
                held.check()
            parts = [part for number in numbers for part in _parts(number)]
        except (BenchError, OSError) as error:
            return str(error)
        allowed = Allowed((*numbers, *parts), writes=True, is_tool=True)
        trouble = stray_file(pid, allowed)
        return trouble or (self._watch.check() if self._watch else "")

    def count(self) -> End:
        """Count what was written, and tell whether that has to end now."""
        self._budget.count(self._meter.written())
        return self._budget.spent()


def _parts(number: str) -> Iterator[str]:
    """Find the device numbers of a disk's partitions, as zpool makes them."""
    for part in Path(f"/sys/dev/block/{number}").glob("*/partition"):
        yield (part.parent / "dev").read_text("ascii").strip()
