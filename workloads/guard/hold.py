"""A disk in our hands: opened once, checked, and what a load gets is that handle."""

import errno
import fcntl
import os
import struct

from instruments.closing import Closing
from instruments.errors import BadInput, BenchError
from workloads.guard.arming import Armed
from workloads.guard.device import Device
from workloads.guard.nodes import node_of

_BLKGETSIZE64 = 0x80081272
_BLKGETDISKSEQ = 0x80081280


class Hold(Closing):
    """A handle on a disk of this machine, for the length of a step.

    It is opened by its device number, and not by the name that the bench gives it:
    whoever owns the folder of that name may let it lead elsewhere at any moment.

    For a load that writes it is exclusive. O_EXCL on a block device fails where
    anything uses it, in any mount namespace: a mount, swap, md, LVM, another holder;
    and it keeps all of them away as long as it is held. It does not keep the load
    itself away, which opens without O_EXCL.

    Args:
        armed: What the disk was when it was armed, or was looked at to be read.
        writes: Whether it is held for a load that writes.

    Attributes:
        node: The name that it was opened by: the kernel's, where only root makes names.

    Raises:
        BadInput: Something uses the disk, or it is another one by now.
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
        """Get the handle, for a load to open the disk by."""
        return self._fd

    def check(self) -> None:
        """See that the handle and the path still are the disk that was armed.

        Raises:
            BadInput: They are not; end the load at once.
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
        """Let a tool claim the disk itself, and keep a plain handle on it.

        mkfs, mount and zpool take the disk for themselves with O_EXCL, which fails
        as long as we have it so. The plain handle is opened before that is let go:
        as long as it is there the kernel gives the disk's name and number to no other
        one [judged from its drivers], and `check` still tells what they lead to.

        Raises:
            BenchError: It is not the disk that was armed, or does not answer.
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
                f"the disk does not answer ({error.strerror})",
                where=self._armed.path,
                way_out="See whether it is still there.",
            ) from error
        return int(struct.unpack("=Q", buffer)[0])

    def close(self) -> None:
        """Let go of the disk; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def hold_device(device: Device, *, writes: bool) -> Hold:
    """Take the disk of a load in hand; see `Hold`.

    Raises:
        BadInput: It is to be written and not armed; see `Hold`.
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
        f"{armed.title} cannot be opened ({error.strerror})",
        where=armed.path,
        way_out="Nothing was written. See whether it is there and who may write to it.",
    )
