"""fio's fine logs of devices that have a job each, on one grid for all of them."""

from collections.abc import Sequence

import numpy as np

from app.record.imports.fio_windows import amounts, windows_of
from app.record.imports.found import MS, Floats, FoundTrace
from workloads.fio_fine import FineLog
from workloads.fio_live import MOST_LIVE

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
    parts: dict[tuple[str, str, str], list[FoundTrace]] = {}
    for one in logs:
        if one.name.kind not in _KINDS or not one.device:
            continue
        own = windows_of(
            one.log, one.name.kind, location=one.device, us_latency=False, end_ms=None
        )
        for trace in own:
            parts.setdefault(trace.quantities[0], []).append(trace)
    every = [trace for group in parts.values() for trace in group]
    begin = min(int(trace.starts[0]) for trace in every)
    end = max(int(trace.ends[-1]) for trace in every)
    edges = np.arange(begin, end + 1, CELL_NS, dtype=np.int64)
    if len(edges) < 2:
        return []
    keys = sorted(parts, key=lambda key: (key[2], key[0]))
    columns = [_rate(parts[key], edges) for key in keys]
    values = np.column_stack(columns)
    return [FoundTrace(tuple(keys), CELL_NS, CELL_NS, edges[:-1], edges[1:], values)]


def _rate(traces: Sequence[FoundTrace], edges: np.ndarray) -> Floats:
    """Sum the rates of a device's jobs in each cell.

    Cells that they fill only in part, at the begin and the end, are a gap: divided by
    the whole cell they would tell a rate that was not.
    """
    found: Floats = np.sum([amounts(one, edges) for one in traces], axis=0)
    found = found / (CELL_NS / 1e9)
    first = min(int(one.starts[0]) for one in traces)
    last = max(int(one.ends[-1]) for one in traces)
    found[(edges[:-1] < first) | (edges[1:] > last)] = np.nan
    return found
