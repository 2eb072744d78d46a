"""Lines of a stream: the newest counts, and a stall is noticed."""

from collections.abc import Callable

from instruments.errors import SourceError
from instruments.power.stream import Stream
from instruments.reading import SECOND, Status
from instruments.timebase import monotonic_ns

# Bytes without an end of line, and lines in one go, after which it is not a meter that
# sends them.
_LONGEST = 65_536
_MOST_LINES = 10_000


class Rows:
    """Reads lines without its own thread.

    Args:
        stream: Where they come from.
        where: What is connected, for messages.
        clock: Gives monotonic nanoseconds.
    """

    def __init__(
        self, stream: Stream, where: str, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self._stream = stream
        self._where = where
        self._clock = clock
        self._rest = b""
        self._lines: list[str] = []

    def next(self, timeout_s: float) -> str:
        """Take the oldest line; waits for one.

        Raises:
            SourceError: None came in time, the connection is gone, or it is not text.
        """
        self._wait(timeout_s)
        return self._lines.pop(0)

    def newest(self, timeout_s: float) -> str:
        """Take the newest complete line and drop those before; waits for one.

        Raises:
            SourceError: None came in time, the connection is gone, or it is not text.
        """
        self._take(0.0)  # all that came meanwhile, of which the newest counts
        self._wait(timeout_s)
        line = self._lines[-1]
        self._lines.clear()
        return line

    def drop(self) -> None:
        """Forget all that has come so far, including the beginning of a line."""
        self._take(0.0)
        self._lines.clear()
        self._rest = b""

    def _wait(self, timeout_s: float) -> None:
        end = self._clock() + round(timeout_s * SECOND)
        while not self._lines:
            left = (end - self._clock()) / SECOND
            if left <= 0.0:
                raise SourceError(
                    f"no line of values within {timeout_s:g} s",
                    where=self._where,
                    way_out="Is it switched on, and does it still measure?",
                    status=Status.TIMEOUT,
                )
            self._take(left)

    def _take(self, timeout_s: float) -> None:
        """Take in what has come, all of it; wait for the first of it."""
        piece = self._stream.receive(timeout_s)
        while piece:
            self._rest += piece
            *lines, self._rest = self._rest.split(b"\n")
            self._lines += [self._text(line) for line in lines]
            if len(self._lines) > _MOST_LINES:
                raise self._error("it sends more lines than can be read")
            if len(self._rest) > _LONGEST:
                raise self._error("what comes has no end of line")
            piece = self._stream.receive(0.0)

    def _text(self, line: bytes) -> str:
        try:
            return line.decode("ascii").strip()
        except UnicodeDecodeError:
            raise self._error("it sends bytes that are not text") from None

    def _error(self, what: str) -> SourceError:
        way_out = "Check that it is the right instrument and port."
        return SourceError(what, where=self._where, way_out=way_out)
