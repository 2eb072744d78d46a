"""File copy as a workload: our own copier, its read and write rate, fsync included."""

import errno
import os
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from instruments.errors import BenchError, plain_words
from instruments.files.own_folder import OwnFolder
from instruments.host.diskstats import Transfers, device_beneath
from instruments.reading import SECOND
from instruments.settings import Settings
from instruments.sizes import describe_size
from instruments.timebase import monotonic_ns
from workloads.base import (
    Artefact,
    Emit,
    LoadCause,
    LoadOutcome,
    LoadResult,
    Measured,
    Say,
)
from workloads.copy.job import CopyJob, check
from workloads.copy.run import CopyCounts, CopyRun
from workloads.guard.file_guard import FileGuard
from workloads.guard.load_guard import LoadGuard
from workloads.kept import Kept, counts_artefact
from workloads.process_io import transfer_channels, transfer_reading
from workloads.target.scratch_check import shortage_in
from workloads.tool_ended import Quiet

PERIOD_NS = SECOND // 4
STUCK_S = 30.0
"""A copy that moves nothing for so long is told of."""

# A read or write in the kernel cannot be interrupted; a slow disk ends it in seconds.
_GRACE_S = 10.0


class FileCopy:
    """One file copy step.

    The copier runs on its own thread; the calling thread watches over it. Copies
    go into a new folder, which is removed afterwards, so nothing is overwritten.
    """

    name = driver = "copy"

    def __init__(self, job: CopyJob, guard: LoadGuard | None = None) -> None:
        self.job = job
        self._guard: LoadGuard = guard or FileGuard([job.scratch])
        self.channels = transfer_channels(self.name, PERIOD_NS)

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> LoadResult:
        """Copy all files, or as often as the runtime lets it.

        Raises:
            BenchError: There is nothing to copy, or it does not fit.
        """
        files, listing = self._files()
        with ExitStack() as ends:
            ends.enter_context(self._guard.hold(say, destroys=True))
            folder = ends.enter_context(self._folder())
            run = CopyRun(self.job, files, folder)
            run.start()
            self._watch(run, emit, say, stop)
            return self._result(run, listing)

    def _folder(self) -> OwnFolder:
        """Make the folder of Bayscope's own that it copies to."""
        target = self.job.target
        try:
            return OwnFolder("bayscope-copy-", target)
        except OSError as error:
            raise BenchError(
                f"nothing can be written there: {plain_words(error)}",
                where=str(target),
                way_out="Name a folder in target that this user may write to.",
            ) from error

    def _files(self) -> tuple[list[tuple[Path, Path]], str]:
        """List what is copied, and write the list with the size of each."""
        source, target = self.job.source, self.job.target
        try:
            files = list_files(source)
            sizes = [path.stat().st_size for path, _ in files]
        except OSError as error:
            raise BenchError(
                f"it cannot be copied: {plain_words(error)}",
                where=str(error.filename or source),
                way_out="Name a file or folder that is there in source.",
            ) from error
        total = sum(sizes)
        if not total:
            raise BenchError("there is nothing to copy in it", where=str(source))
        if not target.is_dir():
            raise BenchError(
                "there is no such folder",
                where=str(target),
                way_out="Make it, or name another one in target.",
            )
        if shortage := shortage_in(target, total):
            raise BenchError(
                f"{describe_size(total)} do not fit: {shortage}",
                where=str(target),
                way_out="Name a folder on a larger disk in target.",
            )
        named = zip(files, sizes, strict=True)
        return files, "".join(f"{path}\t{size}\n" for (path, _), size in named)

    def _watch(self, run: CopyRun, emit: Emit, say: Say, stop: threading.Event) -> None:
        """Tell what is done, four times a second, until the copier has ended."""
        last, last_ns = CopyCounts(), run.began_ns
        moved_s, quiet = time.monotonic(), Quiet("the copy", say, STUCK_S)
        deadline = run.began_ns + round((self.job.ramp_s + self.job.runtime_s) * SECOND)
        while run.is_alive():
            run.join(PERIOD_NS / SECOND)
            now, counts = monotonic_ns(), run.copier.counts
            # Over less than half a period a rate says little; the end has to be told.
            if now - last_ns >= PERIOD_NS // 2 or not run.is_alive():
                change = _transfers(counts).since(_transfers(last))
                emit(transfer_reading(self.channels, change, last_ns, now))
                self._guard.count(change.written_bytes)
                if change.read_bytes or change.written_bytes:
                    moved_s = time.monotonic()
                last, last_ns = counts, now
            spent = self._guard.spent()
            run.end(stopped=stop.is_set(), over=now >= deadline, spent=spent)
            quiet.check(moved_s)
            if run.ending_for_s > _GRACE_S and time.monotonic() - moved_s > _GRACE_S:
                return

    def _result(self, run: CopyRun, listing: str) -> LoadResult:
        end = run.judge()
        kept: tuple[Artefact, ...] = (
            Artefact("copied-files.txt", "text/plain", listing.encode()),
        )
        window = run.window
        values = {}
        if window is not None and end.cause is not LoadCause.STOPPED:
            ways, done = _ways_of_device(self.job), run.measured
            values = values_of(done, window, ways, self.job.checked)
            kept = (*kept, counts_artefact({"device": ways, **done._asdict()}))
        return end.result(window, values, kept)


