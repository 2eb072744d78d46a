"""The copier: reads files and writes copies of them, and counts what it does."""

import contextlib
import errno
import fcntl
import hashlib
import mmap
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from workloads.copy.plan import CopyCounts, CopyPlan

_DIRECT = getattr(os, "O_DIRECT", 0)
_WHOLE = 4096
"""Direct I/O wants whole blocks of this; the rest of a file is written without it."""


class Copier:
    """Copies a plan's files, again and again, on the thread that calls `copy`.

    Attributes:
        counts: What was done so far; another thread may read it at any time.
        digests: Checksums of the sources, by name below the target.
    """

    def __init__(self, plan: CopyPlan, stop: threading.Event) -> None:
        self.counts = CopyCounts()
        self.digests: dict[Path, bytes] = {}
        self._plan = plan
        self._stop = stop
        self._buffer = mmap.mmap(-1, plan.block)
        self._view = memoryview(self._buffer)
        self._totals = [0, 0, 0, 0, 0]  # read, written, reads, writes, files
        self._times = [0.0, 0.0, 0.0]  # reading, writing, fsync

    def copy(self) -> bool:
        """Copy all files once; return whether all of them were.

        Raises:
            OSError: A file cannot be read or written; tells its name.
        """
        for source, name in self._plan.files:
            if not self._copy(source, self._plan.target / name, name):
                return False
        self._sync_folders()
        return True

    def check(self) -> str:
        """Compare the copies with their sources; return what is wrong, "" if nothing.

        Raises:
            OSError: A file cannot be read.
        """
        for source, name in self._plan.files:
            copied = self._plan.target / name
            size, own = source.stat().st_size, copied.stat().st_size
            if size != own:
                return f"the copy of {source} has {own} bytes, the file has {size}"
            if self._plan.sha256 and self._digest(copied) != self.digests[name]:
                return f"the copy of {source} differs from the file"
        return ""

    def close(self) -> None:
        """Let go of the buffer."""
        self._view.release()
        self._buffer.close()

    def _copy(self, source: Path, target: Path, name: Path) -> bool:
        plan = self._plan
        target.parent.mkdir(parents=True, exist_ok=True)
        extra = _DIRECT if plan.direct else 0
        hashed = hashlib.sha256()
        with contextlib.ExitStack() as files:
            read_from = _open(files, source, os.O_RDONLY | extra)
            if plan.drop_cache:
                os.posix_fadvise(read_from, 0, 0, os.POSIX_FADV_DONTNEED)
            write_to = _open(
                files, target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | extra
            )
            whole = True
            while count := self._read(read_from, source):
                if plan.sha256:
                    hashed.update(self._view[:count])
                self._write(write_to, count, target)
                if self._stop.is_set():
                    whole = False
                    break
            if plan.fsync:
                begin = time.monotonic()
                with _naming(target):
                    os.fsync(write_to)
                self._times[2] += time.monotonic() - begin
        if whole:
            self._totals[4] += 1
            self.digests[name] = hashed.digest()
        self._publish()
        return whole

    def _read(self, handle: int, path: Path) -> int:
        begin = time.monotonic()
        with _naming(path):
            count = os.readv(handle, [self._view])
        self._times[0] += time.monotonic() - begin
        self._totals[0] += count
        self._totals[2] += bool(count)
        return count

    def _write(self, handle: int, count: int, path: Path) -> None:
        begin = time.monotonic()
        if self._plan.direct and count % _WHOLE:
            flags = fcntl.fcntl(handle, fcntl.F_GETFL)
            fcntl.fcntl(handle, fcntl.F_SETFL, flags & ~_DIRECT)
        done = 0
        with _naming(path):
            while done < count:
                done += os.write(handle, self._view[done:count])
        self._times[1] += time.monotonic() - begin
        self._totals[1] += count
        self._totals[3] += 1
        self._publish()

    def _publish(self) -> None:
        self.counts = CopyCounts(*self._totals, *self._times)

    def _digest(self, path: Path) -> bytes:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            hashed = hashlib.sha256()
            while count := os.readv(handle, [self._view]):
                hashed.update(self._view[:count])
                if self._stop.is_set():
                    break
            return hashed.digest()
        finally:
            os.close(handle)

    def _sync_folders(self) -> None:
        if not self._plan.fsync:
            return
        folders = {(self._plan.target / name).parent for _, name in self._plan.files}
        begin = time.monotonic()
        for folder in sorted(folders):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            except OSError as error:
                # Some network file systems cannot; the files themselves are safe.
                if error.errno != errno.EINVAL:
                    raise
            finally:
                os.close(handle)
        self._times[2] += time.monotonic() - begin
        self._publish()


def _open(files: contextlib.ExitStack, path: Path, flags: int) -> int:
    handle = os.open(path, flags | os.O_CLOEXEC, 0o644)
    files.callback(os.close, handle)
    return handle


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Give an error of an open file its name."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
