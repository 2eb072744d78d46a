"""What a fio run resulted in, made again from what the session kept of its output."""

import itertools
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instruments.files.foreign_text import parsed_json
from instruments.metric import READ, WRITE
from workloads.base import LoadOutcome, Measured
from workloads.fio.output import ZERO, Counters, counters, since
from workloads.fio.result import FioResult
from workloads.fio.steady import fio_steady_states
from workloads.fio.table import OUTPUT, device_values, table_values
from workloads.fio_job import FioJob
from workloads.kept import Kept

# Of every direction of every job; far cheaper than to parse each document.
_RUNTIME = re.compile(rb'"runtime" : (\d{1,15})')
_WAYS = (READ, WRITE)
_MS = 1_000_000

_CHUNK = 1 << 20
"""Bytes that are unpacked at once, so that a long output takes little memory."""

_LARGEST = 64 * 2**20
"""Bytes of a document; 60 devices need less than one MiB."""

_MOST = 2**33
"""Bytes of an output: what fio prints of 60 devices in two hours."""


def kept_result(kept: Kept) -> FioResult:
    """Get what `workloads.fio.result.fio_result` made of an output.

    Returns:
        Its values, and fio's verdict on a steady state; neither where the output is
        not kept, or has no document.

    Raises:
        ValueError: It is damaged, or not as fio writes it.
    """
    outputs, options = kept.outputs, kept.options
    try:
        document = last_document(outputs.get(OUTPUT, b""))
        if document is None:
            return FioResult(LoadOutcome.DONE)
        jobs = document["jobs"]
        names = {job["jobname"]: Path(job["jobname"]) for job in jobs}
        direct = b"\ndirect=1\n" in outputs.get("job.fio", b"")
        # Of the job only what its values depend on: its devices and directions.
        job = FioJob("", tuple(names.values()), 0, 0.0, 0.0, direct, options)
        values = table_values(jobs, job.directions)
        if job.devices:
            values |= device_values(jobs, job)
        steady = tuple(fio_steady_states(document))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("it is damaged, or not as fio writes it") from error
    values["buffered"] = Measured(float(not direct), "", "direct")
    return FioResult(LoadOutcome.DONE, values=values, jobs=job.jobs, steady=steady)


@dataclass(frozen=True, slots=True)
class PartCounted:
    """What fio counted in a part of its window, between two of its documents."""

    window: tuple[int, int]  # moments of the documents in monotonic ns, in the part
    counters: Mapping[str, Counters]  # of each direction
    share: float  # of the part that lies between them, 0 to 1


def part_counted(
    outputs: Mapping[str, bytes], whole: tuple[int, int], part: tuple[int, int]
) -> PartCounted | None:
    """Get what fio counted within a part of its window, its histograms among it.

    Its documents count from the start of the window, and each has its own running
    time: the difference of the first and the last one within the part has nothing
    from outside. Only these two are parsed.

    Args:
        outputs: The artefacts of its step by name.
        whole: The window of the load in monotonic ns.
        part: The part of it.

    Returns:
        None where no two documents lie within the part.
    """
    first: tuple[int, bytes] | None = None
    last = first
    for moment, text, is_again in _moments(outputs, whole[0]):
        if is_again:
            first = last = None
        if part[0] <= moment <= part[1]:
            first = first or (moment, text)
            last = moment, text
    if part[0] <= whole[0]:
        first = (whole[0], b"")
    if first is None or last is None or last[0] <= first[0]:
        return None
    counted = {
        way: since(_counters(last[1], way), _counters(first[1], way)) for way in _WAYS
    }
    window = first[0], last[0]
    share = (window[1] - window[0]) / (part[1] - part[0])
    return PartCounted(window, counted, share)


def counted_between(
    outputs: Mapping[str, bytes], whole: tuple[int, int], most: int
) -> list[PartCounted]:
    """Get what fio counted from document to document, in at most this many stretches.

    Args:
        outputs: The artefacts of its step by name.
        whole: The window of the load in monotonic ns.
        most: How many stretches; where there are more documents some are passed over.

    Raises:
        ValueError: The output is damaged.
    """
    least = (whole[1] - whole[0]) / most
    kept: list[tuple[int, bytes]] = [(whole[0], b"")]
    for moment, text, is_again in _moments(outputs, whole[0]):
        if is_again:
            del kept[1:]
        # Documents are some ms early or late: a full stretch must not be passed over.
        if moment - kept[-1][0] >= 0.99 * least:
            kept.append((moment, text))
    parts = []
    last = dict.fromkeys(_WAYS, ZERO)
    for (start, _), (end, text) in itertools.pairwise(kept):
        now = {way: _counters(text, way) for way in _WAYS}
        counted = {way: since(now[way], last[way]) for way in _WAYS}
        parts.append(PartCounted((start, end), counted, 1.0))
        last = now
    return parts


def _moments(
    outputs: Mapping[str, bytes], start_ns: int
) -> Iterator[tuple[int, bytes, bool]]:
    """Get each document with its moment, and whether fio counts from zero again."""
    before = 0
    for text in _documents(outputs.get(OUTPUT, b"")):
        runtime_ms = max(map(int, _RUNTIME.findall(text)), default=0)
        # A shorter runtime: the ramp is over.
        yield start_ns + runtime_ms * _MS, text, runtime_ms < before
        before = runtime_ms


def _counters(text: bytes, direction: str) -> Counters:
    return counters(parsed_json(text)["jobs"], direction) if text else ZERO


def last_document(packed: bytes) -> Mapping[str, Any] | None:
    """Get the last document of a packed output; None where it has none with jobs.

    Raises:
        ValueError: It is damaged.
    """
    last = b""
    for text in _documents(packed):
        last = text
    document = parsed_json(last) if last else None
    has_jobs = isinstance(document, Mapping) and document.get("jobs")
    return document if has_jobs else None


def _documents(packed: bytes) -> Iterator[bytes]:
    """Cut documents out of an output, unparsed: a line "{" begins one, "}" ends it.

    Raises:
        ValueError: It is damaged, or longer than any output of fio.
    """
    rest, end = b"", b"\n}\n"
    for piece in _unpacked(packed):
        rest += piece.replace(b"\r", b"")  # of a fio on Windows
        place = 0
        while (at := rest.find(end, place)) >= 0:
            text = rest[place : at + len(end) - 1]
            # Messages may stand before the document.
            start = (b"\n" + text).find(b"\n{\n")
            if start >= 0:
                yield text[start:]
            place = at + len(end)
        rest = rest[place:]
        if len(rest) > _LARGEST:
            raise ValueError("a document of it does not end")


def _unpacked(packed: bytes) -> Iterator[bytes]:
    unpacker, total = zlib.decompressobj(), 0
    try:
        while packed and total <= _MOST:
            piece = unpacker.decompress(packed, _CHUNK)
            packed, total = unpacker.unconsumed_tail, total + len(piece)
            yield piece
    except zlib.error as error:
        raise ValueError("it cannot be unpacked") from error
    if total and not unpacker.eof:
        raise ValueError("it is cut short, or longer than any output of fio")
    yield b"\n"  # the last line may lack its end