def list_files(source: Path) -> list[tuple[Path, Path]]:
    """List a file, or the files of a folder with their names below it, sorted.

    Links, and everything that is not a plain file, are excluded.

    Raises:
        OSError: It is not there or cannot be listed.
    """
    if not source.is_dir():
        if not source.is_file():
            raise FileNotFoundError(
                errno.ENOENT, "there is no such file or folder", str(source)
            )
        return [(source, Path(source.name))]

    # By itself os.walk passes over folders that it cannot list.
    def complain(error: OSError) -> None:
        raise error

    paths = [
        Path(folder) / name
        for folder, _, names in os.walk(source, onerror=complain)
        for name in names
    ]
    plain = [path for path in sorted(paths) if not path.is_symlink() and path.is_file()]
    return [(path, path.relative_to(source)) for path in plain]


def table_values(counts: CopyCounts, window: tuple[int, int]) -> dict[str, Measured]:
    """Get the results: what was copied over the window, fsync included.

    The rates of calls are over the time spent in calls that read, and in those that
    write with fsync; they show which side of a copy is the slower one.
    """
    seconds = (window[1] - window[0]) / SECOND
    origin = "the copier's counts, fsync included"
    results = {
        "bandwidth_mb_s": counts.written_bytes / seconds / 1e6,
        "read_mb_s": counts.read_bytes / seconds / 1e6,
        "write_mb_s": counts.written_bytes / seconds / 1e6,
    }
    if counts.read_s > 0:
        results["read_calls_mb_s"] = counts.read_bytes / counts.read_s / 1e6
    if (write_s := counts.write_s + counts.sync_s) > 0:
        results["write_calls_mb_s"] = counts.written_bytes / write_s / 1e6
    values = {name: Measured(value, "MB/s", origin) for name, value in results.items()}
    values["fsync_s"] = Measured(counts.sync_s, "s", origin)
    values["files"] = Measured(float(counts.files), "", origin)
    return values


def values_of(
    counts: CopyCounts, window: tuple[int, int], ways: Sequence[str], options: Settings
) -> dict[str, Measured]:
    """Get all results of a copy.

    Args:
        counts: What was done in the window.
        window: The measured window.
        ways: Which of "read" and "write" use the device of the scratch file.
        options: Its options.
    """
    values = table_values(counts, window)
    values["buffered"] = Measured(float(not options.flag("direct")), "", "direct")
    moved = {"read": counts.read_bytes, "write": counts.written_bytes}
    return values | {
        f"engine_{way}_bytes": Measured(float(moved[way]), "B", "the copier's counts")
        for way in ways
    }


def _ways_of_device(job: CopyJob) -> list[str]:
    """Tell what goes to and from the device of the scratch file, and no other."""
    device = device_beneath(job.scratch)
    places = {"read": job.source, "write": job.target}
    return [
        way
        for way, place in places.items()
        if device is not None and device_beneath(place) == device
    ]


def _transfers(counts: CopyCounts) -> Transfers:
    return Transfers(
        counts.reads, counts.writes, counts.read_bytes, counts.written_bytes
    )


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; none where its counts were not kept.

    Raises:
        ValueError: These are damaged.
    """
    if (counts := kept.counts) is None:
        return LoadResult(LoadOutcome.DONE)
    try:
        ways = [way for way in ("read", "write") if way in counts["device"]]
        numbers = {name: counts[name] + 0 for name in CopyCounts._fields}
    except (KeyError, TypeError) as error:
        raise ValueError("its counts are damaged") from error
    options = check(kept.options)
    values = values_of(CopyCounts(**numbers), kept.window, ways, options)
    return LoadResult(LoadOutcome.DONE, values=values)
