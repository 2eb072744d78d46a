"""A running file copy: the copier's thread, its measured window, how it ended."""

import contextlib
import errno
import fcntl
import hashlib
import mmap
import operator
import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from instruments.reading import SECOND
from instruments.sizes import describe_size
from instruments.timebase import monotonic_ns
from workloads.base import End, LoadCause
from workloads.copy.job import CopyJob
from workloads.fio.faults import DEVICE_ERRORS

# Not every system has it.
_DIRECT = getattr(os, "O_DIRECT", 0)
_WHOLE = 4096
"""Direct I/O wants whole blocks of this; the rest of a file is written without it."""


class CopyCounts(NamedTuple):
    """What was done so far; seconds are those within the calls."""

    read_bytes: int = 0
    written_bytes: int = 0
    reads: int = 0
    writes: int = 0
    files: int = 0
    read_s: float = 0.0
    write_s: float = 0.0
    sync_s: float = 0.0

    def since(self, before: "CopyCounts") -> "CopyCounts":
        """Get what was done after an earlier count."""
        return CopyCounts(*map(operator.sub, self, before))


class Copier:
    """Copies files, again and again, on the thread that calls `copy`.

    Attributes:
        counts: What was done so far; another thread may read it at any time.
        digests: Checksums of the sources, by name below the target.
    """

    def __init__(
        self,
        job: CopyJob,
        files: Sequence[tuple[Path, Path]],
        folder: Path,
        stop: threading.Event,
    ) -> None:
        options = job.checked
        self._files = files
        self._folder = folder
        self._direct = options.flag("direct")
        # The window of a timed copy ends with the last fsync, so there has to be one.
        self._fsync = options.flag("fsync") or job.is_timed
        self._sha256 = options.text("verify") == "sha256"
        self._drop_cache = options.flag("drop_cache")
        self.counts = CopyCounts()
        self.digests: dict[Path, bytes] = {}
        self._stop = stop
        # Of whole pages at a page's begin, as O_DIRECT wants it.
        self._buffer = mmap.mmap(-1, options.integer("bs"))
        self._view = memoryview(self._buffer)

    def copy(self) -> bool:
        """Copy all files once; return whether all of them were.

        Raises:
            OSError: A file cannot be read or written; names it.
        """
        for source, name in self._files:
            if not self._copy(source, self._folder / name, name):
                return False
        self._sync_folders()
        return True

    def check(self) -> str:
        """Compare the copies with their sources; return what is wrong, "" if nothing.

        Raises:
            OSError: A file cannot be read.
        """
        for source, name in self._files:
            copied = self._folder / name
            size, copied_size = source.stat().st_size, copied.stat().st_size
            if size != copied_size:
                return (
                    f"the copy of {source} has {copied_size} bytes, the file has {size}"
                )
            if self._sha256 and self._digest(copied) != self.digests[name]:
                return f"the copy of {source} differs from the file"
        return ""

    def close(self) -> None:
        """Let go of the buffer."""
        self._view.release()
        self._buffer.close()

    def _copy(self, source: Path, target: Path, name: Path) -> bool:
        target.parent.mkdir(parents=True, exist_ok=True)
        extra = _DIRECT if self._direct else 0
        hashed = hashlib.sha256()
        with contextlib.ExitStack() as files:
            read_from = _open(files, source, os.O_RDONLY | extra)
            if self._drop_cache:  # this file alone, which needs no root
                os.posix_fadvise(read_from, 0, 0, os.POSIX_FADV_DONTNEED)
            write_to = _open(
                files, target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | extra
            )
            whole = True
            while count := self._read(read_from, source):
                if self._sha256:
                    hashed.update(self._view[:count])
                self._write(write_to, count, target)
                if self._stop.is_set():
                    whole = False
                    break
            if self._fsync:
                begin = time.monotonic()
                with _naming(target):
                    os.fsync(write_to)
                self._add(CopyCounts(sync_s=time.monotonic() - begin))
        if whole:
            self._add(CopyCounts(files=1))
            self.digests[name] = hashed.digest()
        return whole

    def _read(self, handle: int, path: Path) -> int:
        begin = time.monotonic()
        with _naming(path):
            count = os.readv(handle, [self._view])
        self._add(CopyCounts(count, 0, bool(count), 0, 0, time.monotonic() - begin))
        return count

    def _write(self, handle: int, count: int, path: Path) -> None:
        begin = time.monotonic()
        if self._direct and count % _WHOLE:  # the last piece of a file
            flags = fcntl.fcntl(handle, fcntl.F_GETFL)
            fcntl.fcntl(handle, fcntl.F_SETFL, flags & ~_DIRECT)
        done = 0
        with _naming(path):
            while done < count:
                done += os.write(handle, self._view[done:count])
        self._add(CopyCounts(0, count, 0, 1, 0, 0.0, time.monotonic() - begin))

    def _add(self, more: CopyCounts) -> None:
        # A new value each time: who reads it meanwhile never sees half of a change.
        self.counts = CopyCounts(*map(operator.add, self.counts, more))

    def _digest(self, path: Path) -> bytes:
        handle = os.open(path, os.O_RDONLY)
        try:
            # Else the copy in memory would be checked, not the one on the disk.
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
        if not self._fsync:
            return
        folders = {(self._folder / name).parent for _, name in self._files}
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
        self._add(CopyCounts(sync_s=time.monotonic() - begin))


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


