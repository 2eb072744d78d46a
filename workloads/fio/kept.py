"""What a fio run resulted in, made again from what the session kept of its output."""

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workloads.base import LoadOutcome, Measured
from workloads.fio.result import FioResult
from workloads.fio.steady import fio_steady_states
from workloads.fio.stream import DocumentStream
from workloads.fio.table import OUTPUT, device_values, table_values
from workloads.fio_job import FioJob

_CHUNK = 1 << 20
"""Bytes that are unpacked at once, so that a long output takes little memory."""


def kept_result(outputs: Mapping[str, bytes], options: Mapping[str, str]) -> FioResult:
    """Get what `workloads.fio.result.fio_result` made of an output.

    Args:
        outputs: The artefacts of its step by name.
        options: The options of its step.

    Returns:
        Its values, and what fio said of a steady state; neither where the output is
        not kept, or has no document.

    Raises:
        ValueError: It is damaged, or not as fio writes it.
    """
    try:
        document = _last_document(outputs.get(OUTPUT, b""))
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
    except (KeyError, TypeError, AttributeError, zlib.error) as error:
        raise ValueError("it is damaged, or not as fio writes it") from error
    values["buffered"] = Measured(float(not direct), "", "direct")
    return FioResult(LoadOutcome.DONE, values=values, jobs=job.jobs, steady=steady)


def _last_document(packed: bytes) -> Mapping[str, Any] | None:
    stream, last = DocumentStream(), None
    for piece in (*_unpacked(packed), b"\n"):
        for document, _ in stream.feed(piece):
            last = document
    return last


def _unpacked(packed: bytes) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    while packed:
        yield unpacker.decompress(packed, _CHUNK)
        packed = unpacker.unconsumed_tail
    yield unpacker.flush()
