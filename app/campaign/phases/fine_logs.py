"""fio's fine logs join the record after their step, as a separate source."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.record.imports.fio_windows import (
    amounts,
    grid_of,
    io_moments,
    total_traces,
    windows_of,
)
from app.record.imports.found import MS, Floats, FoundTrace, Times
from app.record.recorder import Recorder
from app.record.store import Window, Writer
from instruments.reading import SECOND, Channel, Status
from instruments.timebase import offset_ns
from workloads.base import LoadResult
from workloads.fio.fine import FineLog
from workloads.fio.live import MOST_LIVE, Counted
from workloads.fio.read.logs import Log
from workloads.fio.result import FioResult

CELL_NS = 250 * MS
"""Each device has less to tell than all of them, and a session is not to be filled."""

_NEARLY = 0.9
"""Share of a cell that has to be known: devices do not end in the same millisecond."""

_KINDS = {"iops": "1/s", "bw": "B/s"}


def traces_of_devices(logs: Sequence[FineLog], end_ms: int) -> list[FoundTrace]:
    """Make one trace with a column for each device and rate.

    Args:
        logs: Of all jobs, counted from the start of the load.
        end_ms: End of the load.

    Returns:
        The trace; none where there are no devices, or more than have live channels.
    """
    devices = {log.device for log in logs if log.device}
    if not devices or len(devices) > MOST_LIVE:
        return []
    parts = _by_quantity(logs, end_ms)
    edges = grid_of([one for group in parts.values() for one in group], CELL_NS)
    keys = sorted(parts, key=lambda key: (key[2], key[0]))
    columns = [_rate(parts[key], edges) for key in keys]
    values = np.column_stack(columns)
    return [FoundTrace(tuple(keys), CELL_NS, CELL_NS, edges[:-1], edges[1:], values)]


def _by_quantity(
    logs: Sequence[FineLog], end_ms: int
) -> dict[tuple[str, str, str], list[FoundTrace]]:
    """Get the rates of each job by quantity, unit and device."""
    parts: dict[tuple[str, str, str], list[FoundTrace]] = {}
    moments = moments_of_jobs(logs)
    for rate in logs:
        if rate.device and rate.name.kind in _KINDS:
            for trace in _windows(rate, rate.device, moments, end_ms):
                parts.setdefault(trace.quantities[0], []).append(trace)
    return parts


def _windows(
    one: FineLog, device: str, moments: Mapping[int, Mapping[int, Times]], end_ms: int
) -> list[FoundTrace]:
    return windows_of(
        one.log,
        one.name.kind,
        location=device,
        us_latency=False,
        # fio loses the last window of its averages, and no single I/O.
        end_ms=None if one.period_ms else end_ms,
        period_ms=one.period_ms,
        moments=moments[one.name.job],
    )


def moments_of_jobs(logs: Sequence[FineLog]) -> Mapping[int, Mapping[int, Times]]:
    """Get the moments at which each job ended I/Os, by its number and direction."""
    jobs: dict[int, list[tuple[str, Log]]] = {}
    for log in logs:
        jobs.setdefault(log.name.job, []).append((log.name.kind, log.log))
    return {job: io_moments(own) for job, own in jobs.items()}


def _rate(traces: Sequence[FoundTrace], edges: np.ndarray) -> Floats:
    """Sum the rates of a device's jobs in each cell.

    A cell that they fill only in part, at the begin and the end, is a gap: divided by
    the whole cell they would tell a rate that was not. One they nearly fill tells that
    of the time that they have.
    """
    found: Floats = np.sum([amounts(trace, edges) for trace in traces], axis=0)
    first = min(int(trace.starts[0]) for trace in traces)
    last = max(int(trace.ends[-1]) for trace in traces)
    told = np.minimum(edges[1:], last) - np.maximum(edges[:-1], first)
    is_known = told > _NEARLY * np.diff(edges)
    return np.where(is_known, found / np.where(is_known, told, 1) * 1e9, np.nan)


SOURCE = "fio_log"
"""Charts prefer it to the documents of the load where it has samples."""

NOT_LOGGED = "fio logs no window that is not full at the end of its load"

REFUSED = "fio's averages have other counts of I/Os than its documents"

_APART = 0.5
"""Share by which the counts between two documents may differ. Judged."""

_CLOSE = 0.1
"""Share by which the counts of logs and documents may differ. Judged."""

_SLACK_MS = 1500
"""How far a log may reach beyond the window that the documents tell."""


def join_logs(recorder: Recorder, result: LoadResult) -> None:
    """Store the logs of a load that has ended, summed over its jobs and by device.

    Within its rows a window without I/O is measured: zero. After the last row there
    is a gap: fio loses the window that is not full at its end, and then none ran.
    """
    if not isinstance(result, FioResult) or result.window is None or not result.logs:
        return
    # fio stamps by the kernel's clock, the documents' window is on ours.
    window = (result.window[0] - offset_ns(), result.window[1] - offset_ns())
    placed = _placed(result.logs, window)
    if placed is None:
        told = "fio's logs have other times than its documents and are excluded"
        recorder.event("warning", SOURCE, told)
        return
    logs, is_converted = placed
    if is_converted:
        told = "fio's logs count from the start of the load, which its documents place"
        recorder.event("warning", SOURCE, told)
    end_ms = (window[1] - window[0]) // MS
    whole, start = _summed(logs, end_ms), result.window[0] // MS * MS
    refused: Mapping[str, Sequence[Window]] = {}
    if logs[0].period_ms:  # Of single I/Os there is no doubt.
        refused = refused_stretches(whole, result.counted, start)
        whole = [_without(one, refused) for one in whole]
    if not _agrees(whole, result, refused):
        told = (
            "fio's logs of its rates have other counts of I/Os than its documents, "
            "as they do of a load that pauses, and are excluded"
        )
        recorder.event("warning", SOURCE, told)
        return
    if seconds := sum(b - a for each in refused.values() for a, b in each) / SECOND:
        recorder.event("warning", SOURCE, f"{REFUSED}: a gap of {seconds:.1f} s")
    devices = [
        _without(traces_of_device, refused)
        for traces_of_device in traces_of_devices(logs, end_ms)
    ]
    traces, loaded_ns = [*whole, *devices], result.window[1]

    def store(writer: Writer) -> None:
        writer.introduce_load(SOURCE)
        for trace in traces:
            channels, last = _put(writer, trace, refused, start)
            if last < loaded_ns:
                writer.gap(channels, last, loaded_ns, Status.ABSENT, NOT_LOGGED)
            over, now = max(last, loaded_ns), recorder.clock.monotonic_ns()
            writer.gap(channels, over, now, Status.STANDBY, "no load ran")

    recorder.call(store)


def _put(
    writer: Writer,
    trace: FoundTrace,
    refused: Mapping[str, Sequence[Window]],
    start: int,
) -> tuple[list[Channel], int]:
    """Write a trace with gaps for what is refused; get its channels and its end."""
    channels = [
        Channel(SOURCE, what, unit, where, trace.period_ns, 0, trace.window_ns)
        for what, unit, where in trace.quantities
    ]
    ends = trace.ends + start
    writer.append_trace(channels, trace.starts + start, ends, trace.values)
    for way, stretches in refused.items():
        own = [channel for channel in channels if _way(channel.quantity) == way]
        for a, b in stretches:
            writer.gap(own, a + start, b + start, Status.ABSENT, REFUSED)
    return channels, int(ends[-1])


def _agrees(
    traces: Sequence[FoundTrace],
    result: FioResult,
    refused: Mapping[str, Sequence[Window]],
) -> bool:
    """Whether rates tell of as many I/Os as the results, but for what is refused."""
    start, end = result.window or (0, 0)
    for trace in traces:
        iops = result.values.get(trace.quantities[0][0])
        if iops is None or iops.unit != "1/s":
            continue
        lengths = (trace.ends - trace.starts) / SECOND
        count = float(np.nan_to_num(trace.values[:, 0]) @ lengths)
        done = iops.value * (end - start) / SECOND
        way = _way(trace.quantities[0][0])
        left_out = refused.get(way, ())
        for before, after, ios in result.counted:
            middle = (before + after) // 2 - start
            done -= ios[way] * any(a <= middle < b for a, b in left_out)
        # What ran in the windows at the ends may be lost.
        untold_ns = max(0, end - start - int(trace.ends[-1]))
        untold_ns += 2 * trace.period_ns * (1 + len(left_out))
        lost = iops.value * untold_ns / SECOND
        # fio cuts each row to a whole number.
        cut = float(lengths.sum())
        if not (1 - _CLOSE) * done - lost - cut <= count <= (1 + _CLOSE) * done + lost:
            return False
    return True


def refused_stretches(
    traces: Sequence[FoundTrace], counted: Sequence[Counted], start_ns: int
) -> Mapping[str, Sequence[Window]]:
    """Find where averages tell of I/Os otherwise than fio's documents count them.

    A device that stalls keeps fio from looking, and a row then stands for a time that
    nobody knows. The documents count what was done between their moments, which is
    true however late they come.

    Args:
        traces: Averages over all jobs, counted from the start of the load.
        counted: What the documents counted.
        start_ns: The start of the load.

    Returns:
        Stretches by direction, counted from the start of the load.
    """
    stretches: dict[str, list[Window]] = {}
    for trace in traces:
        name = trace.quantities[0][0]
        if not name.endswith("_iops"):
            continue
        way, cell = _way(name), trace.period_ns
        for begin, end, done in _joined(counted, way, start_ns, 4 * cell):
            if begin < trace.starts[0] or end > trace.ends[-1]:
                continue
            edges = [begin - cell, begin, begin + cell, end - cell, end, end + cell]
            before, first, inside, last, after = amounts(trace, np.array(edges))
            told = first + inside + last
            # fio looks up to a window late, and cuts each row to a whole number.
            over = told - done - first - last
            under = done - told - before - after - (end - begin) / SECOND
            if (not done and inside) or max(over, under) > _APART * done + 1:
                stretches.setdefault(way, []).append((begin, end))
    return stretches


def _joined(
    counted: Sequence[Counted], way: str, start_ns: int, least_ns: int
) -> Iterator[tuple[int, int, int]]:
    """Join documents that came too fast to compare with windows of averages."""
    begin, done = -1, 0
    for before, after, ios in counted:
        begin = before if begin < 0 else begin
        done += ios[way]
        if after - begin >= least_ns:
            yield begin - start_ns, after - start_ns, done
            begin, done = -1, 0


def _without(trace: FoundTrace, refused: Mapping[str, Sequence[Window]]) -> FoundTrace:
    """Leave out the cells of a trace that lie in what is refused."""
    values, middles = trace.values.copy(), (trace.starts + trace.ends) // 2
    for column, (name, _, _) in enumerate(trace.quantities):
        for begin, end in refused.get(_way(name), ()):
            values[(middles >= begin) & (middles < end), column] = np.nan
    return replace(trace, values=values)


def _way(quantity: str) -> str:
    return quantity.partition("_")[0]


def _placed(
    logs: Sequence[FineLog], window: Window
) -> tuple[list[FineLog], bool] | None:
    """Let all logs count from the start of the window; tell whether they did."""
    start, end = window[0] // MS, window[1] // MS
    first = min(int(log.log.times_ms.min()) for log in logs)
    last = max(int(log.log.times_ms.max()) for log in logs)
    if start - _SLACK_MS <= first and last <= end + _SLACK_MS:
        return [_moved(log, start) for log in logs], False
    if last <= end - start + _SLACK_MS:
        return list(logs), True
    return None


def _moved(one: FineLog, start_ms: int) -> FineLog:
    times = np.maximum(1, one.log.times_ms - start_ms)
    return replace(one, log=replace(one.log, times_ms=times))


def _summed(logs: Sequence[FineLog], end_ms: int) -> list[FoundTrace]:
    """Make one trace a quantity: rates are added, latencies weighted by I/Os."""
    moments = moments_of_jobs(logs)
    by_job: dict[int, list[FoundTrace]] = {}
    for log in logs:
        by_job.setdefault(log.name.job, []).extend(_windows(log, "", moments, end_ms))
    jobs = list(by_job.values())
    if len(jobs) == 1:
        return jobs[0]
    rates = total_traces([trace for traces in jobs for trace in traces])
    return rates + [
        found
        for rate in rates
        if rate.quantities[0][0].endswith("_iops")
        and (found := _latency(jobs, rate)) is not None
    ]


def _latency(
    jobs: Sequence[Sequence[FoundTrace]], rate: FoundTrace
) -> FoundTrace | None:
    """Get the mean latency of all I/Os of a direction, on the grid of their rate."""
    iops = rate.quantities[0][0]
    name = iops.replace("_iops", "_lat")
    edges = np.append(rate.starts, rate.ends[-1])
    total = np.zeros(len(edges) - 1)
    weight = np.zeros(len(edges) - 1)
    for traces in jobs:
        own = {trace.quantities[0][0]: trace for trace in traces}
        if name not in own or iops not in own:
            continue
        mean = _mean(own[name], edges)
        ios = np.where(np.isnan(mean), 0.0, amounts(own[iops], edges))
        total += ios * np.nan_to_num(mean)
        weight += ios
    if not weight.any():
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(weight > 0, total / weight, np.nan)
    return replace(rate, quantities=((name, "s", ""),), values=values[:, None])


def _mean(trace: FoundTrace, edges: np.ndarray) -> Floats:
    """Average what has values over each cell of a grid; NaN where nothing has."""
    known = replace(trace, values=np.nan_to_num(trace.values))
    there = replace(trace, values=np.isfinite(trace.values).astype(np.float64))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = amounts(known, edges) / amounts(there, edges)
    return found
