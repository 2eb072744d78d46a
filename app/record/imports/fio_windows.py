"""The rows of a fio log as windows on a grid, those without I/O among them.

A row's time is the end of its window. Windows without I/O are absent from the file,
and inside the run they are measured: zero I/Os, no latency. On a busy machine fio looks
late, and a row stands for all the time since the one before it (`__add_samples` in its
stat.c). Logs of latency tell the two apart: their rows come with I/Os.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from app.record.imports.found import MS, Floats, FoundTrace, Times
from instruments.errors import BadInput
from workloads.fio.read.logs import DIRECTIONS, EPOCH_MS, Log

PER_IO_MS = 100
"""The window into which logs with one row an I/O are gathered."""

_DRIFT = 0.1
"""Share of a window that two may lack together and still be two: fio looks when 1 ms of
one is left. What is shorter is one window of which fio was late."""

_JITTER_MS = 2
"""An I/O so short after a row may have been counted in it."""

_MOST_EMPTY = 2**22
"""Windows without a row that may lie in a log: five days of 100 ms. Judged."""

_SAME_END = 0.1
"""Share of a cell by which jobs that end together may differ. Judged."""

KIB = 1024
"""What fio counts bandwidth in."""
_UNITS = {"bw": "B/s", "iops": "1/s", "lat": "s", "clat": "s", "slat": "s"}


def io_moments(logs: Iterable[tuple[str, Log]]) -> Mapping[int, Times]:
    """Get moments in ms at which a job ended I/Os, by direction, from its latencies."""
    of_ios = [log for kind, log in logs if kind in ("lat", "clat")]
    return {
        number: np.sort(np.concatenate(found))
        for number in range(len(DIRECTIONS))
        if (found := [of_io.times_ms[of_io.directions == number] for of_io in of_ios])
    }


def windows_of(
    log: Log,
    kind: str,
    *,
    location: str,
    us_latency: bool,
    end_ms: int | None,
    period_ms: int | None,
    moments: Mapping[int, Times] | None = None,
) -> list[FoundTrace]:
    """Make one trace for each direction of a log.

    Args:
        log: The log.
        kind: What is in it, such as "bw".
        location: Of its channels, "" for the whole run.
        us_latency: Whether latencies are in us, as before 2.99, and not in ns.
        end_ms: End of the run on the log's clock, None where it is not known.
        period_ms: What fio was told that a row is averaged over, None where it is not
            known and the rows have to tell.
        moments: Those of `io_moments` of its job.

    Raises:
        BadInput: Far more windows lie between two rows than any run has; names the row.
    """
    traces = []
    for number in np.unique(log.directions):
        chosen = log.directions == number
        times, values = log.times_ms[chosen], log.values[chosen]
        period = period_ms or period_of(times)
        period = period if log.is_averaged else PER_IO_MS
        _check_span(log, np.flatnonzero(chosen), period)
        if kind == "bw":
            values = values * KIB
        elif kind != "iops":
            values = values / (1e6 if us_latency else 1e9)
        if log.is_averaged:
            own = (moments or {}).get(int(number))
            starts, ends, values = _filled(
                times, values, kind, end_ms, own, period=period
            )
        else:
            sizes = log.sizes[chosen]
            starts, ends, values = _gathered(times, values, sizes, kind, end_ms)
        quantity = (f"{DIRECTIONS[int(number)]}_{kind}", _UNITS[kind], location)
        traces.append(
            FoundTrace(
                (quantity,), period * MS, period * MS, starts, ends, values[:, None]
            )
        )
    return traces


def period_of(times_ms: Times) -> int:
    """Guess the length of the windows: the least that lies between two rows.

    Rows are windows or whole numbers of them apart. One in twenty may be nearer,
    behind a row of which fio was late.
    """
    steps = np.diff(np.sort(times_ms))
    steps = steps[steps > 0]
    if not steps.size:
        return max(1, int(times_ms[0]))
    least = np.quantile(steps, 0.05, method="lower")
    return int(np.median(steps[steps < 1.5 * least]))


def _check_span(log: Log, rows: Times, period: int) -> None:
    """Refuse rows so far apart that the windows between them fill the memory."""
    times = log.times_ms[rows]
    order = np.argsort(times, kind="stable")
    first = times[order[0]] if log.has_epoch else 0
    steps = np.diff(times[order], prepend=first)
    if steps.sum() // period <= len(rows) + _MOST_EMPTY:
        return
    most = int(np.argmax(steps))
    raise BadInput(
        f"{steps[most] / 1000:.0f} s pass before this row, a window has {period} ms",
        where=f"{log.name}, line {rows[order[most]] + 1}",
        way_out="No load pauses for so long; exclude the log, or the rows from here.",
    )


def _filled(
    times: Times,
    values: Floats,
    kind: str,
    end_ms: int | None,
    moments: Times | None,
    *,
    period: int,
) -> tuple[Times, Times, Floats]:
    """Put windows without I/O where rows are absent."""
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    is_rate = kind in ("bw", "iops")
    idle = 0.0 if is_rate else np.nan
    begin = 0 if times[0] < EPOCH_MS else times[0] - period
    edges = np.concatenate(([begin], times))
    known = moments if is_rate and moments is not None else times[:0]
    is_lost = known.size > 0 and known[-1] >= times[-1] + _JITTER_MS
    if end_ms is not None and end_ms - times[-1] > 1.5 * period and not is_lost:
        # fio loses the last window that is not full; full ones were without I/O.
        edges = np.append(edges, end_ms - (end_ms - times[-1]) % period)
        values = np.append(values, idle)
    pieces = np.maximum(1, np.floor(np.diff(edges) / period + _DRIFT).astype(np.int64))
    last = np.cumsum(pieces) - 1
    row = np.repeat(np.arange(len(pieces)), pieces)
    ends = edges[row + 1] - period * (last[row] - np.arange(len(row)))
    starts = np.concatenate(([begin], ends[:-1]))
    filled = np.full(len(row), idle)
    filled[last] = values
    if known.size:
        for number in np.flatnonzero(pieces > 1):
            own = slice(last[number] + 1 - pieces[number], last[number] + 1)
            _spread(starts[own], ends[own], filled[own], known, period)
    return starts * MS, ends * MS, filled


def _spread(
    starts: Times, ends: Times, values: Floats, moments: Times, period: int
) -> None:
    """Spread what the last of some windows counted over those in which I/Os ended.

    An I/O without a row was counted in the next one, which then stands for all of them.
    """
    first, end = np.searchsorted(moments, (starts[0] + _JITTER_MS, starts[-1]))
    if first == end:
        return
    seen = moments[first : np.searchsorted(moments, ends[-1])]
    # A row of latencies comes with the first I/O after its window: those that ended
    # in the window behind it have none.
    is_busy = np.searchsorted(seen, starts - period, "right") < np.searchsorted(
        seen, ends
    )
    counted = values[-1] * (ends[-1] - starts[is_busy][0])
    values[:] = np.where(is_busy, counted / (ends - starts)[is_busy].sum(), 0.0)


def _gathered(
    times: Times, values: Floats, sizes: Times, kind: str, end_ms: int | None
) -> tuple[Times, Times, Floats]:
    """Gather rows of single I/Os: counts and bytes a second, mean latencies.

    Each I/O has its row: where there is none until the end of the run, none was.
    """
    period = PER_IO_MS
    begin = 0 if times[0] < EPOCH_MS else int(times.min()) // period * period
    whole = int(times.max()) // period * period + period - begin
    if end_ms is not None:
        whole = max(end_ms, int(times.max()) + 1) - begin
    # What is left of the run is a window if it is more than half of one.
    count = max(1, (whole + period // 2) // period)
    edges = begin + period * np.arange(count + 1, dtype=np.int64)
    edges[-1] = begin + whole
    seconds = np.diff(edges) / 1000
    cells = np.minimum((times - begin) // period, count - 1)
    number = np.bincount(cells, minlength=count).astype(np.float64)
    if kind == "iops":
        found = number / seconds
    elif kind == "bw":
        found = np.bincount(cells, weights=sizes, minlength=count) / seconds
    else:
        sums = np.bincount(cells, weights=values, minlength=count)
        with np.errstate(invalid="ignore"):
            found = sums / number
    return edges[:-1] * MS, edges[1:] * MS, found


def total_traces(traces: Sequence[FoundTrace]) -> list[FoundTrace]:
    """Add up the rates of all jobs, on the grid of the slowest of them."""
    groups: dict[tuple[str, str], list[FoundTrace]] = {}
    for trace in traces:
        quantity, unit, _ = trace.quantities[0]
        if unit in ("B/s", "1/s"):
            groups.setdefault((quantity, unit), []).append(trace)
    found = []
    for (quantity, unit), parts in groups.items():
        period = max(part.period_ns for part in parts)
        edges = grid_of(parts, period)
        if edges[-1] <= edges[0]:
            continue
        total = np.zeros(len(edges) - 1)
        for part in parts:
            total += amounts(part, edges) / (np.diff(edges) / 1e9)
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


def grid_of(parts: Sequence[FoundTrace], period: int) -> Times:
    """Lay cells of a length over all that traces cover: their edges, in ns.

    What is left at the end of the first to end belongs to its last cell, or is one if
    it is more than half of one. Those that ran as long but for a window that fio lost
    end with an edge each: no I/O that fio logged is lost, and no cell is told of which
    a job has only a part.

    Raises:
        BadInput: They lie far further apart than any run has windows.
    """
    begin = min(int(part.starts[0]) for part in parts)
    ends = sorted({int(part.ends[-1]) for part in parts})
    whole = ends[-1] - begin
    if whole // period > sum(len(part.starts) for part in parts) + _MOST_EMPTY:
        raise BadInput(
            f"its logs of {parts[0].quantities[0][0]} lie {whole / 1e9:.0f} s apart: "
            "they are not of one load",
            where="logs of fio",
            way_out="Import the logs of each run separately.",
        )
    first, *more = [end for end in ends if 2 * (ends[-1] - end) < 3 * period]
    count = max(1, (first - begin + period // 2) // period)
    edges = [*(begin + period * np.arange(count, dtype=np.int64)), first]
    for end in more:
        if end - edges[-1] > _SAME_END * period:
            edges.append(end)
        else:
            edges[-1] = end
    return np.array(edges, np.int64)


def amounts(part: FoundTrace, edges: np.ndarray) -> np.ndarray:
    """Integrate a rate over each cell of a grid, whose edges are in ns."""
    lengths = (part.ends - part.starts) / 1e9
    done = np.concatenate(([0.0], np.cumsum(part.values[:, 0] * lengths)))
    known = np.concatenate((part.starts[:1], part.ends))
    return np.diff(np.interp(edges, known, done))
