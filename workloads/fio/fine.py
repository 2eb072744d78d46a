"""fio's own logs beside a load: finer than its documents, read when it has ended.

Averaged logs cost some 40 ns a transfer: nothing at the speed of devices, a fifth of
the null engine, which therefore has none. They stay in fio's memory until its end, so
long loads of many jobs get longer windows, fewer logs, or none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from instruments.errors import BadInput
from workloads.fio.read.logs import Log, LogName, log_name, read_log
from workloads.fio_job import FineLogs, FioJob

_CHOICES = (
    FineLogs(100, ("bw", "iops", "lat")),
    FineLogs(250, ("bw", "iops", "lat")),
    FineLogs(250, ("bw", "iops")),
)
_MOST_ROWS = 4_000_000
"""Rows of all logs of a load; fio takes some 50 bytes of memory for each."""

_FILES_OF = {"bw": 1, "iops": 1, "lat": 3}
"""How many logs fio keeps where it is told to write one."""


@dataclass(frozen=True, slots=True)
class FineLog:
    """One log of one job.

    Attributes:
        name: What the name of its file says.
        log: Its rows, with times in ms of the monotonic clock.
        device: The device that its job has to itself, "" where there is none.
        period_ms: What fio was told that a row is averaged over, None for unknown.
    """

    name: LogName
    log: Log
    device: str = ""
    period_ms: int | None = None


def with_logs(job: FioJob) -> FioJob:
    """Let a job write the finest logs that its length and its engine allow."""
    if job.options.get("ioengine", "") == "null":
        return job
    chosen = next((logs for logs in _CHOICES if fits(job, logs)), None)
    return replace(job, logs=chosen) if chosen else job


def fits(job: FioJob, logs: FineLogs) -> bool:
    """Tell whether fio can keep such logs of a job in its memory."""
    threads = int(job.options.get("numjobs", "1")) * max(1, len(job.devices))
    files = sum(_FILES_OF[kind] for kind in logs.kinds)
    # A log has a row for each direction.
    rows = threads * files * len(job.directions) * job.runtime_s * 1000
    return rows / logs.period_ms <= _MOST_ROWS


def read_logs(folder: Path, job: FioJob) -> tuple[Sequence[FineLog], Sequence[str]]:
    """Read the logs that a load left in its folder.

    Returns:
        The logs, and sentences on those that cannot be read or are not there.
    """
    if job.logs is None:
        return (), ()
    found: list[FineLog] = []
    troubles: list[str] = []
    for path in sorted(folder.glob("*.log")):
        name = log_name(path)
        if name is None or name.kind not in job.logs.kinds or not path.stat().st_size:
            continue
        try:
            log = read_log(path.read_bytes(), path.name)
            # With a status interval a row after a pause is averaged over all of it.
            found.append(FineLog(name, log, job.device_of(name.job)))
        except BadInput as error:
            troubles.append(f"a fine log is left out: {error.what} ({error.where})")
    if not found and not troubles:
        troubles.append("fio left no fine logs: only its documents tell of this load")
    return found, troubles
