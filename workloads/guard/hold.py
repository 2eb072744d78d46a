"""A disk that is held open during a step; the load is given that handle."""

import errno
import fcntl
import os
import struct

from instruments.errors import BadInput, BenchError, plain_words
from instruments.tools.closing import Closing
from workloads.guard.arming import Armed
from workloads.guard.device import Device
from workloads.guard.nodes import node_of

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
