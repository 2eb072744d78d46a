"""What WARP measured: its operations by our names, and whether all of it counts."""

import math
from collections.abc import Mapping

from instruments.metric import BOTH, max_name, mean_name, percentile_name
from workloads.base import Measured
from workloads.warp.job import WarpJob
from workloads.warp.output import READS, WRITES, WarpResult


def table_values(found: WarpResult) -> dict[str, Measured]:
    """Get the results by the names of report_table.

    An I/O is a finished request: GET is read, PUT is write, and the sums have all
    operations. MB is 10**6 bytes. Percentiles come from single requests only.
    """
    origin = "WARP's result file, over its window"
    ops = found.by_op
    values = {
        "iops": Measured(sum(op.objects_s for op in ops.values()), "1/s", origin),
        "bandwidth_mb_s": Measured(
            sum(op.bytes_s for op in ops.values()) / 1e6, "MB/s", origin
        ),
        "errors": Measured(float(found.errors), "", origin),
    }
    for direction, names in (("read", READS), ("write", WRITES)):
        for op in (ops[name] for name in names if name in ops):
            values[f"{direction}_iops"] = Measured(op.objects_s, "1/s", origin)
            values[f"{direction}_mb_s"] = Measured(op.bytes_s / 1e6, "MB/s", origin)
            values[mean_name(direction)] = Measured(op.mean_ms, "ms", origin)
            values |= _latencies(op.latencies_ms, direction, origin)
    timed = [op for op in ops.values() if op.requests and not math.isnan(op.mean_ms)]
    if requests := sum(op.requests for op in timed):
        mean_ms = sum(op.requests * op.mean_ms for op in timed) / requests
        values[mean_name(BOTH)] = Measured(mean_ms, "ms", origin)
    values |= _latencies(found.latencies_ms, BOTH, origin)
    return {k: value for k, value in values.items() if not math.isnan(value.value)}


def _latencies(
    told_ms: Mapping[float, float], of: str, origin: str
) -> dict[str, Measured]:
    return {
        max_name(of) if percent == 100.0 else percentile_name(of, percent): Measured(
            value, "ms", origin
        )
        for percent, value in told_ms.items()
    }


def failed(count: int) -> str:
    """Say how many requests failed."""
    return "1 request failed" if count == 1 else f"{count} requests failed"


def what_is_wrong(found: WarpResult, job: WarpJob) -> str:
    """Tell why a result must not count, "" if it may.

    WARP ends with exit code 0 where a load host was lost in mid run, and its result
    is silently that of the others, so its hosts are counted.
    """
    if not found.final:
        return "warp's results are not whole: they are not the final ones"
    if found.errors:
        first = f": {found.first_errors[0][:200]}" if found.first_errors else ""
        return f"{failed(found.errors)}{first}"
    if job.clients and len(found.clients) < len(job.clients):
        return (
            f"only {len(found.clients)} of {len(job.clients)} load hosts are in the "
            "result; the others were lost"
        )
    wanted = {"get": READS, "put": WRITES, "mixed": (*READS, *WRITES)}
    lacking = [n for n in wanted[job.checked.text("operation")] if n not in found.by_op]
    if lacking:
        return f"the result has no {lacking[0]}; give a longer runtime"
    return ""
