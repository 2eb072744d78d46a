"""The results of fio's jobs that ran at the same time, by the names of report_table."""

import math
import os
from collections.abc import Mapping, Sequence

from workloads.base import Measured
from workloads.fio_faults import DEVICE_ERRORS
from workloads.fio_output import Counters, percentile
from workloads.fio_side import Side
from workloads.fio_versions import Job

_IN_TABLE = ("read", "write", "mixed")
_LONGEST = 120
"""Characters of a job's name that are shown."""


def values_of(jobs: Sequence[Job], origin: str) -> dict[str, Measured]:
    """Add up jobs from their counters and bins.

    IOPS is read plus write, MB is 10**6 bytes. The 99th percentile comes from summed
    bins, or from fio itself where there is only one: percentiles are never averaged.
    """
    found = _values(jobs, origin)
    return {k: value for k, value in found.items() if math.isfinite(value.value)}


def _values(jobs: Sequence[Job], origin: str) -> dict[str, Measured]:
    found: dict[str, Measured] = {}
    totals = {"iops": 0.0, "bandwidth": 0.0, "latency": 0.0}
    sides: list[Side] = []
    count = 0
    for direction, summed in sums(jobs).items():
        seconds = summed.runtime_ms / 1000
        iops, bandwidth = summed.ios / seconds, summed.bytes_ / seconds
        if direction != "mixed":
            found[f"{direction}_iops"] = Measured(iops, "1/s", origin)
            found[f"{direction}_mb_s"] = Measured(bandwidth / 1e6, "MB/s", origin)
            own = [job.sides[direction] for job in jobs if direction in job.sides]
            if (p99 := _p99_ns(own)) is not None:
                found[f"{direction}_p99_ms"] = Measured(p99 / 1e6, "ms", origin)
        if direction in _IN_TABLE:
            totals["iops"] += iops
            totals["bandwidth"] += bandwidth
            totals["latency"] += summed.latency_sum_ns
            count += summed.latency_n
            sides += [job.sides[direction] for job in jobs if direction in job.sides]
    if not sides:
        return found
    found["iops"] = Measured(totals["iops"], "1/s", origin)
    found["bandwidth_mb_s"] = Measured(totals["bandwidth"] / 1e6, "MB/s", origin)
    if count:
        mean_ms = totals["latency"] / count / 1e6
        found["latency_mean_ms"] = Measured(mean_ms, "ms", origin)
    p99 = _p99_ns(sides)
    if p99 is not None:
        found["latency_p99_ms"] = Measured(p99 / 1e6, "ms", origin)
    if all("direct" in job.options for job in jobs):
        buffered = any(job.options["direct"] in ("0", "false") for job in jobs)
        found["buffered"] = Measured(float(buffered), "", "direct")
    return found


def _p99_ns(sides: Sequence[Side]) -> float | None:
    measured = [side for side in sides if side.counters.ios]
    if measured and all(side.counters.bins for side in measured):
        bins: dict[int, int] = {}
        for side in measured:
            for value, number in side.counters.bins.items():
                bins[value] = bins.get(value, 0) + number
        return percentile(bins, 99.0)
    return measured[0].p99_ns if len(measured) == 1 else None


def sums(jobs: Sequence[Job]) -> dict[str, Counters]:
    """Add up the counters of jobs that ran at the same time, by direction."""
    found: dict[str, Counters] = {}
    for job in jobs:
        for direction, side in job.sides.items():
            new, old = side.counters, found.get(direction)
            found[direction] = new if old is None else _plus(old, new)
    return found


def _plus(one: Counters, other: Counters) -> Counters:
    bins = dict(one.bins)
    for value, number in other.bins.items():
        bins[value] = bins.get(value, 0) + number
    return Counters(
        ios=one.ios + other.ios,
        bytes_=one.bytes_ + other.bytes_,
        runtime_ms=max(one.runtime_ms, other.runtime_ms),
        latency_sum_ns=one.latency_sum_ns + other.latency_sum_ns,
        latency_n=one.latency_n + other.latency_n,
        bins=bins,
    )


def fault_of(jobs: Sequence[Job]) -> tuple[str, str]:
    """Tell what failed: "FAIL" for a device, "ERROR" for the rest, and a sentence."""
    failed = [job for job in jobs if job.error]
    if not failed:
        return "", ""
    first = next((job for job in failed if job.error in DEVICE_ERRORS), failed[0])
    fault = "FAIL" if first.error in DEVICE_ERRORS else "ERROR"
    place = f" on {first.host}" if first.host else ""
    more = f", and {len(failed) - 1} more jobs failed" if len(failed) > 1 else ""
    told = os.strerror(first.error) if 0 < first.error < 4096 else "an unknown error"
    return fault, f"job {_shown(first.name)}{place}: {told}{more}"


def options_of(jobs: Sequence[Job]) -> Mapping[str, str]:
    """Get the options that all jobs have in common."""
    first = dict(jobs[0].options)
    for job in jobs[1:]:
        first = {k: v for k, v in first.items() if job.options.get(k) == v}
    return first


def label_of(jobs: Sequence[Job]) -> str:
    """Name a step by its jobs."""
    names = list(dict.fromkeys(_shown(job.name) for job in jobs))
    return names[0] if len(names) == 1 else f"{names[0]} .. {names[-1]}"


def _shown(name: str) -> str:
    """Make a name fit to be shown."""
    text = "".join(mark if mark.isprintable() else "\ufffd" for mark in name)
    return text[:_LONGEST] or "job"
