"""The logs of the fios on load hosts: what each moved, and how far they tell.

A row of a log is the end of its window, on the clock of its host; a window without I/O
between two rows is measured zero I/O, and has no row. After the last row nothing is
known: fio loses the window that is not full at its end. No window is shorter than asked
for, but a busy host makes it longer: where two rows are too near for another window
between them, the second one's is all of that time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from instruments.errors import BadInput
from workloads.fio.fine import fits
from workloads.fio.read.logs import DIRECTIONS, Log, LogName, log_name, read_log
from workloads.fio_job import FineLogs, FioJob

_CHOICES = (
    (250, ("iops", "bw")),
    (1000, ("iops", "bw")),
    (1000, ("iops",)),
    (10_000, ("iops",)),
)
"""Windows in ms and kinds of logs; fio keeps all of them in memory to its end."""

_SLACK_MS = 2
"""How much shorter than asked for a window may be: fio's slack, and rounding."""

_SCALES = {"iops": 1.0, "bw": 1024.0}
"""What a value of each kind of log is multiplied by."""

Track = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""Times in ns, and what was moved until then."""

_NOTHING: Track = (np.zeros(1), np.zeros(1))


@dataclass(frozen=True, slots=True)
class HostLogs:
    """What one host logged, on its own clock.

    Attributes:
        start_ns: Start of the first window of any of its jobs.
        ends_ns: Until when its logs tell, by device; "" is the host.
        totals: By device ("" where it has no job of its own) and quantity, such as
            "read_iops".
        damaged: Logs that cannot be read, by device and kind.
    """

    start_ns: int
    ends_ns: Mapping[str, int]
    totals: Mapping[tuple[str, str], Sequence[Track]]
    damaged: frozenset[tuple[str, str]] = frozenset()

    @property
    def end_ns(self) -> int:
        """Until when the logs of the host tell."""
        return self.ends_ns[""]

    def tracks(self, quantity: str, device: str | None = None) -> list[Track]:
        """Get the tracks of all devices, or of one; none where one is damaged."""
        kind = quantity.rpartition("_")[2]
        if any(what == kind and device in (None, one) for one, what in self.damaged):
            return []
        return [
            track
            for (one, what), tracks in self.totals.items()
            if what == quantity and device in (None, one)
            for track in tracks
        ]


def with_logs(job: FioJob, host: str, *, clock: int) -> FioJob:
    """Let the job of a host write the finest logs that fio can keep in memory.

    There always are some: they tell when a server of fio began to measure.

    Args:
        job: The job.
        host: The name of the host; the files begin with it.
        clock: Number of the clock of their times, as clock_gettime(2) has it.
    """
    return replace(job, logs=_finest(job, host, clock))


def logs_of(job: FioJob) -> FineLogs:
    """Get the logs of the job of a host, those that it will have if it has none yet."""
    return job.logs or _finest(job, "", 0)


def _finest(job: FioJob, host: str, clock: int) -> FineLogs:
    wanted = [FineLogs(period, kinds, host, clock) for period, kinds in _CHOICES]
    return next((logs for logs in wanted if fits(job, logs)), wanted[-1])


def read_logs(files: Mapping[str, bytes], host: str, job: FioJob) -> HostLogs | None:
    """Read the logs of a host; None where there are none."""
    window_ms = logs_of(job).period_ms
    totals: dict[tuple[str, str], list[Track]] = {}
    starts: list[int] = []
    ends: dict[str, list[int]] = {}
    damaged = set()
    for path, name in _of_host(files, host):
        device = job.device_of(name.job)
        try:
            log = read_log(files[path], path)
        except BadInput:
            damaged.add((device, name.kind))
            continue
        starts.append(int(log.times_ms[0]) - window_ms)
        for one in {"", device}:
            ends.setdefault(one, []).append(int(log.times_ms[-1]))
        for direction in job.directions:
            track = _track(
                log, DIRECTIONS.index(direction), _SCALES[name.kind], window_ms
            )
            totals.setdefault((device, f"{direction}_{name.kind}"), []).append(track)
    if not starts:
        return None
    ends_ns = {one: _end(all_, window_ms) * 1_000_000 for one, all_ in ends.items()}
    return HostLogs(min(starts) * 1_000_000, ends_ns, totals, frozenset(damaged))


def _of_host(files: Mapping[str, bytes], host: str) -> Iterator[tuple[str, LogName]]:
    """Yield the logs of a host that are summed; a job without I/O has an empty one."""
    for path in sorted(files):
        name = log_name(PurePath(path))
        if name is None or name.run != host or name.kind not in _SCALES:
            continue
        if files[path].strip():
            yield path, name


def _end(ends_ms: Sequence[int], window_ms: int) -> int:
    """Get until when all jobs tell; one that stopped well before had no more I/O.

    Windows of several jobs end within one window of each other.
    """
    last = max(ends_ms)
    return min(end for end in ends_ms if last - end < 2 * (window_ms - _SLACK_MS))


def _track(log: Log, direction: int, scale: float, window_ms: int) -> Track:
    """Make a running total of the rows of a direction, which straight lines join."""
    rows = log.directions == direction
    if not rows.any():
        return _NOTHING
    ends = log.times_ms[rows].astype(np.float64)
    begins = ends - window_ms
    no_other = np.diff(ends) < 2 * (window_ms - _SLACK_MS)
    begins[1:] = np.where(no_other, ends[:-1], begins[1:])
    lengths = np.maximum(ends - begins, 0.0) / 1000
    moved = np.cumsum(log.values[rows] * scale * lengths)
    before = np.concatenate(([0.0], moved[:-1]))
    times = np.column_stack((begins, ends)).ravel() * 1e6
    return times, np.column_stack((before, moved)).ravel()
