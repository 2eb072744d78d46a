"""The logs of the fios on load hosts, on our clock: windows and fine traces.

A row of a log is the end of its window, on the monotonic clock of its host; a window
without I/O between two rows is measured zero I/O, and has no row. No window is shorter
than asked for, but a busy host makes it longer: where two rows are too near for another
window between them, the second one's is all of that time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from instruments.errors import BadInput
from instruments.reading import Channel, Reading, Status
from workloads.fio_fine import fits
from workloads.fio_job import FineLogs, FioJob
from workloads.fio_live import MOST_LIVE
from workloads.fio_logs import DIRECTIONS, Log, log_name, read_log
from workloads.hosts.host_live import place

_CHOICES = (
    (250, ("iops", "bw")),
    (1000, ("iops", "bw")),
    (1000, ("iops",)),
    (10_000, ("iops",)),
)
"""Windows in ms and kinds of logs; fio keeps all of them in memory to its end."""

SOURCE = "fio_log"
CELL_NS = _CHOICES[0][0] * 1_000_000
_SLACK_MS = 2
"""How much shorter than asked for a window may be: fio's slack, and rounding."""

_KINDS = {"iops": ("iops", "1/s", 1.0), "bw": ("bw", "B/s", 1024.0)}

Track = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""Times in ns, and what was moved until then."""


@dataclass(frozen=True, slots=True)
class HostLogs:
    """What one host logged.

    Attributes:
        start_ns: Start of the first window of any of its jobs, on its own clock.
        end_ns: End of the last one.
        totals: By device ("" where it has no job of its own) and quantity, such as
            "read_iops".
    """

    start_ns: int
    end_ns: int
    totals: Mapping[tuple[str, str], Sequence[Track]]

    def tracks(self, quantity: str, device: str | None = None) -> list[Track]:
        """Get the tracks of all devices, or of one."""
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
    wanted = [FineLogs(period, kinds, host, clock) for period, kinds in _CHOICES]
    chosen = next((logs for logs in wanted if fits(job, logs)), wanted[-1])
    return replace(job, logs=chosen)


def read_logs(files: Mapping[str, bytes], host: str, job: FioJob) -> HostLogs | None:
    """Read the logs of a host; None where there are none.

    Args:
        files: Their content by the names of the files, and perhaps other files.
        host: The name of the host.
        job: Its job, with logs.
    """
    window_ms = job.logs.period_ms if job.logs is not None else _CHOICES[0][0]
    totals: dict[tuple[str, str], list[Track]] = {}
    starts, ends = [], []
    for path in sorted(files):
        name = log_name(PurePath(path))
        if name is None or name.run != host or name.kind not in _KINDS:
            continue
        try:
            log = read_log(files[path], path)
        except BadInput:
            continue
        device = job.device_of(name.job)
        starts.append(int(log.times_ms[0]) - window_ms)
        ends.append(int(log.times_ms[-1]))
        what, _, scale = _KINDS[name.kind]
        for number, direction in enumerate(DIRECTIONS[:2]):
            track = _track(log, number, scale, window_ms)
            if track is not None:
                key = (device, f"{direction}_{what}")
                totals.setdefault(key, []).append(track)
    if not starts:
        return None
    return HostLogs(min(starts) * 1_000_000, max(ends) * 1_000_000, totals)


def _track(log: Log, direction: int, scale: float, window_ms: int) -> Track | None:
    """Make a running total of the rows of a direction, which straight lines join."""
    rows = log.directions == direction
    if not rows.any():
        return None
    ends = log.times_ms[rows].astype(np.float64)
    begins = ends - window_ms
    no_other = np.diff(ends) < 2 * (window_ms - _SLACK_MS)
    begins[1:] = np.where(no_other, ends[:-1], begins[1:])
    lengths = np.maximum(ends - begins, 0.0) / 1000
    moved = np.cumsum(log.values[rows] * scale * lengths)
    before = np.concatenate(([0.0], moved[:-1]))
    times = np.column_stack((begins, ends)).ravel() * 1e6
    return times, np.column_stack((before, moved)).ravel()


def log_channels(
    jobs: Mapping[str, FioJob], directions: Sequence[str]
) -> tuple[Channel, ...]:
    """Get the channels of the sum, of each host, and of its devices if they are few.

    Args:
        jobs: The job of each host.
        directions: Which of "read" and "write" the load does.
    """
    devices = [place(host, one) for host, job in jobs.items() for one in job.devices]
    shown = devices if len(devices) <= MOST_LIVE else []
    return tuple(
        Channel(SOURCE, f"{d}_{what}", unit, where, CELL_NS, window_ns=CELL_NS)
        for where in ("", *jobs, *shown)
        for d in directions
        for what, unit, _ in _KINDS.values()
    )


def log_readings(
    logs: Mapping[str, HostLogs],
    offsets: Mapping[str, int],
    window: tuple[int, int],
    channels: Sequence[Channel],
) -> list[Reading]:
    """Make readings of all logs, on a common grid over a window of our clock.

    Args:
        logs: By host; those that were lost have none, and are gaps.
        offsets: What to add to the clock of each to have ours, in ns.
        window: Start and end of the grid.
        channels: As `log_channels` makes them.
    """
    count = max(0, (window[1] - window[0]) // CELL_NS)
    edges = window[0] + np.arange(count + 1) * CELL_NS
    rates: dict[tuple[str, str], npt.NDArray[np.float64]] = {}
    for host, log in logs.items():
        there = (edges - offsets[host]).astype(np.float64)
        for quantity in {quantity for _, quantity in log.totals}:
            rates[host, quantity] = _rate(log.tracks(quantity), there)
        for device, quantity in log.totals:
            if device:
                own = log.tracks(quantity, device)
                rates[place(host, device), quantity] = _rate(own, there)
    for quantity in {quantity for _, quantity in rates}:
        parts = [rates[host, quantity] for host in logs if (host, quantity) in rates]
        rates["", quantity] = np.sum(parts, axis=0)
    table = [rates.get((c.location, c.quantity)) for c in channels]
    statuses = tuple(Status.ABSENT if one is None else Status.OK for one in table)
    return [
        Reading(
            tuple(channels),
            int(edges[n]),
            int(edges[n + 1]),
            tuple(float("nan") if one is None else float(one[n]) for one in table),
            statuses,
        )
        for n in range(count)
    ]


def _rate(
    tracks: Sequence[Track], edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Get the rate of several tracks together, in each cell of a grid."""
    total = np.sum([np.interp(edges, *track) for track in tracks], axis=0)
    found: npt.NDArray[np.float64] = np.diff(total) / (CELL_NS / 1e9)
    return found
