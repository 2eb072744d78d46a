"""What is counted in fio's documents, and the rates between two of them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from instruments.metric import (
    PERCENTILES,
    completion_name,
    max_name,
    mean_name,
    percentile_name,
)

_Bucket = TypeVar("_Bucket", int, str)


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
        longest_ns: The longest total latency, NaN where it is not known.
        completion_sum_ns: Sum of the completion latencies, NaN where it is not known.
        completion_longest_ns: The longest of them, NaN where it is not known.
    """

    ios: int
    bytes_: int
    runtime_ms: int
    latency_sum_ns: float
    latency_n: int
    bins: Mapping[int, int]
    longest_ns: float = math.nan
    completion_sum_ns: float = math.nan
    completion_longest_ns: float = math.nan


def counters(jobs: Sequence[Mapping[str, Any]], direction: str) -> Counters:
    """Sum the counters of a direction ("read" or "write") over jobs of a document."""
    return replace(scalars(jobs, direction), bins=summed_bins(jobs, direction))


def scalars(jobs: Sequence[Mapping[str, Any]], direction: str) -> Counters:
    """Sum all counters but the histogram, which takes most of the time."""
    return together([_scalars(job[direction]) for job in jobs])


def _scalars(part: Mapping[str, Any]) -> Counters:
    total = part["lat_ns"]
    # fio writes 0 for what it did not time: all in a ramp, or with disable_clat.
    clat = part.get("clat_ns") or {}
    completion = clat if clat.get("mean") else {}
    return Counters(
        ios=part["total_ios"],
        bytes_=part["io_bytes"],
        runtime_ms=part["runtime"],
        latency_sum_ns=total["mean"] * total["N"],
        latency_n=total["N"],
        bins={},
        longest_ns=total.get("max", math.nan),
        # Where both are timed they have the same N.
        completion_sum_ns=completion.get("mean", math.nan) * total["N"],
        completion_longest_ns=completion.get("max", math.nan),
    )


def _longest(each_ns: Sequence[float]) -> float:
    """Get the longest of latencies, NaN where one of them is not known."""
    is_known = each_ns and not any(map(math.isnan, each_ns))
    return float(max(each_ns)) if is_known else math.nan


def summed_bins(jobs: Sequence[Mapping[str, Any]], direction: str) -> dict[int, int]:
    """Sum the histograms of a direction over jobs of a document."""
    bins = _added(job[direction]["clat_ns"].get("bins", {}) for job in jobs)
    return {int(value): count for value, count in bins.items()}


def _added(histograms: Iterable[Mapping[_Bucket, int]]) -> dict[_Bucket, int]:
    total: dict[_Bucket, int] = {}
    for bins in histograms:
        for value, count in bins.items():
            total[value] = total.get(value, 0) + count
    return total


ZERO = Counters(0, 0, 0, 0.0, 0, {}, completion_sum_ns=0.0)
"""The counters at the start of the load and at the end of the ramp."""


def since(after: Counters, before: Counters) -> Counters:
    """Get what was counted between two documents, with the time it took.

    The longest of them is known only where nothing was counted before: fio gives the
    longest since its start.
    """
    longest = after if not before.latency_n else ZERO
    return Counters(
        ios=after.ios - before.ios,
        bytes_=after.bytes_ - before.bytes_,
        runtime_ms=after.runtime_ms - before.runtime_ms,
        latency_sum_ns=after.latency_sum_ns - before.latency_sum_ns,
        latency_n=after.latency_n - before.latency_n,
        bins={v: n - before.bins.get(v, 0) for v, n in after.bins.items()},
        longest_ns=longest.longest_ns,
        completion_sum_ns=after.completion_sum_ns - before.completion_sum_ns,
        completion_longest_ns=longest.completion_longest_ns,
    )


def together(parts: Sequence[Counters]) -> Counters:
    """Add up what was counted side by side: the longest time is that of all."""
    # A part without a timed I/O has no latency: its NaN must not become that of all.
    timed = [part for part in parts if part.latency_n]
    return Counters(
        ios=sum(part.ios for part in parts),
        bytes_=sum(part.bytes_ for part in parts),
        runtime_ms=max((part.runtime_ms for part in parts), default=0),
        latency_sum_ns=sum(part.latency_sum_ns for part in parts),
        latency_n=sum(part.latency_n for part in parts),
        bins=_added(part.bins for part in parts),
        longest_ns=_longest([part.longest_ns for part in timed]),
        completion_sum_ns=sum(part.completion_sum_ns for part in timed),
        completion_longest_ns=_longest([part.completion_longest_ns for part in timed]),
    )


def latencies(counted: Counters, of: str) -> dict[str, float]:
    """Get the latencies in ms that are known, by the names of their metrics.

    The mean is over all I/Os. Percentiles come from the histogram, never from an
    average of percentiles.

    Args:
        counted: The counters of the I/Os.
        of: `metric.BOTH`, `READ` or `WRITE`.
    """
    values = {}
    if counted.latency_n:
        values[mean_name(of)] = counted.latency_sum_ns / counted.latency_n / 1e6
        values |= _completions(counted, of)
    for percent, value in percentiles_of(counted, PERCENTILES).items():
        values[percentile_name(of, percent)] = value / 1e6
    if not math.isnan(counted.longest_ns):
        values[max_name(of)] = counted.longest_ns / 1e6
    return values


def _completions(counted: Counters, of: str) -> dict[str, float]:
    each_ns = {
        completion_name(of, "mean"): counted.completion_sum_ns / counted.latency_n,
        completion_name(of, "max"): counted.completion_longest_ns,
    }
    return {name: ns / 1e6 for name, ns in each_ns.items() if not math.isnan(ns)}


def percentiles_of(counted: Counters, percents: Sequence[float]) -> dict[float, float]:
    """Get percentiles in ns, none above the longest I/O where that is known.

    The value of the last bucket may be beyond the longest one in it.
    """
    values = percentiles(counted.bins, percents)
    return {percent: within(counted, value) for percent, value in values.items()}


def within(counted: Counters, value_ns: float) -> float:
    """Get a percentile in ns back, or the longest I/O where it would be above it."""
    longest = counted.longest_ns
    return value_ns if math.isnan(longest) else min(value_ns, longest)


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
    return rates_of(since(after, before))


def rates_of(change: Counters) -> Rates | None:
    """Make rates of what was counted in some time; None where there was none."""
    seconds = change.runtime_ms / 1000
    if seconds <= 0:
        return None
    mean = math.nan
    if change.latency_n > 0:
        mean = change.latency_sum_ns / change.latency_n / 1e9
    return Rates(
        iops=change.ios / seconds,
        bandwidth=change.bytes_ / seconds,
        latency_s=mean,
        p99_s=percentiles(change.bins, (99.0,)).get(99.0, math.nan) / 1e9,
        seconds=seconds,
    )


def percentiles(
    bins: Mapping[int, int], percents: Sequence[float]
) -> dict[float, float]:
    """Get the bucket values that each percentage of the counts does not exceed.

    fio's json+ buckets have 64 steps an octave, so the error is under 1 %.

    Args:
        bins: Counts by the value of their bucket.
        percents: Which percentiles, rising.

    Returns:
        The values by percentage, none where nothing was counted.
    """
    total = sum(count for count in bins.values() if count > 0)
    wanted = [(percent, total * percent / 100) for percent in percents if total > 0]
    values: dict[float, float] = {}
    seen = 0
    for value in sorted(bins):
        seen += max(0, bins[value])
        while len(values) < len(wanted) and seen >= wanted[len(values)][1]:
            values[wanted[len(values)][0]] = float(value)
    return values
