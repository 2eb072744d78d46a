"""The logs of all load hosts as readings on one grid of our clock.

The grid is as coarse as the longest window of any host's rows, so that no value tells
of less time than was measured. Where a log does not reach there is a gap, and none of
its channels is zero for lack of rows; the sum is one of all hosts, or a gap.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from instruments.reading import SECOND, Channel, Reading, Status
from workloads.fio.live import MOST_LIVE
from workloads.fio_job import FioJob
from workloads.guard.load_guard import Say
from workloads.hosts.clocks import ClockPair
from workloads.hosts.host_live import place
from workloads.hosts.host_logs import HostLogs, logs_of

SOURCE = "fio_log"
_UNITS = {"iops": "1/s", "bw": "B/s"}
_ROUNDING_NS = 2_000_000
"""Rows are stamped in ms, and one at either end of a log is rounded."""

_APART_NS = SECOND * 3 // 2
"""How far a log may reach beyond the window that the documents of its host tell."""

_UNTOLD = "fio's logs of this load do not tell it"

Rates = npt.NDArray[np.float64]


def cell_ns(jobs: Mapping[str, FioJob]) -> int:
    """Get the length of a cell of the grid: the longest window of any host's rows."""
    return max(logs_of(job).period_ms for job in jobs.values()) * 1_000_000


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
    cell = cell_ns(jobs)
    return tuple(
        Channel(SOURCE, f"{d}_{what}", unit, where, cell, window_ns=cell)
        for where in ("", *jobs, *shown)
        for d in directions
        for what, unit in _UNITS.items()
    )


def log_readings(
    logs: Mapping[str, HostLogs],
    offsets: Mapping[str, int],
    window: tuple[int, int],
    channels: Sequence[Channel],
    hosts: Sequence[str],
) -> list[Reading]:
    """Make readings of all logs, on a common grid over a window of our clock.

    Args:
        logs: By host.
        offsets: What to add to the clock of each to have ours, in ns.
        window: Start and end of the grid, which begins with the first row in it.
        channels: As `log_channels` makes them.
        hosts: All that the sum is of; there is none where one has no logs.
    """
    cell = channels[0].period_ns
    edges = _edges(logs, offsets, window, cell)
    rates: dict[tuple[str, str], Rates] = {}
    for host, log in logs.items():
        there = (edges - offsets[host]).astype(np.float64)
        for device, quantity in log.totals:
            for where in (None, device) if device else (None,):
                found = _rate(log, quantity, where, there)
                if found is not None:
                    rates[place(host, where or ""), quantity] = found
    for quantity in {quantity for _, quantity in rates}:
        parts = [rates.get((host, quantity)) for host in hosts]
        known = [one for one in parts if one is not None]
        if known and len(known) == len(parts):
            rates["", quantity] = np.sum(known, axis=0)
    table = [rates.get((c.location, c.quantity)) for c in channels]
    return [
        _reading(channels, int(edges[n]), int(edges[n + 1]), table, n)
        for n in range(len(edges) - 1)
    ]


def in_place(
    logs: Mapping[str, HostLogs],
    clocks: Mapping[str, ClockPair],
    windows: Mapping[str, tuple[int, int] | None],
    say: Say,
) -> dict[str, HostLogs]:
    """Leave out logs that cannot be placed: the clock of their host jumped.

    Args:
        logs: By host.
        clocks: The clock that stamped each.
        windows: When each host measured, as its documents tell.
        say: Is told of those that are left out.
    """
    found = {}
    for host, log in logs.items():
        clock, window = clocks[host], windows.get(host)
        if window is None or (
            abs(clock.drift_ns or 0) <= _APART_NS
            and log.start_ns + clock.ns >= window[0] - _APART_NS
            and log.end_ns + clock.ns <= window[1] + _APART_NS
        ):
            found[host] = log
        else:
            told = "its clock jumped, so that fio's logs cannot be placed: left out"
            say("warning", f"{host}: {told}")
    return found


def _edges(
    logs: Mapping[str, HostLogs],
    offsets: Mapping[str, int],
    window: tuple[int, int],
    cell: int,
) -> npt.NDArray[np.int64]:
    """Get the edges of the cells that are whole in the window and in some log."""
    starts = [log.start_ns + offsets[host] for host, log in logs.items()]
    ends = [log.end_ns + offsets[host] for host, log in logs.items()]
    # A row is not cut in two for the little that a log begins late.
    start = max([window[0], *(one for one in starts if one < window[0] + cell)])
    end = min(window[1], max(ends, default=window[0]))
    count = max(0, (end + _ROUNDING_NS - start) // cell)
    return start + np.arange(count + 1, dtype=np.int64) * cell


def _rate(
    log: HostLogs, quantity: str, device: str | None, edges: Rates
) -> Rates | None:
    """Get the rate of a host or a device in each cell, NaN where its logs are silent.

    Returns:
        None where they do not tell the quantity at all.
    """
    tracks = log.tracks(quantity, device)
    if not tracks:
        return None
    total = np.sum([np.interp(edges, *track) for track in tracks], axis=0)
    found = np.diff(total) / (np.diff(edges) / 1e9)
    end_ns = log.ends_ns[device or ""]
    is_known = (edges[:-1] >= log.start_ns - _ROUNDING_NS) & (
        edges[1:] <= end_ns + _ROUNDING_NS
    )
    return np.where(is_known, found, np.nan)


def _reading(
    channels: Sequence[Channel],
    start: int,
    end: int,
    table: Sequence[Rates | None],
    number: int,
) -> Reading:
    values, statuses = [], []
    for one in table:
        value = float("nan") if one is None else float(one[number])
        values.append(value)
        if one is None:
            statuses.append(Status.UNSUPPORTED)
        else:
            statuses.append(Status.STALE if np.isnan(value) else Status.OK)
    return Reading(
        tuple(channels), start, end, tuple(values), tuple(statuses), trouble=_UNTOLD
    )
