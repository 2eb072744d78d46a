"""A running file copy: the copier's thread, its measured window, how it ended."""

import errno
import threading
import time
from pathlib import Path

from instruments.reading import SECOND
from instruments.timebase import monotonic_ns
from workloads.base import LoadOutcome
from workloads.copy.copier import Copier
from workloads.copy.job import CopyJob
from workloads.copy.plan import CopyCounts, CopyPlan
from workloads.fio.faults import DEVICE_ERRORS
from workloads.sizes import describe_size

_WAYS_OUT = {
    errno.ENOENT: "; it was there at the start, so leave source and target alone "
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
        self,
        job: CopyJob,
        files: list[tuple[Path, Path]],
        folder: Path,
    ) -> None:
        super().__init__(name="copier", daemon=True)
        options = job.checked
        self._job = job
        self._stop_copy = threading.Event()
        plan = CopyPlan(
            files=files,
            target=folder,
            block=options.size("bs"),
            direct=options.flag("direct"),
            fsync=options.flag("fsync") or job.is_timed,
            sha256=options.text("verify") == "sha256",
            drop_cache=options.flag("drop_cache"),
        )
        self.copier = Copier(plan, self._stop_copy)
        self.began_ns = monotonic_ns()
        self._ended_ns = 0
        self._passes = 0
        self._wrong = ""
        self._cause = ""
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
        """Copy until it is asked to end, or as often as the plan says."""
        wanted = self._job.checked.count("passes")
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

    def end(self, *, stopped: bool, over: bool, spent: str) -> None:
        """Note the end of the ramp, and end the copier where it is time to."""
        now = monotonic_ns()
        if not self._measured_ns and now >= self._ramp_end:
            self._before, self._measured_ns = self.copier.counts, now
        cause = "stopped" if stopped else spent or ("over" if over else "")
        if cause and not self._cause and (stopped or not self._ended_ns):
            self._cause, self._end_asked = cause, time.monotonic()
            self._stop_copy.set()

    def judge(self) -> tuple[LoadOutcome, str]:
        """Judge how it ended; what is complete is decided by counts of bytes."""
        if self._error is not None:
            return self._failed(self._error)
        if self.is_alive():
            return (
                LoadOutcome.FAILED,
                "the copy hangs in the kernel and cannot be ended",
            )
        if self._cause == "stopped":
            return LoadOutcome.STOPPED, "the copy was stopped before its end"
        if self._cause == "over" and not self._job.is_timed:
            done = describe_size(self.copier.counts.written_bytes)
            return LoadOutcome.FAILED, (
                f"only {done} were copied in the runtime of {self._job.runtime_s:g} s; "
                "give a longer runtime"
            )
        if self._cause not in ("", "over"):
            return LoadOutcome.FAILED, f"the copy was ended by the guard: {self._cause}"
        outcome = LoadOutcome.DEVICE_FAILED if self._wrong else LoadOutcome.DONE
        return outcome, self._wrong

    def _failed(self, error: OSError) -> tuple[LoadOutcome, str]:
        told = f"{error.filename or self._job.target}: {error.strerror}"
        if error.errno in DEVICE_ERRORS:
            return LoadOutcome.DEVICE_FAILED, f"I/O error on {told}"
        advice = _WAYS_OUT.get(error.errno or 0, "")
        return LoadOutcome.FAILED, f"the copy failed on {told}{advice}"
