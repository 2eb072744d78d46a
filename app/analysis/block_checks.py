"""Does the mean block fit the job: MB/s over IOPS against what the plan asks for."""

import math
from collections.abc import Mapping

from app.analysis.io_checks import IoFinding
from instruments.reading import SECOND
from workloads.base import LoadResult
from workloads.fio.block_sizes import block_sizes, queued
from workloads.fio_job import direction

_ROUNDING = 0.02
"""Share of the mean that rounding may make."""

_SIGMAS = 5.0


def check_blocks(options: Mapping[str, str], result: LoadResult) -> list[IoFinding]:
    """Compare the mean block of a fio job with its options, by direction.

    A mean of n blocks is off by chance by the spread of the sizes over sqrt(n); five
    times that is allowed, and 2 % for rounding. fio counts bytes as an I/O ends, and
    I/Os as they are queued (ioengines.c), so what is under way at the ends of the
    window is in one of them only: that is allowed, too, and matters in short windows.

    Args:
        options: The job's own options.
        result: What it did.
    """
    if result.window is None:
        return []
    seconds = (result.window[1] - result.window[0]) / SECOND
    found = []
    for way in ("read", "write"):
        rate, bandwidth = (
            result.values.get(f"{way}_{unit}") for unit in ("iops", "mb_s")
        )
        wanted = block_sizes(options, way)
        if rate is None or bandwidth is None or wanted is None:
            continue
        count = rate.value * seconds
        if count < 1:
            continue
        mean = bandwidth.value * 1e6 / rate.value
        allowed = (_ROUNDING + queued(options, result.jobs) / count) * wanted.mean
        allowed += _SIGMAS * wanted.spread / math.sqrt(count)
        if abs(mean - wanted.mean) > allowed:
            text = (
                f"the mean block of its {way}s is {_kilo(mean)}, the job asks for "
                f"{_kilo(wanted.mean)}{_way_out(options, is_split=wanted.spread > 0)}"
            )
            found.append(IoFinding(text, False, f"{way}_block_bytes", mean))
    return found


def _kilo(size: float) -> str:
    return f"{size / 1000:.1f} kB"


def _way_out(options: Mapping[str, str], *, is_split: bool) -> str:
    """Name the usual cause: large blocks find no free place in the map of blocks."""
    has_map = options.get("norandommap", "0") == "0"
    if is_split and has_map and direction(options).startswith("rand"):
        return (
            "; fio's map of the blocks that it used favours small ones, norandommap "
            "does without it"
        )
    return ""
