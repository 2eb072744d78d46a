"""Every single request of a WARP benchmark (csv.zst), counted over its window."""

import csv
import io
import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from instruments.errors import plain_words
from instruments.metric import PERCENTILES
from workloads.warp.output import (
    ZSTD,
    OpResult,
    WarpDataError,
    WarpResult,
    unpack,
    wall_ns,
)

COLUMNS = (
    "idx",
    "thread",
    "op",
    "client_id",
    "n_objects",
    "bytes",
    "endpoint",
    "file",
    "error",
    "start",
    "first_byte",
    "end",
    "duration_ns",
)
"""Columns of a csv.zst, tab-separated; newer versions add "cat" at the end."""


def read_csv(raw: bytes, ramp_ns: int = 0) -> WarpResult:
    """Read every request of a run, before or after unpacking.

    Requests count that end in the window. It begins with the first request, later by
    the ramp, and ends as a thread begins its last one, for then the load goes down
    (`ActiveTimeRange` in WARP's own analysis): where none begins two, with the last.
    A thread that ends early so takes from the window what the others go on for.

    Raises:
        WarpDataError: It is cut off, or not WARP's.
    """
    text = unpack(raw) if raw.startswith(ZSTD) else raw
    # A field with a tab, a quote or a line break stands in quotes, such as an error.
    lines = csv.reader(
        io.StringIO(text.decode("utf-8", "replace"), newline=""), delimiter="\t"
    )
    try:
        if tuple(next(lines, [])[: len(COLUMNS)]) != COLUMNS:
            raise WarpDataError("it does not begin with WARP's columns")
        rows = list(_rows(lines))
    except WarpDataError:
        raise  # a ValueError as well, but with its own words
    except (csv.Error, ValueError, ArithmeticError) as error:
        why = "damaged" if isinstance(error, csv.Error) else plain_words(error)
        raise WarpDataError(f"line {lines.line_num}: {why}") from error
    if not rows:
        raise WarpDataError("it has no requests")
    start, end, covered = _window(rows, ramp_ns)
    return replace(_from_rows(rows, start, end), covered=covered)


Row = tuple[int, int, str, int, int, str, str, int, str]
"""Start and end (ns), operation, objects, bytes, error, client, duration, thread."""


def _window(rows: Sequence[Row], ramp_ns: int) -> tuple[int, int, float]:
    """Get start and end of the window, and how much it has of what it could; 0 to 1."""
    start = min(row[0] for row in rows) + ramp_ns
    last_begun: dict[tuple[str, str], int] = {}
    for began, *_, client, _, thread in rows:
        last_begun[client, thread] = max(began, last_begun.get((client, thread), 0))
    end, last = min(last_begun.values()), max(last_begun.values())
    if not any(start <= row[1] <= end for row in rows):
        return start, max(row[1] for row in rows), 1.0
    return start, end, (end - start) / (last - start) if start < end < last else 1.0


def _rows(lines: Iterable[list[str]]) -> Iterator[Row]:
    for cells in lines:
        if not cells or cells[0].startswith("#"):
            continue
        if len(cells) < len(COLUMNS):
            raise WarpDataError("its last line is cut off")
        yield (
            wall_ns(cells[9]),
            wall_ns(cells[11]),
            cells[2],
            _count(cells[4]),
            _count(cells[5]),
            cells[8],
            cells[3],
            _count(cells[12]),
            cells[1],
        )


def _count(text: str) -> int:
    """Read a whole number; raises ValueError where 64 bits do not hold it."""
    number = int(text)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{text[:30]} is too large")
    return number


def _from_rows(rows: list[Row], start: int, end: int) -> WarpResult:
    result = WarpResult(start_ns=start, end_ns=end, final=True)
    seconds = max(1, end - start) / 1e9
    times: dict[str, array[int]] = {}
    errors: list[str] = []
    for _, ended, name, objects, size, error, _, duration, _ in rows:
        op = result.by_op.setdefault(name, OpResult())
        if error:
            op.errors += 1
            errors.append(error)
        elif start <= ended <= end:
            op.requests += 1
            op.objects_s += objects / seconds
            op.bytes_s += size / seconds
            times.setdefault(name, array("q")).append(duration)
    every = array("q")
    for name, durations in times.items():
        result.by_op[name].mean_ms = sum(durations) / len(durations) / 1e6
        result.by_op[name].latencies_ms = _latencies_ms(durations)
        every.extend(durations)
    result.latencies_ms = _latencies_ms(every)
    result.clients = tuple(sorted({row[6] for row in rows} - {""}))
    result.first_errors = tuple(errors[:10])
    return result


def _latencies_ms(durations_ns: "array[int]") -> dict[float, float]:
    """Get the percentiles (nearest rank) and the longest, as the one of 100 %."""
    ranked = np.sort(np.frombuffer(durations_ns, dtype=np.int64))
    return {
        percent: ranked[max(0, math.ceil(percent * ranked.size / 100) - 1)] / 1e6
        for percent in (*PERCENTILES, 100.0)
        if ranked.size
    }
