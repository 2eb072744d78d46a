"""An armed disk of any host, held by a small program there."""

import sys

from instruments.closing import Closing
from instruments.errors import BadInput, BenchError
from instruments.hosts import Host, LocalHost
from instruments.started import Started
from workloads.guard.arming import Armed

_SCRIPT = """
import fcntl, os, signal, struct, sys
path, number, size, diskseq = sys.argv[1:]
def ask(fd, request):
    buffer = bytearray(8)
    try:
        fcntl.ioctl(fd, request, buffer)
    except OSError:
        return "0"
    return str(struct.unpack("=Q", buffer)[0])
try:
    fd = os.open(path, os.O_RDWR | os.O_EXCL)
except OSError as error:
    print("refused: " + os.strerror(error.errno), flush=True)
    sys.exit(1)
st = os.fstat(fd)
now = ("%d:%d" % (os.major(st.st_rdev), os.minor(st.st_rdev)), ask(fd, 0x80081272))
seq = ask(fd, 0x80081280)
if now != (number, size) or (diskseq != "0" and seq != diskseq):
    print("changed: device %s, %s bytes, diskseq %s" % (*now, seq), flush=True)
    sys.exit(1)
print("held", flush=True)
while True:
    signal.pause()
"""


class RemoteHold(Closing):
    """An exclusive handle on an armed disk of a host, until `close`.

    A program there holds it; it ends with us and with the connection. See `Hold`.
    Check everything again under it: `look(host, path, survey(host, hold.pid),
    held=True)`.

    Attributes:
        pid: The program's process id on its host.

    Raises:
        BadInput: Something uses the disk, or it is another one by now.
        BenchError: The host cannot be reached, or has no python3.
    """

    def __init__(self, host: Host, armed: Armed) -> None:
        self._armed = armed
        own = armed.identity
        facts = (own.number, str(own.size), str(own.diskseq))
        python = sys.executable if isinstance(host, LocalHost) else "python3"
        argv = [python, "-I", "-c", _SCRIPT, armed.path, *facts]
        self._process: Started = host.start(argv)
        self.pid = self._process.pid
        told = self._process.stdout.readline().decode("utf-8", "replace").strip()
        if told != "held":
            self.close()
            raise BadInput(
                f"{armed.title} cannot be held ({told or 'nothing was said'})",
                where=armed.path,
                way_out="Nothing was written. See what uses it, or arm it again.",
            )

    def check(self) -> None:
        """See that the disk still is held.

        Raises:
            BenchError: It is not; end the load at once.
        """
        if self._process.wait(0) is not None:
            raise BenchError(
                "the disk is not held any more",
                where=self._armed.path,
                way_out="See what became of the host.",
            )

    def close(self) -> None:
        """Let go of the disk; may be called twice."""
        self._process.close()
