"""WARP's results, aggregated (json) or every request (csv), as one step with traces."""

import csv
import functools
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from app.record.imports.found import Clock, FileClock, Found, FoundStep, FoundTrace
from instruments.errors import BadInput, plain_words
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.reading import SECOND
from workloads.warp.csv import COLUMNS, read_csv
from workloads.warp.output import (
    WarpDataError,
    cut_short,
    failed,
    read_json,
    table_values,
    unpack,
    wall_ns,
)

KIND = "WARP results"
ZSTANDARD = b"\x28\xb5\x2f\xfd"
_SIDES = {"GET": "read", "PUT": "write"}
_METHOD = "the load host's clock"
_LONGEST_S = 90 * 24 * 3600
"""No benchmark lasts longer; each of its seconds is a value."""


def _is_csv(text: str) -> bool:
    """Whether a text is one row a request."""
    return text.startswith("\t".join(COLUMNS[:3]))


def is_warp(text: str) -> bool:
    """Whether a text is one row a request, or the aggregated results."""
    is_json = text.lstrip().startswith("{") and '"by_op_type"' in text
    return _is_csv(text) or is_json


def unpacked(path: Path, content: bytes) -> bytes:
    """Unpack a Zstandard file. Raises BadInput where it is cut off."""
    try:
        return unpack(content)
    except WarpDataError as error:
        raise BadInput(
            str(error), where=str(path), way_out="Fetch it again."
        ) from error


def read_warp(path: Path, text: str, *, keep_rest: bool = False) -> Found:  # noqa: ARG001
    """Read the results of one benchmark; nothing of a damaged one can be kept.

    Raises:
        BadInput: It is cut off, or is none of WARP's.
    """
    try:
        if _is_csv(text):
            result = read_csv(text.encode())
            traces = list(_of_requests(text, result.start_ns))
        else:
            result = read_json(text.encode())
            traces = list(_of_segments(parsed_json(text)))
    except MISSHAPEN as error:
        raise BadInput(
            plain_words(error),
            where=str(path),
            way_out="Expected json.zst or csv.zst as WARP writes it.",
        ) from error
    errors = failed(result.errors) if result.errors else ""
    unfinished = "" if result.final else "WARP does not call its results final"
    window = (result.start_ns, max(result.end_ns, result.start_ns + 1))
    step = FoundStep(
        label=path.name.split(".")[0],
        engine="warp",
        start_ns=window[0],
        window=window,
        values=table_values(result),
        fault="" if result.final else "ABORTED",
        reason="; ".join(filter(None, (errors, unfinished, cut_short(result)))),
    )
    return Found(
        path=path,
        kind=KIND,
        engine="warp",
        section="load",
        clock=FileClock(Clock.WALL, SECOND, _METHOD),
        extent=window,
        maker="MinIO",
        model="WARP",
        steps=(step,),
        traces=tuple(traces),
    )


def _of_segments(document: Mapping[str, object]) -> Iterator[FoundTrace]:
    by_op = document.get("by_op_type")
    for name, table in by_op.items() if isinstance(by_op, dict) else ():
        throughput = table.get("throughput") or {}
        segments = (throughput.get("segmented") or {}).get("segments") or []
        starts = np.array([wall_ns(s["start"]) for s in segments], np.int64)
        if name not in _SIDES or len(starts) < 2:
            continue
        period = int(np.median(np.diff(starts)))
        rows = [[float(s["obj_per_sec"]), float(s["bytes_per_sec"])] for s in segments]
        yield _trace(_SIDES[name], starts, period, np.array(rows))


def _of_requests(text: str, first: int) -> Iterator[FoundTrace]:
    """Count requests by the second in which they ended; the last one is not full."""
    ends: dict[str, list[int]] = {name: [] for name in _SIDES}
    weights: dict[str, list[tuple[int, int]]] = {name: [] for name in _SIDES}
    for cells in csv.reader(io.StringIO(text), delimiter="\t"):
        if len(cells) > 11 and cells[2] in ends and not cells[8]:
            ends[cells[2]].append(_ns(cells[11]))
            weights[cells[2]].append((int(cells[4]), int(cells[5])))
    for name, side in _SIDES.items():
        place = (np.array(ends[name], np.int64) - first) // SECOND
        count = int(place.max()) if len(place) else 0
        if not count:
            continue
        if count > _LONGEST_S:
            raise ValueError(f"its requests end over {count} seconds")
        table = np.array(weights[name], np.float64)
        rows = np.array(
            [np.bincount(place, table[:, n], count + 1)[:count] for n in (0, 1)]
        ).T
        starts = first + np.arange(count, dtype=np.int64) * SECOND
        yield _trace(side, starts, SECOND, rows)


def _ns(text: str) -> int:
    """Read a time; the many of one second share what is slow."""
    head, fraction = text[:19], text[19:]
    digits = fraction[1:].rstrip("Zz")
    if fraction[:1] != "." or not digits.isdigit():
        return wall_ns(text)
    return _second_ns(head) + int(digits.ljust(9, "0")[:9])


@functools.lru_cache(maxsize=64)
def _second_ns(head: str) -> int:
    return wall_ns(f"{head}Z")


def _trace(side: str, starts: np.ndarray, period: int, rows: np.ndarray) -> FoundTrace:
    quantities = ((f"{side}_iops", "1/s", ""), (f"{side}_bw", "B/s", ""))
    return FoundTrace(quantities, period, period, starts, starts + period, rows)
