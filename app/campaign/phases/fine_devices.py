"""fio's fine logs of devices that have a job each, on one grid for all of them."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.record.imports.fio_windows import amounts, grid_of, io_moments, windows_of
from app.record.imports.found import MS, Floats, FoundTrace, Times
from workloads.fio.fine import FineLog
from workloads.fio.live import MOST_LIVE
from workloads.fio.read.logs import Log

CELL_NS = 250 * MS
"""Each device has less to tell than all of them, and a session is not to be filled."""

_KINDS = {"iops": "1/s", "bw": "B/s"}


def traces_of_devices(logs: Sequence[FineLog]) -> list[FoundTrace]:
    """Make one trace with a column for each device and rate.

    Args:
        logs: Of all jobs, counted from the start of the load.

    Returns:
        The trace; none where there are no devices, or more than have live channels.
    """
    devices = {one.device for one in logs if one.device}
    if not devices or len(devices) > MOST_LIVE:
        return []
    moments = moments_of_jobs(logs)
    parts: dict[tuple[str, str, str], list[FoundTrace]] = {}
    for one in logs:
        if one.name.kind not in _KINDS or not one.device:
            continue
        own = windows_of(
            one.log,
            one.name.kind,
            location=one.device,
            us_latency=False,
            end_ms=None,
            moments=moments[one.name.job],
        )
        for trace in own:
            parts.setdefault(trace.quantities[0], []).append(trace)
    edges = grid_of([one for group in parts.values() for one in group], CELL_NS)
    keys = sorted(parts, key=lambda key: (key[2], key[0]))
    columns = [_rate(parts[key], edges) for key in keys]
    values = np.column_stack(columns)
    return [FoundTrace(tuple(keys), CELL_NS, CELL_NS, edges[:-1], edges[1:], values)]


def moments_of_jobs(logs: Sequence[FineLog]) -> Mapping[int, Mapping[int, Times]]:
    """Get the moments at which each job ended I/Os, by its number and direction."""
    jobs: dict[int, list[tuple[str, Log]]] = {}
    for one in logs:
        jobs.setdefault(one.name.job, []).append((one.name.kind, one.log))
    return {job: io_moments(own) for job, own in jobs.items()}


def _rate(traces: Sequence[FoundTrace], edges: np.ndarray) -> Floats:
    """Sum the rates of a device's jobs in each cell.

    Cells that they fill only in part, at the begin and the end, are a gap: divided by
    the whole cell they would tell a rate that was not.
    """
    found: Floats = np.sum([amounts(one, edges) for one in traces], axis=0)
    found = found / (np.diff(edges) / 1e9)
    first = min(int(one.starts[0]) for one in traces)
    last = max(int(one.ends[-1]) for one in traces)
    found[(edges[:-1] < first) | (edges[1:] > last)] = np.nan
    return found
