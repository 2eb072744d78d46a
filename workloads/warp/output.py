"""What WARP writes: its aggregated results (json.zst), and what all of them hold."""

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import zstandard

from instruments.errors import plain_words
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.metric import BOTH, max_name, mean_name, percentile_name
from workloads.base import Measured
from workloads.warp.job import WarpJob

READS, WRITES = ("GET",), ("PUT",)


ZSTD = b"\x28\xb5\x2f\xfd"
"""What a Zstandard frame begins with (RFC 8878, 3.1.1)."""

MOST_UNPACKED = 2**30
"""Bytes of a result file; a longer one would not fit into a small machine."""

_COVERED = 0.9
"""Of the time in which requests begin: a shorter window is told of. [judged]"""

_PIECE = 1024
"""Bytes that are unpacked at once: they come to 32 MiB at most."""


class WarpDataError(ValueError):
    """A result file is cut off, or not WARP's."""


@dataclass(slots=True)
class OpResult:
    """One kind of operation over the measured window.

    Attributes:
        requests: Finished requests.
        objects_s: Objects a second.
        bytes_s: Bytes a second.
        mean_ms: Mean time of a request, NaN where it is not given.
        latencies_ms: Its percentiles, of which 100 is the longest; only every single
            request can give them.
        errors: Requests that failed, over the whole run.
    """

    requests: int = 0
    objects_s: float = 0.0
    bytes_s: float = 0.0
    mean_ms: float = math.nan
    latencies_ms: Mapping[float, float] = field(default_factory=dict)
    errors: int = 0


@dataclass(slots=True)
class WarpResult:
    """The results of one benchmark.

    Attributes:
        by_op: Results by operation.
        start_ns: Start of the window, in nanoseconds of wall-clock time.
        end_ns: End of it.
        clients: Load hosts that took part, by their own names.
        final: Whether WARP calls it the final one.
        first_errors: Some of the errors, as they came.
        latencies_ms: The same of all requests.
        covered: How much of the time in which requests begin its window has, 0 to 1.
    """

    by_op: dict[str, OpResult] = field(default_factory=dict)
    start_ns: int = 0
    end_ns: int = 0
    clients: tuple[str, ...] = ()
    final: bool = False
    first_errors: tuple[str, ...] = ()
    latencies_ms: Mapping[float, float] = field(default_factory=dict)
    covered: float = 1.0

    @property
    def errors(self) -> int:
        """Requests that failed."""
        return sum(op.errors for op in self.by_op.values())

    @property
    def requests(self) -> int:
        """All requests."""
        return sum(op.requests for op in self.by_op.values())


def unpack(raw: bytes) -> bytes:
    """Unpack a Zstandard file.

    Raises:
        WarpDataError: It is cut off or no such file.
    """
    pieces, size, at = [], 0, 0
    reader = zstandard.ZstdDecompressor().decompressobj()
    while at < len(raw):
        piece = raw[at : at + _PIECE]
        try:
            pieces.append(reader.decompress(piece))
        except zstandard.ZstdError as error:
            raise WarpDataError("it is damaged and cannot be unpacked") from error
        size += len(pieces[-1])
        if size > MOST_UNPACKED:
            raise WarpDataError(f"it is longer than {MOST_UNPACKED >> 20} MiB")
        at += len(piece) - len(reader.unused_data)
        if reader.eof:  # a file may be of several frames, one behind the other
            reader = zstandard.ZstdDecompressor().decompressobj()
        elif at == len(raw):
            raise WarpDataError("it is cut off")
    return b"".join(pieces)


def read_json(raw: bytes, ramp_ns: int = 0) -> WarpResult:
    """Read the aggregated results, before or after unpacking.

    With a ramp the rates are those of the one-second segments behind it; without one
    they are WARP's own.

    Raises:
        WarpDataError: It is cut off, or not WARP's.
    """
    text = unpack(raw) if raw.startswith(ZSTD) else raw
    try:
        document = parsed_json(text)
        result = _aggregated(document, ramp_ns)
    except MISSHAPEN as error:
        raise WarpDataError(f"it is damaged: {plain_words(error)}") from error
    if not result.by_op:
        raise WarpDataError("it has no operations")
    return result


def _aggregated(document: Mapping[str, Any], ramp_ns: int) -> WarpResult:
    total = document["total"]
    start = wall_ns(total["throughput"]["start_time"])
    end = wall_ns(total["throughput"]["end_time"])
    result = WarpResult(
        start_ns=start + ramp_ns,
        end_ns=end,
        clients=tuple(sorted(_names(total.get("clients")))),
        final=bool(document.get("final")),
        first_errors=tuple(total.get("first_errors") or ()),
    )
    for name, table in document["by_op_type"].items():
        result.by_op[name] = _operation(table, result.start_ns if ramp_ns else 0)
    return result


def _operation(table: Mapping[str, Any], from_ns: int) -> OpResult:
    throughput = table["throughput"]
    objects_s, bytes_s = _rates(throughput, from_ns) if from_ns else _mean(throughput)
    return OpResult(
        requests=int(table["total_requests"]),
        objects_s=objects_s,
        bytes_s=bytes_s,
        mean_ms=_mean_ms(table, from_ns),
        errors=int(table["total_errors"]),
    )


def _mean(throughput: Mapping[str, Any]) -> tuple[float, float]:
    """Get WARP's own objects and bytes a second."""
    millis = float(throughput.get("measure_duration_millis") or 0)
    if not millis:
        return 0.0, 0.0
    objects, bytes_ = float(throughput["objects"]), float(throughput["bytes"])
    return 1000 * objects / millis, 1000 * bytes_ / millis


