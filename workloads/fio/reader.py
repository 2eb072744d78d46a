"""What fio prints, read while it runs: documents to live readings, all of it kept."""

import os
import threading
import time
import zlib
from collections.abc import Mapping
from typing import IO, Any, Protocol

from instruments.errors import plain_words
from instruments.reading import SECOND
from instruments.timebase import monotonic_ns
from workloads.fio.live import FioLive
from workloads.fio.stream import DocumentStream

_CHUNK = 2**18

MOST_KEPT = 8 * 2**20
"""Compressed bytes of fio's output that are kept, and its last document."""


class Printing(Protocol):
    """A program, as far as it prints."""

    @property
    def stdout(self) -> IO[bytes]:
        """Get its output as a binary file."""
        ...


class FioReader(threading.Thread):
    """Takes the standard output of one fio, here or on another machine.

    Attributes:
        stream: Its messages are what fio printed beside documents.
        last: The last document that was read, None before the first.
        last_document: When it came, by `time.monotonic`.
    """

    def __init__(self, process: Printing, live: FioLive) -> None:
        super().__init__(name="fio-reader", daemon=True)
        self.stream = DocumentStream()
        self.last: dict[str, Any] | None = None
        self.last_document = time.monotonic()
        self._process = process
        self._live = live
        self._written = self._asked = self._written_before = 0
        # The lowest level: documents of 60 devices are 1.3 MB a second.
        self._compressor = zlib.compressobj(1)
        self._packed: list[bytes] = []
        self._kept = self._dropped = 0
        self._last_text = b""

    def run(self) -> None:
        """Read until fio closes its output."""
        descriptor = self._process.stdout.fileno()
        while chunk := os.read(descriptor, _CHUNK):
            self._keep(chunk)
            for document, text in self.stream.feed(chunk):
                self._take(document, text)
        # A fio that was killed leaves its last line without an end.
        for document, text in self.stream.feed(b"\n"):
            self._take(document, text)

    def _take(self, document: dict[str, Any], text: bytes) -> None:
        arrival = monotonic_ns()
        self.last_document = time.monotonic()
        try:
            self._count_written(document)
            self._live.take(document, moment_of(document, arrival, time.time_ns()))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            # A version of fio that writes them otherwise.
            self.stream.say(f"a document is not as fio writes it: {plain_words(error)}")
        else:
            self.last, self._last_text = document, text

    def _keep(self, chunk: bytes) -> None:
        if self._kept > MOST_KEPT:
            self._dropped += len(chunk)
            return
        packed = self._compressor.compress(chunk)
        self._kept += len(packed)
        self._packed.append(packed)

    def newly_written(self) -> int:
        """Get the bytes that fio wrote or trimmed since this was last asked."""
        total = self._written
        self._asked, new = total, total - self._asked
        return new

    def compressed(self) -> bytes:
        """Get what fio printed, zlib-compressed; call once, after the end.

        Of a long load of many devices that is its beginning and its last document.
        """
        if self._dropped:
            note = f"\n({self._dropped} bytes were not kept)\n".encode()
            self._packed.append(self._compressor.compress(note + self._last_text))
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
    # Half a millisecond: the stamp is cut, and so early by that much on average.
    age = wall_ns - (int(document.get("timestamp_ms", 0)) * 1_000_000 + 500_000)
    return arrival_ns - age if 0 <= age < 2 * SECOND else arrival_ns
