"""fio's own logs beside a load: finer than its documents, read when it has ended.

Averaged logs cost some 40 ns a transfer: nothing at the speed of devices, a fifth of
the null engine, which therefore has none. They stay in fio's memory until its end, so
long loads of many jobs get longer windows, fewer logs, or none.

A row of an averaged log is a rate since fio last looked, and not since the row before:
a look at which there was nothing new leaves no row (`__add_samples` in its stat.c).
Looks come once a window, but for those behind a status document, for which fio waits
until each job does its next I/O. So a load that pauses by its own options has a row for
each I/O instead: so the time of each is known.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from instruments.durations import parse_duration
from instruments.errors import BadInput
from instruments.sizes import parse_size
from workloads.fio.block_sizes import block_sizes, part_of
from workloads.fio.read.logs import Log, LogName, log_name, read_log
from workloads.fio_job import FineLogs, FioJob

# From the finest on; the first one that fits is taken.
_CHOICES = (
    FineLogs(100, ("bw", "iops", "lat")),
    FineLogs(250, ("bw", "iops", "lat")),
    FineLogs(250, ("bw", "iops")),
)
_MOST_ROWS = 4_000_000
"""Rows of all logs of a load; fio takes some 50 bytes of memory for each."""

_EACH = FineLogs(0, ("bw", "iops", "lat"))
"""A row for each I/O."""

_MOST_EACH = 1_000_000
"""Rows of all such logs of a load: they take some seconds to read. Judged."""

_FASTEST = 16e9
"""Bytes a second that no single job does: what limits I/Os of many MiB. Judged."""

_FILES_OF = {"bw": 1, "iops": 1, "lat": 3}
"""How many logs fio keeps where it is told to write one."""


@dataclass(frozen=True, slots=True)
class FineLog:
    """One log of one job.

    Attributes:
        name: What is in the name of its file.
        log: Its rows, with times in ms of the monotonic clock.
        device: The device that its job has to itself, "" where there is none.
        period_ms: The window that a row is averaged over, 0 for a row for each
            I/O.
    """

    name: LogName
    log: Log
    device: str
    period_ms: int


def with_logs(job: FioJob) -> FioJob:
    """Let a job write the finest logs that its length and its engine allow."""
    if job.options.get("ioengine", "") == "null":
        return job  # a log would cost it a fifth of its rate
    if _files(job, _EACH) * _most_iops(job) * job.runtime_s <= _MOST_EACH:
        return replace(job, logs=_EACH)
    chosen = next((logs for logs in _CHOICES if fits(job, logs)), None)
    return replace(job, logs=chosen) if chosen else job


def fits(job: FioJob, logs: FineLogs) -> bool:
    """Tell whether fio can keep such logs of a job in its memory."""
    # A log has a row for each direction.
    rows = _files(job, logs) * len(job.directions) * job.runtime_s * 1000
    return rows / logs.period_ms <= _MOST_ROWS


def _files(job: FioJob, logs: FineLogs) -> int:
    return job.jobs * sum(_FILES_OF[kind] for kind in logs.kinds)


def _most_iops(job: FioJob) -> float:
    """Get how many I/Os a second each job does at most, as its options limit it."""
    ways = job.directions
    sizes = [block_sizes(job.options, way) for way in ways]
    least = min((size.mean if size else 512.0 for size in sizes), default=512.0)
    limits = [_FASTEST / least]
    # rate is in bytes a second, rate_iops in I/Os.
    for name, divisor in (("rate_iops", 1.0), ("rate", least)):
        try:
            rates = [parse_size(part_of(job.options[name], way)) for way in ways]
            limits.append(sum(rates) / divisor)
        except (KeyError, ValueError):
            continue  # A direction that has no part, or 0, is not limited.
    return min(*limits, _most_between_pauses(job.options))


def _most_between_pauses(options: Mapping[str, str]) -> float:
    # With thinktime_iotime the pauses come by time, however many I/Os were done.
    if "thinktime_iotime" in options:
        return math.inf
    try:
        pause_s = time_s(options.get("thinktime", ""))
        return max(1, int(options.get("thinktime_blocks", "1"))) / pause_s
    except (ValueError, ZeroDivisionError):
        return math.inf  # there is no pause


def time_s(text: str) -> float:
    """Read a time as fio does, in us where it has no unit; raises ValueError."""
    number = text.strip().lower().removesuffix("ec").removesuffix("us")
    return int(number) / 1e6 if number.isdigit() else parse_duration(number)


def read_logs(folder: Path, job: FioJob) -> tuple[Sequence[FineLog], Sequence[str]]:
    """Read the logs that a load left in its folder.

    Returns:
        The logs, and sentences on those that cannot be read or are not there.
    """
    if job.logs is None:
        return (), ()
    logs: list[FineLog] = []
    troubles: list[str] = []
    for path in sorted(folder.glob("*.log")):
        name = log_name(path)
        # Where it is told to log lat, fio logs clat and slat as well.
        if name is None or name.kind not in job.logs.kinds or not path.stat().st_size:
            continue
        try:
            log = read_log(path.read_bytes(), path.name)
            device = job.device_of(name.job)
            logs.append(FineLog(name, log, device, job.logs.period_ms))
        except BadInput as error:
            troubles.append(f"a fine log is excluded: {error.what} ({error.where})")
    if not logs and not troubles:
        troubles.append("fio left no fine logs: only its documents tell of this load")
    return logs, troubles
