"""The armed disks of any host, held by a small program there."""

import sys
from collections.abc import Sequence

from instruments.errors import BadInput, BenchError
from instruments.files.foreign_text import MOST_LINE
from instruments.tools.closing import Closing
from instruments.tools.hosts import Host, LocalHost
from instruments.tools.started import Started
from workloads.guard.arming import Armed

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
