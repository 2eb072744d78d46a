"""The rows of a fio log as windows on a grid, those without I/O among them.

A row's time is the end of its window. Windows without I/O are absent from the file,
and inside the run they are measured: zero I/Os, no latency.
"""

from collections.abc import Sequence

import numpy as np

from app.record.imports.found import MS, Floats, FoundTrace, Times
from workloads.fio_logs import DIRECTIONS, EPOCH_MS, Log

PER_IO_MS = 100
"""The window into which logs with one row an I/O are gathered."""

_DRIFT = 0.1
"""Share of a window by which a row may be late and its window still be one."""

_KIB = 1024
_UNITS = {"bw": "B/s", "iops": "1/s", "lat": "s", "clat": "s", "slat": "s"}


def windows_of(
    log: Log, kind: str, *, location: str, us_latency: bool, end_ms: int | None
) -> list[FoundTrace]:
    """Make one trace for each direction of a log.

    Args:
        log: The log.
        kind: What is in it, such as "bw".
        location: Of its channels, "" for the whole run.
        us_latency: Whether latencies are in us, as before 2.99, and not in ns.
        end_ms: End of the run on the log's clock, None where it is not known.
    """
    found = []
    for number in np.unique(log.directions):
        chosen = log.directions == number
        times, values = log.times_ms[chosen], log.values[chosen]
        if kind == "bw":
            values = values * _KIB
        elif kind != "iops":
            values = values / (1e6 if us_latency else 1e9)
        if log.is_averaged:
            starts, ends, values, period = _filled(times, values, kind, end_ms)
        else:
            sizes = log.sizes[chosen]
            starts, ends, values, period = _gathered(times, values, sizes, kind)
        quantity = (f"{DIRECTIONS[int(number)]}_{kind}", _UNITS[kind], location)
        found.append(
            FoundTrace(
                (quantity,), period * MS, period * MS, starts, ends, values[:, None]
            )
        )
    return found


def period_of(times_ms: Times) -> int:
    """Tell the length of the windows: the middle of what lies between two rows."""
    steps = np.diff(times_ms)
    steps = steps[steps > 0]
    return max(1, int(np.median(steps))) if steps.size else max(1, int(times_ms[0]))


def _filled(
    times: Times, values: Floats, kind: str, end_ms: int | None
) -> tuple[Times, Times, Floats, int]:
    """Put windows without I/O where rows are absent."""
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    period = period_of(times)
    idle = 0.0 if kind in ("bw", "iops") else np.nan
    begin = 0 if times[0] < EPOCH_MS else times[0] - period
    edges = np.concatenate(([begin], times))
    if end_ms is not None and end_ms - times[-1] > 1.5 * period:
        # fio loses the last window that is not full; full ones were without I/O.
        edges = np.append(edges, end_ms - (end_ms - times[-1]) % period)
        values = np.append(values, idle)
    whole = np.round(np.diff(edges) / period - _DRIFT).astype(np.int64)
    absent = np.maximum(0, whole - 1)
    pieces = absent + 1
    row = np.repeat(np.arange(len(pieces)), pieces)
    place = np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    ends = edges[row + 1] - period * (absent[row] - place)
    starts = np.concatenate(([begin], ends[:-1]))
    filled = np.where(place == absent[row], values[row], idle)
    return starts * MS, ends * MS, filled, period


def _gathered(
    times: Times, values: Floats, sizes: Times, kind: str
) -> tuple[Times, Times, Floats, int]:
    """Gather rows of single I/Os: counts and bytes a second, mean latencies."""
    period = PER_IO_MS
    cells = times // period
    first, count = int(cells.min()), int(cells.max() - cells.min()) + 1
    cells = cells - first
    number = np.bincount(cells, minlength=count).astype(np.float64)
    if kind == "iops":
        found = number * 1000 / period
    elif kind == "bw":
        found = np.bincount(cells, weights=sizes, minlength=count) * 1000 / period
    else:
        sums = np.bincount(cells, weights=values, minlength=count)
        with np.errstate(invalid="ignore"):
            found = sums / number
    starts = (np.arange(count, dtype=np.int64) + first) * period * MS
    return starts, starts + period * MS, found, period


def sums_of(traces: Sequence[FoundTrace]) -> list[FoundTrace]:
    """Add up the rates of all jobs, on the grid of the slowest of them."""
    groups: dict[tuple[str, str], list[FoundTrace]] = {}
    for trace in traces:
        quantity, unit, _ = trace.quantities[0]
        if unit in ("B/s", "1/s"):
            groups.setdefault((quantity, unit), []).append(trace)
    found = []
    for (quantity, unit), parts in groups.items():
        period = max(part.period_ns for part in parts)
        begin = min(int(part.starts[0]) for part in parts)
        end = max(int(part.ends[-1]) for part in parts)
        edges = np.arange(begin, end + 1, period, dtype=np.int64)
        if len(edges) < 2:
            continue
        total = np.zeros(len(edges) - 1)
        for part in parts:
            total += amounts(part, edges) / (period / 1e9)
        found.append(
            FoundTrace(
                ((quantity, unit, ""),),
                period,
                period,
                edges[:-1],
                edges[1:],
                total[:, None],
            )
        )
    return found


def amounts(part: FoundTrace, edges: np.ndarray) -> np.ndarray:
    """Integrate a rate over each cell of a grid, whose edges are in ns."""
    lengths = (part.ends - part.starts) / 1e9
    done = np.concatenate(([0.0], np.cumsum(part.values[:, 0] * lengths)))
    known = np.concatenate((part.starts[:1], part.ends))
    return np.diff(np.interp(edges, known, done))
