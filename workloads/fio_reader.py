"""What fio prints, read while it runs: documents to live readings, all of it kept."""

import threading
import time
import zlib
from collections.abc import Mapping
from typing import Any

from instruments.reading import SECOND
from instruments.started import Started
from workloads.fio_live import FioLive
from workloads.fio_output import DocumentStream


class FioReader(threading.Thread):
    """Takes the standard output of one fio, here or on another machine.

    Attributes:
        stream: Its messages are what fio printed beside documents.
        last: The last document that was read, None before the first.
        last_document: When it came, by `time.monotonic`.
    """

    def __init__(self, process: Started, live: FioLive) -> None:
        super().__init__(name="fio-reader", daemon=True)
        self.stream = DocumentStream()
        self.last: dict[str, Any] | None = None
        self.last_document = time.monotonic()
        self._process = process
        self._live = live
        self._written = self._told = self._written_before = 0
        self._compressor = zlib.compressobj(6)
        self._packed: list[bytes] = []

    def run(self) -> None:
        """Read until fio closes its output."""
        for line in iter(self._process.stdout.readline, b""):
            self._packed.append(self._compressor.compress(line))
            document = self.stream.feed(line.decode("utf-8", "replace"))
            if document is not None:
                arrival = time.monotonic_ns()
                self.last_document = time.monotonic()
                try:
                    self._count_written(document)
                    moment = moment_of(document, arrival, time.time_ns())
                    self._live.take(document, moment)
                except (KeyError, TypeError, ValueError, AttributeError) as error:
                    # A version of fio that writes them otherwise.
                    self.stream.messages.append(f"a document lacks {error!r}")
                else:
                    self.last = document

    def newly_written(self) -> int:
        """Get the bytes that fio wrote or trimmed since this was last asked."""
        total = self._written
        self._told, new = total, total - self._told
        return new

    def compressed(self) -> bytes:
        """Get everything fio printed, zlib-compressed; call once, after the end."""
        return b"".join((*self._packed, self._compressor.flush()))

    def _count_written(self, document: Mapping[str, Any]) -> None:
        total = sum(
            int(job.get(direction, {}).get("io_bytes", 0))
            for job in document["jobs"]
            for direction in ("write", "trim")
        )
        # At the end of the ramp fio begins again at zero.
        before = self._written_before
        self._written += total - before if total >= before else total
        self._written_before = total


def moment_of(document: Mapping[str, Any], arrival_ns: int, wall_ns: int) -> int:
    """Find when a document was made, on the monotonic clock.

    fio stamps it with the wall clock in whole milliseconds; the wall clock read at
    the arrival carries the stamp over. A stamp that cannot be is not believed.

    Args:
        document: The document.
        arrival_ns: Monotonic clock at its arrival.
        wall_ns: Wall clock at its arrival, of the machine that fio runs on.
    """
    age = wall_ns - (int(document.get("timestamp_ms", 0)) * 1_000_000 + 500_000)
    return arrival_ns - age if 0 <= age < 2 * SECOND else arrival_ns