_WAYS_OUT = {
    errno.ENOENT: "; it was there at the start, so do not touch source and target "
    "until the step has ended",
    errno.ESTALE: "; the file server lost it, so look whether it is still mounted",
    errno.ENOSPC: "; something else fills that disk, so make room or name another one "
    "in target",
    errno.EDQUOT: "; the quota is used up, so make room or name another folder in "
    "target",
    errno.EACCES: "; let this user read source and write target",
    errno.EROFS: "; it became read-only, look into the kernel's log with journalctl -k",
}
"""What can be done about an error that comes in mid copy, by its number."""


class CopyRun(threading.Thread):
    """The copier's thread: passes, the measured window, and how it ended."""

    def __init__(
        self, job: CopyJob, files: list[tuple[Path, Path]], folder: Path
    ) -> None:
        super().__init__(name="copier", daemon=True)
        self._job = job
        self._stop_copy = threading.Event()
        self.copier = Copier(job, files, folder, self._stop_copy)
        self.began_ns = monotonic_ns()
        self._ended_ns = 0
        self._passes = 0
        self._wrong = ""
        self._forced = End()
        self._error: OSError | None = None
        self._end_asked = 0.0
        self._ramp_end = self.began_ns + round(job.ramp_s * SECOND)
        self._before = CopyCounts()
        self._measured_ns = 0 if job.ramp_s else self.began_ns

    @property
    def ending_for_s(self) -> float:
        """Seconds since it was asked to end, 0 while it was not."""
        return time.monotonic() - self._end_asked if self._end_asked else 0.0

    @property
    def window(self) -> tuple[int, int] | None:
        """The measured window: from the ramp's end to the end of the last fsync."""
        if not self._measured_ns or self._ended_ns <= self._measured_ns:
            return None
        return self._measured_ns, self._ended_ns

    @property
    def measured(self) -> CopyCounts:
        """What was done in the window."""
        return self.copier.counts.since(self._before)

    def run(self) -> None:
        """Copy until it is asked to end, or as many times as planned."""
        wanted = self._job.checked.integer("passes")
        try:
            while not self._stop_copy.is_set() and self._passes != (wanted or -1):
                if not self.copier.copy():
                    break
                self._passes += 1
            self._ended_ns = monotonic_ns()
            if not self._stop_copy.is_set():
                self._wrong = self.copier.check()
        except OSError as error:
            self._ended_ns = self._ended_ns or monotonic_ns()
            self._error = error
        finally:
            self.copier.close()

    def end(self, *, stopped: bool, over: bool, spent: End) -> None:
        """Note the end of the ramp, and end the copier where it is time to."""
        now = monotonic_ns()
        if not self._measured_ns and now >= self._ramp_end:
            self._before, self._measured_ns = self.copier.counts, now
        forced = End(LoadCause.STOPPED) if stopped else spent
        if over and not forced:
            forced = End(LoadCause.OVERTIME)
        if forced and not self._forced and (stopped or not self._ended_ns):
            self._forced, self._end_asked = forced, time.monotonic()
            self._stop_copy.set()

    def judge(self) -> End:
        """Judge how it ended; what is complete is decided by counts of bytes."""
        if self._error is not None:
            return self._failed(self._error)
        if self.is_alive():
            what = "the copy hangs in the kernel and cannot be ended"
            return End(LoadCause.OVERTIME, what)
        cause, reason = self._forced
        if cause is LoadCause.STOPPED:
            return End(cause, "the copy was stopped before its end")
        if cause is LoadCause.OVERTIME and not self._job.is_timed:
            done = describe_size(self.copier.counts.written_bytes)
            return End(
                cause,
                f"only {done} were copied in the runtime of {self._job.runtime_s:g} s; "
                "give a longer runtime",
            )
        if cause is LoadCause.BUDGET:
            return End(cause, f"the copy was ended by the guard: {reason}")
        return End(LoadCause.DEVICE, self._wrong) if self._wrong else End()

    def _failed(self, error: OSError) -> End:
        place = f"{error.filename or self._job.target}: {error.strerror}"
        if error.errno in DEVICE_ERRORS:
            return End(LoadCause.DEVICE, f"I/O error on {place}")
        advice = _WAYS_OUT.get(error.errno or 0, "")
        return End(LoadCause.PROGRAM, f"the copy failed on {place}{advice}")
