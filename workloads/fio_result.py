"""What a fio that has ended leaves behind: its outcome, its values, its outputs."""

import errno
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workloads.base import Artefact, LoadOutcome, LoadResult, Measured
from workloads.fio_job import FioJob
from workloads.fio_output import counters, error_text, job_errors, percentile

DEVICE_ERRORS = (errno.EIO, errno.EREMOTEIO, errno.EILSEQ, errno.ETIMEDOUT)
"""Errors that are the fault of the target; every other one is the bench's."""

OVERTIME_S = 30.0
"""A load that outlives its ramp and runtime by this much is ended."""

OUTPUT = "fio-output.json.zz"
"""The artefact with everything that fio printed, zlib-compressed."""

_KILLED = (
    "somebody or the kernel killed it: look for out of memory with journalctl -k, "
    "then run the step again"
)
_CRASHED = "look into its output in the session, and try another version of fio"


@dataclass(frozen=True, slots=True)
class Ended:
    """How one fio ended, and what it printed.

    Attributes:
        code: Its exit code, negative for a signal, None where it is not known.
        cause: Why it was ended: "" where it ended by itself, "stopped" by the
            operator, "overtime", or a sentence of the guard.
        document: Its last document, None where there is none.
        window: Monotonic start and end of what the document measured, or None.
        messages: What it said beside documents.
        packed: Everything it printed, zlib-compressed.
    """

    code: int | None
    cause: str = ""
    document: Mapping[str, Any] | None = None
    window: tuple[int, int] | None = None
    messages: Sequence[str] = field(default_factory=tuple)
    packed: bytes = b""


def fio_result(job: FioJob, ended: Ended) -> LoadResult:
    """Judge a fio that has ended, and make its values and artefacts."""
    outcome, reason = _judged(job, ended)
    artefacts = [Artefact("job.fio", "text/plain", job.text().encode())]
    artefacts.append(Artefact(OUTPUT, "application/zlib", ended.packed))
    if ended.messages:
        text = "\n".join(ended.messages).encode()
        artefacts.append(Artefact("fio-messages.txt", "text/plain", text))
    values: dict[str, Measured] = {}
    if ended.document is not None and ended.window is not None:
        values = table_values(ended.document, job.directions)
        values["buffered"] = Measured(float(not job.direct), "", "direct")
    return LoadResult(outcome, reason, ended.window, values, artefacts=tuple(artefacts))


def told(messages: Sequence[str]) -> list[str]:
    """Get the messages that are worth an event, without what is always said."""
    return [
        message
        for message in messages
        if not message.startswith("note:") and "terminating on signal" not in message
    ]


def _judged(job: FioJob, ended: Ended) -> tuple[LoadOutcome, str]:
    if ended.cause == "overtime":
        return LoadOutcome.FAILED, (
            f"fio did not end {OVERTIME_S:.0f} s after its runtime and was ended"
        )
    if ended.cause not in ("", "stopped"):
        return LoadOutcome.FAILED, f"fio was ended by the guard: {ended.cause}"
    errors = list(job_errors(ended.document)) if ended.document else []
    if errors:
        number = errors[0][1]
        said = error_text(list(ended.messages)) or os.strerror(number)
        where = f"{job.target}: {said}"
        if number in DEVICE_ERRORS:
            return LoadOutcome.DEVICE_FAILED, f"I/O error on {where}"
        return LoadOutcome.FAILED, f"fio failed on {where}"
    if ended.cause == "stopped":
        return LoadOutcome.STOPPED, "fio was stopped before its end"
    return _exit_judged(ended)


def _exit_judged(ended: Ended) -> tuple[LoadOutcome, str]:
    code = ended.code
    if code == 0 and ended.document is not None:
        return LoadOutcome.DONE, ""
    said = error_text(list(ended.messages)) or "it said nothing"
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        killer = _KILLED if -code == signal.SIGKILL else _CRASHED
        return LoadOutcome.FAILED, f"fio was ended by signal {name}; {killer}"
    return LoadOutcome.FAILED, f"fio failed (exit code {code}): {said}"


def table_values(
    document: Mapping[str, Any], directions: tuple[str, ...]
) -> dict[str, Measured]:
    """Get the results of a document, by the names of report_table.

    IOPS is read plus write, MB is 10**6 bytes; latency is the mean over all I/Os
    and its 99th percentile comes from the summed histogram, never from an average
    of percentiles.
    """
    origin = f"{OUTPUT}, last document"
    found: dict[str, Measured] = {}
    total_ios = total_bytes = latency_sum = 0.0
    latency_n = 0
    bins: dict[int, int] = {}
    for direction in ("read", "write"):
        count = counters(document, direction)
        seconds = count.runtime_ms / 1000
        iops = count.ios / seconds if seconds else 0.0
        bandwidth = count.bytes_ / seconds if seconds else 0.0
        if direction in directions:
            found[f"{direction}_iops"] = Measured(iops, "1/s", origin)
            found[f"{direction}_mb_s"] = Measured(bandwidth / 1e6, "MB/s", origin)
        total_ios += iops
        total_bytes += bandwidth
        latency_sum += count.latency_sum_ns
        latency_n += count.latency_n
        for value, number in count.bins.items():
            bins[value] = bins.get(value, 0) + number
    found["iops"] = Measured(total_ios, "1/s", origin)
    found["bandwidth_mb_s"] = Measured(total_bytes / 1e6, "MB/s", origin)
    if latency_n:
        mean_ms = latency_sum / latency_n / 1e6
        found["latency_mean_ms"] = Measured(mean_ms, "ms", origin)
    if bins:
        p99_ms = percentile(bins, 99.0) / 1e6
        found["latency_p99_ms"] = Measured(p99_ms, "ms", origin)
    return found
