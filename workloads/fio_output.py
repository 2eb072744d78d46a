"""What fio prints: documents, messages, and the values between two documents."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_ERROR = re.compile(r"err=\s*(\d+)/file:.*?func=(.*?), error=(.*)")


_LONGEST = 300
"""Characters of a line that are shown; the whole output is kept as an artefact."""


class DocumentStream:
    """Divides fio's standard output into JSON documents and messages.

    A line that is exactly "{" begins a document and one that is exactly "}" ends it
    (fio indents every line within); anything else is a message.
    """

    def __init__(self) -> None:
        self.messages: list[str] = []
        self._lines: list[str] | None = None

    def feed(self, line: str) -> dict[str, Any] | None:
        """Take one line; return the document it completes.

        Garbage between "{" and "}" is kept as a message, never raised.
        """
        text = line.rstrip("\r\n")
        if self._lines is None:
            if text == "{":
                self._lines = [text]
            elif text.strip():
                self.messages.append(_readable(text.strip()))
            return None
        self._lines.append(text)
        if text != "}":
            return None
        whole, self._lines = "\n".join(self._lines), None
        try:
            document = json.loads(whole)
        except ValueError:
            self.messages.append(f"a document that is not JSON ({len(whole)} bytes)")
            return None
        return document if document.get("jobs") else None


def _readable(text: str) -> str:
    """Make a line fit to be shown: no control characters, no endless lines."""
    shown = "".join(mark if mark.isprintable() else "\ufffd" for mark in text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} ..."


def error_text(messages: list[str]) -> str:
    """Pick the sentence that tells best why fio failed; "" where there is none."""
    for message in messages:
        if match := _ERROR.search(message):
            return f"{match[3].strip()} ({match[2].strip()})"
    told = [m for m in messages if not m.startswith("note:") and "terminating" not in m]
    return told[0].removeprefix("fio: ") if told else ""


@dataclass(frozen=True, slots=True)
class Counters:
    """The cumulative counters of one direction in one document.

    Attributes:
        ios: I/Os completed.
        bytes_: Bytes moved.
        runtime_ms: fio's own running time of the direction.
        latency_sum_ns: Sum of the total latencies.
        latency_n: I/Os in that sum; 0 during the ramp.
        bins: Completion latency histogram, bucket value in ns to count.
    """

    ios: int
    bytes_: int
    runtime_ms: int
    latency_sum_ns: float
    latency_n: int
    bins: Mapping[int, int]


def counters(document: Mapping[str, Any], direction: str) -> Counters:
    """Sum the counters of a direction ("read" or "write") over all jobs."""
    parts = [job[direction] for job in document["jobs"]]
    bins: dict[int, int] = {}
    for part in parts:
        for value, count in part["clat_ns"].get("bins", {}).items():
            bins[int(value)] = bins.get(int(value), 0) + count
    return Counters(
        ios=sum(part["total_ios"] for part in parts),
        bytes_=sum(part["io_bytes"] for part in parts),
        runtime_ms=max(part["runtime"] for part in parts),
        latency_sum_ns=sum(p["lat_ns"]["mean"] * p["lat_ns"]["N"] for p in parts),
        latency_n=sum(part["lat_ns"]["N"] for part in parts),
        bins=bins,
    )


ZERO = Counters(0, 0, 0, 0.0, 0, {})
"""The counters at the start of the load and at the end of the ramp."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What one direction did between two documents, in SI units.

    Latencies are NaN where no I/O was measured, as during the ramp.
    """

    iops: float
    bandwidth: float
    latency_s: float
    p99_s: float
    seconds: float


def rates(before: Counters, after: Counters) -> Rates | None:
    """Difference two documents; None where fio's time did not move on."""
    seconds = (after.runtime_ms - before.runtime_ms) / 1000
    if seconds <= 0:
        return None
    count = after.latency_n - before.latency_n
    mean = math.nan
    if count > 0:
        mean = (after.latency_sum_ns - before.latency_sum_ns) / count / 1e9
    bins = {v: n - before.bins.get(v, 0) for v, n in after.bins.items()}
    return Rates(
        iops=(after.ios - before.ios) / seconds,
        bandwidth=(after.bytes_ - before.bytes_) / seconds,
        latency_s=mean,
        p99_s=percentile(bins, 99.0) / 1e9,
        seconds=seconds,
    )


def percentile(bins: Mapping[int, int], percent: float) -> float:
    """Get the bucket value that `percent` of the counts do not exceed, or NaN.

    fio's json+ buckets have 64 steps an octave, so the error is under 1 %.
    """
    total = sum(count for count in bins.values() if count > 0)
    if total <= 0:
        return math.nan
    rank, seen = total * percent / 100, 0
    for value in sorted(bins):
        seen += max(0, bins[value])
        if seen >= rank:
            return float(value)
    return math.nan


def job_errors(document: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield (job name, errno) for each job that ended with an error."""
    for job in document["jobs"]:
        if job.get("error"):
            yield str(job.get("jobname", "")), int(job["error"])
