"""One direction of one job of fio, of 2.x in us and KiB or of 3.x in ns and bytes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workloads.fio.output import Counters

# What is longer is damage: ten years.
_LONGEST_MS = 10 * 366 * 86_400_000
# fio 2 counts in microseconds, fio 3 in nanoseconds.
_US = 1000
# fio 2 counts in KiB, fio 3 in bytes.
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Side:
    """One direction of one job.

    Attributes:
        counters: Its counters, in nanoseconds and bytes.
        percentiles_ns: fio's own percentiles by percentage, those that it prints.
        slack: How many I/Os more there may be than counted: 0 where fio gave their
            number, and not a rate cut to a whole number.
        slack_bytes: The same of bytes.
        step_ns: What it rounded the percentiles to a multiple of.
    """

    counters: Counters
    percentiles_ns: Mapping[float, float]
    slack: int = 0
    slack_bytes: int = 0
    step_ns: float = 0.0


def rated(rate: float, runtime_ms: int) -> tuple[int, int]:
    """Get what follows for the count of I/Os from a rate cut to a whole number.

    Returns:
        The fewest there were, and how many more there may be.
    """
    return math.ceil(rate * runtime_ms / 1000), math.ceil(runtime_ms / 1000)


def counted(
    ios: int, bytes_: float, runtime_ms: int, mean_ns: float, longest_ns: float
) -> Counters:
    """Make the counters of a report without a histogram: every I/O was timed, or none.

    Without a mean there are no latencies, as with gtod_reduce.
    """
    count = max(1, ios) if mean_ns > 0 else 0
    longest_ns = longest_ns if count else math.nan
    return Counters(
        ios, round(bytes_), runtime_ms, mean_ns * count, count, {}, longest_ns
    )


def timed(all_sides: Mapping[str, Side]) -> Mapping[str, Side]:
    """Exclude what ran for no time, and "mixed" beside what it sums up.

    It does with unified_rw_reporting=both.
    """
    sides = {d: side for d, side in all_sides.items() if side.counters.runtime_ms}
    return {d: s for d, s in sides.items() if d != "mixed" or len(sides) == 1}


def read_side(part: Mapping[str, Any]) -> Side:
    """Read one direction, of 2.x in us and KiB or of 3.x in ns and bytes.

    Between them, 2.20 and 2.21 have us and bytes.
    """
    suffix, scale, unit = _units(part)
    runtime = checked_runtime(int(part["runtime"]))
    bytes_ = int(part["io_bytes"]) * unit
    ios, slack = _ios(part, runtime)
    total, clat = part.get(f"lat{suffix}") or {}, part.get(f"clat{suffix}") or {}
    mean = float(total.get("mean", 0.0)) * scale
    # Without N, since 3.18 only, every I/O was measured, or none with gtod_reduce.
    count = int(total.get("N", max(1, ios) if mean > 0 else 0))
    by_percent = _either(clat, total, "percentile")
    percentiles = {float(k): float(v) * scale for k, v in by_percent.items() if v}
    # fio writes 0 for what it did not time: all in a ramp, or with disable_clat.
    known = clat if clat.get("mean") and count else {}
    longest = float(total.get("max", math.nan)) if count else math.nan
    counters = Counters(
        ios=ios,
        bytes_=bytes_,
        runtime_ms=runtime,
        latency_sum_ns=mean * count,
        latency_n=count,
        bins=_bins(_either(clat, total, "bins")),
        longest_ns=longest * scale,
        completion_sum_ns=float(known.get("mean", math.nan)) * scale * count,
        completion_longest_ns=float(known.get("max", math.nan)) * scale,
    )
    return Side(counters, percentiles, slack, unit - 1)


def _units(part: Mapping[str, Any]) -> tuple[str, int, int]:
    """Get what names of times end with, their unit in ns, and bytes of a size's."""
    if any(key.endswith("_ns") for key in part):
        return "_ns", 1, 1
    return "", _US, 1 if "io_kbytes" in part else _KIB


def _ios(part: Mapping[str, Any], runtime_ms: int) -> tuple[int, int]:
    """Get the fewest I/Os there were, and how many more there may be."""
    if (ios := part.get("total_ios")) is not None:
        return int(ios), 0
    # 2.1 tells the rate only, a whole number in its early versions.
    rate = part["iops"]
    if isinstance(rate, float):
        return round(rate * runtime_ms / 1000), 0
    return rated(float(rate), runtime_ms)


def _either(
    clat: Mapping[str, Any], total: Mapping[str, Any], name: str
) -> Mapping[str, Any]:
    """Get a table of completion latencies, or with lat_percentiles of total ones."""
    return clat.get(name) or total.get(name) or {}


def checked_runtime(runtime_ms: int) -> int:
    """Get a runtime in ms back; raises ValueError where it cannot be one."""
    if not 0 <= runtime_ms < _LONGEST_MS:
        raise ValueError(f"a runtime of {runtime_ms} ms")
    return runtime_ms


def _bins(bins: Mapping[str, Any]) -> dict[int, int]:
    """Read a histogram; up to 3.0 its keys are bucket numbers of us, later ns."""
    if not any(key.startswith("FIO_IO_U_PLAT") for key in bins):
        return {int(value): int(count) for value, count in bins.items() if count}
    bits = int(bins.get("FIO_IO_U_PLAT_BITS", 6))
    return {
        bucket_value(int(index), bits) * _US: int(count)
        for index, count in bins.items()
        if index.isdigit() and count
    }


def bucket_value(index: int, bits: int = 6) -> int:
    """Get the middle of a bucket: two octaves by ones, then 2**bits an octave.

    As plat_idx_to_val in fio's stat.c documents it.
    """
    if index < 1 << (bits + 1):
        return index
    error_bits = (index >> bits) - 1
    base = 1 << (error_bits + bits)
    step = index % (1 << bits)
    return base + ((2 * step + 1) << error_bits) // 2
