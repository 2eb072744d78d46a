"""The logs that fio's servers sent back, on our clock: windows and fine traces.

A row of a log is the end of its window, on the monotonic clock of its host; a window
without I/O between two rows is measured zero I/O, and has no row. No window is shorter
than asked for, but a busy host makes it longer: where two rows are too near for another
window between them, the second one's is all of that time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from instruments.errors import BadInput
from instruments.reading import Channel, Reading, Status
from workloads.fio_logs import DIRECTIONS, Log, log_name, read_log
from workloads.hosts.server import LOG_MS

SOURCE = "fio_log"
CELL_NS = LOG_MS * 1_000_000
_SLACK_MS = 2
"""How much shorter than asked for a window may be: fio's slack, and rounding."""

_KINDS = {"iops": ("iops", "1/s", 1.0), "bw": ("bw", "B/s", 1024.0)}


@dataclass(frozen=True, slots=True)
class HostLogs:
    """What one host logged.

    Attributes:
        start_ns: Start of the first window of any of its jobs, on its own clock.
        end_ns: End of the last one.
        totals: By quantity, such as "read_iops": times in ns and what was moved until
            then.
    """

    start_ns: int
    end_ns: int
    totals: Mapping[
        str, Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]
    ]


def read_logs(folder: Path, host: str) -> HostLogs | None:
    """Read the logs of a host in the client's folder; None where there are none."""
    totals: dict[
        str, list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]
    ] = {}
    starts, ends = [], []
    for path in sorted(folder.iterdir()):
        name = log_name(path)
        if name is None or name.run != host or name.kind not in _KINDS:
            continue
        try:
            log = read_log(path.read_bytes(), path.name)
        except BadInput:
            continue
        starts.append(int(log.times_ms[0]) - LOG_MS)
        ends.append(int(log.times_ms[-1]))
        what, _, scale = _KINDS[name.kind]
        for number, direction in enumerate(DIRECTIONS[:2]):
            track = _track(log, number, scale)
            if track is not None:
                totals.setdefault(f"{direction}_{what}", []).append(track)
    if not starts:
        return None
    return HostLogs(min(starts) * 1_000_000, max(ends) * 1_000_000, totals)


def _track(
    log: Log, direction: int, scale: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
    """Make a running total of the rows of a direction, which straight lines join."""
    rows = log.directions == direction
    if not rows.any():
        return None
    ends = log.times_ms[rows].astype(np.float64)
    begins = ends - LOG_MS
    no_other = np.diff(ends) < 2 * (LOG_MS - _SLACK_MS)
    begins[1:] = np.where(no_other, ends[:-1], begins[1:])
    lengths = np.maximum(ends - begins, 0.0) / 1000
    moved = np.cumsum(log.values[rows] * scale * lengths)
    before = np.concatenate(([0.0], moved[:-1]))
    times = np.column_stack((begins, ends)).ravel() * 1e6
    return times, np.column_stack((before, moved)).ravel()


def log_channels(
    hosts: Sequence[str], directions: Sequence[str]
) -> tuple[Channel, ...]:
    """Get the channels of the sum and of each host."""
    return tuple(
        Channel(SOURCE, f"{d}_{what}", unit, host, CELL_NS, window_ns=CELL_NS)
        for host in ("", *hosts)
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
        for quantity, tracks in log.totals.items():
            there = (edges - offsets[host]).astype(np.float64)
            total = sum(np.interp(there, *track) for track in tracks)
            rates[host, quantity] = np.diff(total) / (CELL_NS / 1e9)
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
