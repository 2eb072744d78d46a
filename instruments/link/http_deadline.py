"""A moment after which nothing more is read of an HTTP answer.

httpx waits its time again for each piece, and gives none before the headers are whole:
those of an answer may trickle for ever, and so may the size of a chunk.
"""

import math
import time
from collections.abc import Mapping
from typing import Any

# The names of httpcore's trace events after which a connection has its stream.
_OPENED = ("connection.connect_tcp.complete", "connection.start_tls.complete")


class HttpDeadline:
    """Bounds all reads of the connections of one client.

    Attributes:
        end: The moment in monotonic seconds; set before each request.
    """

    def __init__(self) -> None:
        self.end = math.inf

    def trace(self, event: str, facts: Mapping[str, Any]) -> None:
        """Bound a connection when it was opened; a request's extension "trace"."""
        if event not in _OPENED:
            return
        # httpcore's own stream: the only place that each read of headers, sizes of
        # chunks and body goes through.
        stream = facts["return_value"]
        read = stream.read

        def read_in_time(most: int, timeout: float | None = None) -> bytes:
            left = self.end - time.monotonic()
            if left <= 0:
                raise TimeoutError("the answer does not end")
            wait = left if timeout is None else min(timeout, left)
            return bytes(read(most, wait if math.isfinite(wait) else None))

        stream.read = read_in_time
