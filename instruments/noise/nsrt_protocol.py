"""Questions and answers of an NSRT: twelve bytes there, a known number back.

From the maker's protocol paper for the mk4 and the MIT package nsrt-mk3-dev: command,
address and count are little-endian words, bit 31 means "to the host", a write is
answered with 06.
"""

import math
import struct
from collections.abc import Callable

from instruments.errors import SourceError
from instruments.link.serial_port import SerialPort
from instruments.reading import SECOND, Status
from instruments.timebase import monotonic_ns

READ = 0x80000000
# Commands of the maker's protocol paper.
LEVEL, LEQ, WEIGHTING, TAU = 0x10, 0x11, 0x20, 0x22
MODEL, SERIAL, FIRMWARE = 0x31, 0x32, 0x33
ACK = b"\x06"
TEXT_SIZE = 32  # bytes asked for of a text; it may send fewer
TIMEOUT_S = 1.0
_QUIET_S = 0.1  # after the end of a text in which the rest of it may still come


class NsrtLink:
    """Asks an NSRT over its serial port.

    Args:
        port: The opened port.
        where: The source and its address, for errors.
        timeout_s: Seconds an answer may take.
        clock: Gives monotonic nanoseconds.
    """

    def __init__(
        self,
        port: SerialPort,
        where: str,
        *,
        timeout_s: float = TIMEOUT_S,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self._port = port
        self._where = where
        self._timeout_s = timeout_s
        self._clock = clock

    def number(self, command: int) -> tuple[float, bytes]:
        """Ask for a float; get it and the answer as it came.

        Raises:
            SourceError: No answer, a short one, or no number.
        """
        answer = self._ask(command, 4)
        value: float = struct.unpack("<f", answer)[0]
        if not math.isfinite(value):
            raise self._garbage(answer)
        return value, answer

    def byte(self, command: int) -> int:
        """Ask for one byte.

        Raises:
            SourceError: No answer.
        """
        return self._ask(command, 1)[0]

    def text(self, command: int) -> str:
        """Ask for a text; the meter may send less than it is asked for.

        Raises:
            SourceError: No answer, or bytes that are not text.
        """
        answer = self._ask(command, TEXT_SIZE, can_end=True)
        text = answer.split(b"\0")[0]
        if not text.isascii() or not text.decode("ascii", "replace").isprintable():
            raise self._garbage(answer)
        return text.decode("ascii")

    def write(self, command: int, data: bytes) -> None:
        """Change a setting.

        Raises:
            SourceError: It was not acknowledged.
        """
        self._port.discard()
        self._port.write(struct.pack("<LLL", command, 0, len(data)) + data)
        answer = self._gather(1, can_end=False)
        if answer != ACK:
            raise self._garbage(answer)

    def close(self) -> None:
        """Let go of the port; may be called twice."""
        self._port.close()

    def _ask(self, command: int, count: int, *, can_end: bool = False) -> bytes:
        self._port.discard()  # a late answer is not the next one
        self._port.write(struct.pack("<LLL", READ | command, 0, count))
        return self._gather(count, can_end=can_end)

    def _gather(self, count: int, *, can_end: bool) -> bytes:
        answer = b""
        end = self._clock() + round(self._timeout_s * SECOND)
        while len(answer) < count:
            left = (end - self._clock()) / SECOND
            # A text may come shorter than it was asked for, with nothing after its end.
            is_text_over = can_end and b"\0" in answer
            wait = min(left, _QUIET_S) if is_text_over else left
            more = self._port.read(count - len(answer), wait) if left > 0 else b""
            if not more and is_text_over:
                break
            if not more:
                received = f"{len(answer)} of {count} bytes" if answer else "no answer"
                raise SourceError(
                    f"{received} within {self._timeout_s:g} s",
                    where=self._where,
                    way_out="Is it the NSRT's serial port, and no other program on it?",
                    status=Status.TIMEOUT,
                )
            answer += more
        return answer

    def _garbage(self, answer: bytes) -> SourceError:
        return SourceError(
            f"the bytes {answer[:8].hex(' ')} are not an answer of an NSRT",
            where=self._where,
            way_out="Is it the serial port of this meter?",
        )
