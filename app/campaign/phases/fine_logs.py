"""fio's fine logs join the record after their step, as a source of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.record.imports.fio_windows import (
    amounts,
    grid_of,
    io_moments,
    sums_of,
    windows_of,
)
from app.record.imports.found import MS, Floats, FoundTrace, Times
from app.record.recorder import Recorder
from app.record.store import Window, Writer
from instruments.reading import Channel, Status
from instruments.timebase import offset_ns
from workloads.base import LoadResult
from workloads.fio.fine import FineLog
from workloads.fio.live import MOST_LIVE
from workloads.fio.read.logs import Log
from workloads.fio.result import FioResult

CELL_NS = 250 * MS
"""Each device has less to tell than all of them, and a session is not to be filled."""

_NEARLY = 0.9
"""Share of a cell that has to be known: devices do not end in the same millisecond."""

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
            period_ms=one.period_ms,
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

    A cell that they fill only in part, at the begin and the end, is a gap: divided by
    the whole cell they would tell a rate that was not. One they nearly fill tells that
    of the time that they have.
    """
    found: Floats = np.sum([amounts(one, edges) for one in traces], axis=0)
    first = min(int(one.starts[0]) for one in traces)
    last = max(int(one.ends[-1]) for one in traces)
    told = np.minimum(edges[1:], last) - np.maximum(edges[:-1], first)
    is_known = told > _NEARLY * np.diff(edges)
    return np.where(is_known, found / np.where(is_known, told, 1) * 1e9, np.nan)


SOURCE = "fio_log"
"""Charts prefer it to the documents of the load where it has samples."""

NOT_LOGGED = "fio logs no window that is not full at the end of its load"

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
        told = "fio's logs tell other times than its documents and are left out"
        recorder.event("warning", SOURCE, told)
        return
    logs, is_converted = placed
    if is_converted:
        told = "fio's logs count from the start of the load, which its documents place"
        recorder.event("warning", SOURCE, told)
    traces = [*_summed(logs), *traces_of_devices(logs)]
    start, loaded_ns = result.window[0] // MS * MS, result.window[1]

    def store(writer: Writer) -> None:
        writer.introduce_load(SOURCE)
        for trace in traces:
            channels = [
                Channel(SOURCE, what, unit, where, trace.period_ns, 0, trace.window_ns)
                for what, unit, where in trace.quantities
            ]
            ends = trace.ends + start
            writer.append_trace(channels, trace.starts + start, ends, trace.values)
            last, now = int(ends[-1]), recorder.clock.monotonic_ns()
            if last < loaded_ns:
                writer.gap(channels, last, loaded_ns, Status.ABSENT, NOT_LOGGED)
            over = max(last, loaded_ns)
            writer.gap(channels, over, now, Status.STANDBY, "no load ran")

    recorder.call(store)


def _placed(
    logs: Sequence[FineLog], window: Window
) -> tuple[list[FineLog], bool] | None:
    """Let all logs count from the start of the window; tell whether they did."""
    start, end = window[0] // MS, window[1] // MS
    first = min(int(one.log.times_ms.min()) for one in logs)
    last = max(int(one.log.times_ms.max()) for one in logs)
    if start - _SLACK_MS <= first and last <= end + _SLACK_MS:
        return [_moved(one, start) for one in logs], False
    if last <= end - start + _SLACK_MS:
        return list(logs), True
    return None


def _moved(one: FineLog, start_ms: int) -> FineLog:
    times = np.maximum(1, one.log.times_ms - start_ms)
    return replace(one, log=replace(one.log, times_ms=times))


def _summed(logs: Sequence[FineLog]) -> list[FoundTrace]:
    """Make one trace a quantity: rates are added, latencies weighted by I/Os."""
    moments = moments_of_jobs(logs)
    by_job: dict[int, list[FoundTrace]] = {}
    for one in logs:
        by_job.setdefault(one.name.job, []).extend(
            windows_of(
                one.log,
                one.name.kind,
                location="",
                us_latency=False,
                end_ms=None,
                period_ms=one.period_ms,
                moments=moments[one.name.job],
            )
        )
    jobs = list(by_job.values())
    if len(jobs) == 1:
        return jobs[0]
    rates = sums_of([trace for traces in jobs for trace in traces])
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
