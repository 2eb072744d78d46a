"""Somebody without rights, who swaps what a name in their own folder leads to."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO

from instruments.tools.closing import Closing

NOBODY = 65534
_AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
_SWAP = """
import contextlib, itertools, os, select, sys
folder, disk, *others = sys.argv[1:]
os.chdir(folder)

def put(make):
    for name in ("new", "old"):
        with contextlib.suppress(OSError):
            os.unlink(name)
        with contextlib.suppress(OSError):
            os.rmdir(name)
    with contextlib.suppress(OSError):
        make("new")
        with contextlib.suppress(OSError):
            os.rename("target", "old")
        os.rename("new", "target")
        return 1
    return 0

def lead(to):
    return lambda name: os.symlink(to, name)

with open("own", "wb") as own:
    own.truncate(1 << 20)
ways = [lead(to) for to in others for _ in range(20)]
ways += [lead(disk), os.mkfifo, os.mkdir, lead("loop"), lead("own"), lead("gone")]
ways += [lambda name, to=to: os.link(to, name) for to in ("own", others[0])]
right = lead(disk) if disk else lambda name: open(name, "xb").close()
swaps, loop, rests = 0, itertools.cycle(ways), itertools.cycle((0.4, 0))
print("ready", flush=True)
swaps += put(right)
swapping, rest = False, 0
while True:
    if select.select([0], [], [], rest if swapping else None)[0]:
        word = os.read(0, 1)
        if not word:
            break
        swapping = word == b"g"
        swaps += put(lead(others[0]) if swapping else right)
        print(swaps, flush=True)
        rest = next(rests) if swapping else 0
    elif swapping:
        rest = 0
        swaps += put(next(loop))
"""


class Swapper(Closing):
    """A process without rights that owns a folder with the name "target" in it.

    It leads to a disk, or is an empty file where none is named, until `go`. Then it
    leads to the first of others, every second time for a while, and then to much else,
    as fast as can be, until `hold`. The folder is in memory, to be fast.

    Attributes:
        name: The name that it swaps.
        swaps: How often it has, as it said last.
    """

    def __init__(self, disk: str, *others: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bs-swapper", dir="/dev/shm"))
        os.chown(self.folder, NOBODY, NOBODY)
        self.name = self.folder / "target"
        self.swaps = 0
        argv = ["/usr/bin/python3", "-I", "-c", _SWAP, str(self.folder), disk, *others]
        self._process = subprocess.Popen(
            [*_AS_NOBODY, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._out.readline() == b"ready\n"

    @property
    def _out(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def go(self) -> None:
        """Swap on, as fast as can be."""
        self._tell(b"g")

    def hold(self) -> None:
        """Let the name lead to the disk."""
        self._tell(b"d")

    def _tell(self, word: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(word)
        self._process.stdin.flush()
        self.swaps = int(self._out.readline())

    def close(self) -> None:
        """End it; may be called twice."""
        if self._process.poll() is None:
            self._process.communicate()
            shutil.rmtree(self.folder)