def _rates(throughput: Mapping[str, Any], from_ns: int) -> tuple[float, float]:
    """Get objects and bytes a second, over the segments from a moment on."""
    segments = (throughput.get("segmented") or {}).get("segments") or []
    late = [each for each in segments if wall_ns(each["start"]) >= from_ns]
    if not late:
        return 0.0, 0.0
    return (
        sum(float(each["obj_per_sec"]) for each in late) / len(late),
        sum(float(each["bytes_per_sec"]) for each in late) / len(late),
    )


def _mean_ms(table: Mapping[str, Any], from_ns: int) -> float:
    """Get the mean time of a request, over the parts of a run behind a moment."""
    by_client = (table.get("requests_by_client") or {}).values()
    parts = itertools.chain.from_iterable(parts or () for parts in by_client)
    timed = [each for part in parts if (each := _single(part, from_ns)).get("requests")]
    total_ms = sum(int(n["requests"]) * float(n["dur_avg_millis"]) for n in timed)
    requests = sum(int(each["requests"]) for each in timed)
    return total_ms / requests if requests else math.nan


def _single(part: Mapping[str, Any], from_ns: int) -> Mapping[str, Any]:
    """Get the requests of one size in a part; {} where it is too early or has none."""
    single = part.get("single_sized_requests") or {}
    if not single or single.get("skipped") or wall_ns(part["end_time"]) <= from_ns:
        return {}
    return dict(single)


def wall_ns(text: str) -> int:
    """Read a time of Go's (RFC 3339 with up to nine digits) in nanoseconds.

    Raises:
        ValueError: It is not one.
    """
    head, _, rest = text.partition(".")
    # fromisoformat keeps six digits, Go writes up to nine.
    zone = rest.lstrip("0123456789")
    digits = rest.removesuffix(zone)
    head += zone
    seconds = datetime.fromisoformat(head.replace("Z", "+00:00"))
    if seconds.tzinfo is None:
        raise ValueError(f"a time without a zone: {text}")
    fraction = int(digits.ljust(9, "0")[:9])
    return int(seconds.timestamp()) * 1_000_000_000 + fraction


def _names(clients: Any) -> list[str]:
    """Get names out of a list, or of a table that has them as keys."""
    return [str(name) for name in clients or () if name]


def table_values(result: WarpResult) -> dict[str, Measured]:
    """Get the results by the names of report_table.

    An I/O is a finished request: GET is read, PUT is write, and the sums have all
    operations. MB is 10**6 bytes. Percentiles come from single requests only.
    """
    origin = "WARP's result file, over its window"
    ops = result.by_op
    values = {
        "iops": Measured(sum(op.objects_s for op in ops.values()), "1/s", origin),
        "bandwidth_mb_s": Measured(
            sum(op.bytes_s for op in ops.values()) / 1e6, "MB/s", origin
        ),
        "errors": Measured(float(result.errors), "", origin),
    }
    ways = {**dict.fromkeys(READS, "read"), **dict.fromkeys(WRITES, "write")}
    for name, direction in ways.items():
        if (op := ops.get(name)) is not None:
            values[f"{direction}_iops"] = Measured(op.objects_s, "1/s", origin)
            values[f"{direction}_mb_s"] = Measured(op.bytes_s / 1e6, "MB/s", origin)
            values[mean_name(direction)] = Measured(op.mean_ms, "ms", origin)
            values |= _latencies(op.latencies_ms, direction, origin)
    values[mean_name(BOTH)] = Measured(_mean_of_all_ms(ops.values()), "ms", origin)
    values |= _latencies(result.latencies_ms, BOTH, origin)
    return {k: value for k, value in values.items() if not math.isnan(value.value)}


def _mean_of_all_ms(ops: Iterable[OpResult]) -> float:
    """Get the mean time of all requests, NaN where no time is given."""
    timed = [op for op in ops if op.requests and not math.isnan(op.mean_ms)]
    requests = sum(op.requests for op in timed)
    total_ms = sum(op.requests * op.mean_ms for op in timed)
    return total_ms / requests if requests else math.nan


def _latencies(
    latencies_ms: Mapping[float, float], of: str, origin: str
) -> dict[str, Measured]:
    return {
        max_name(of) if percent == 100.0 else percentile_name(of, percent): Measured(
            value, "ms", origin
        )
        for percent, value in latencies_ms.items()
    }


def cut_short(result: WarpResult) -> str:
    """Say that a thread ended long before the others; "" where none did."""
    if result.covered >= _COVERED:
        return ""
    seconds = (result.end_ns - result.start_ns) / 1e9
    return (
        f"its window ends after {seconds:.3g} of {seconds / result.covered:.3g} s, as "
        "one of its threads began its last request then"
    )


def failed(count: int) -> str:
    """Say how many requests failed."""
    return "1 request failed" if count == 1 else f"{count} requests failed"


def what_is_wrong(result: WarpResult, job: WarpJob) -> str:
    """Tell why a result must not count, "" if it may.

    WARP ends with exit code 0 where a load host was lost in mid run, and its result
    is silently that of the others, so its hosts are counted.
    """
    if not result.final:
        return "warp's results are incomplete: they are not the final ones"
    if result.errors:
        first = f": {result.first_errors[0][:200]}" if result.first_errors else ""
        return f"{failed(result.errors)}{first}"
    if job.clients and len(result.clients) < len(job.clients):
        return (
            f"only {len(result.clients)} of {len(job.clients)} load hosts are in the "
            "result; the others were lost"
        )
    wanted = {"get": READS, "put": WRITES, "mixed": (*READS, *WRITES)}
    lacking = [
        n for n in wanted[job.checked.text("operation")] if n not in result.by_op
    ]
    if lacking:
        return f"the result has no {lacking[0]}; give a longer runtime"
    return ""
