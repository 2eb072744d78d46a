"""An armed disk, held: no one else can claim it while a load writes to it."""

import errno
import fcntl
import os
import struct

from instruments.closing import Closing
from instruments.errors import BadInput, BenchError
from workloads.guard.arming import Armed

_BLKGETSIZE64 = 0x80081272
_BLKGETDISKSEQ = 0x80081280


class Hold(Closing):
    """An exclusive handle on an armed disk of this machine, for the length of a step.

    O_EXCL on a block device fails where anything uses it, in any mount namespace:
    a mount, swap, md, LVM, another holder; and it keeps all of them away as long as
    it is held. It does not keep the load itself away, which opens without O_EXCL.

    Raises:
        BadInput: Something uses the disk, or it is another one by now.
    """

    def __init__(self, armed: Armed) -> None:
        self._armed = armed
        self._fd = -1
        try:
            self._fd = os.open(armed.path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
        except OSError as error:
            raise _refusal(armed, error) from error
        try:
            self.check()
        except BaseException:
            self.close()
            raise

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
                f"this is not the disk that was armed any more (device {number}, "
                f"{size} bytes, diskseq {diskseq})",
                where=self._armed.path,
                way_out=f"It was {self._armed.title}. Arm it again.",
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
        plain = os.open(self._armed.path, os.O_RDONLY | os.O_CLOEXEC)
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
