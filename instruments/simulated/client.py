"""The client's side of the simulated bench: one line out, one line back."""

import math
import time
from collections.abc import Mapping
from contextlib import suppress

from instruments.errors import SourceError
from instruments.files.foreign_text import parsed_json
from instruments.link.errors import connected, explain
from instruments.link.transport import TIMEOUT_S
from instruments.reading import Identity, Judged, Status

_LONGEST_ANSWER = 65_536
# 0 would be a socket that does not wait at all (socket.settimeout).
_LAST_LOOK_S = 0.05


class LineClient:
    """A connection to the enclosure's port; see docs/simulated-bench.md.

    Args:
        address: Host and port, such as "127.0.0.1:5026".
        where: What is connected, for messages.
        timeout_s: Seconds an answer may take, all its pieces together.

    Raises:
        SourceError: Nothing listens there, or the address is invalid.
    """

    def __init__(
        self, address: str, where: str = "", timeout_s: float = TIMEOUT_S
    ) -> None:
        self._address = address
        self._where = where or address
        self._timeout_s = timeout_s
        self._socket = connected(address, self._where, timeout_s)

    def ask(self, message: str) -> str:
        """Send a line and get the line that answers it.

        Raises:
            SourceError: No answer, or a refusal; the connection is closed by then.
        """
        try:
            self._socket.sendall(message.encode() + b"\n")
            answer = self._receive().decode("ascii").strip()
        except (OSError, UnicodeError) as error:
            self.close()
            raise explain(error, self._where, self._timeout_s) from error
        if answer.startswith("ERROR"):
            self.close()
            raise SourceError(
                f'it refused "{message}": {answer[6:]}', where=self._where
            )
        return answer

    def identify(self) -> Identity:
        """Ask who is there; raises SourceError where it is not a simulated bench."""
        answer = self.ask("*IDN?")
        fields = answer.split(",")
        # Simulators have serial numbers that begin so, and no device has.
        if len(fields) != 4 or not fields[2].startswith("SIM"):
            self.close()
            shown = " ".join(answer.split())[:60]
            raise SourceError(
                f'"{shown}" answers there instead of a simulated enclosure',
                where=self._where,
                way_out="Give the enclosure's port of the simulated bench.",
            )
        maker, model, serial, firmware = fields
        return Identity(maker, model, serial, firmware, self._address, simulated=True)

    def values(self, message: str) -> tuple[dict[str, Judged], bytes]:
        """Ask for named values: each a number or null, and a status.

        Returns:
            Value and status by name (NaN where there is no value), and the raw line.

        Raises:
            SourceError: No answer, or one that is not understood.
        """
        answer = self.ask(message)
        try:
            document: Mapping[str, tuple[float | None, str]] = parsed_json(answer)
            values = {
                name: (_number(value, Status(status)), Status(status))
                for name, (value, status) in document.items()
            }
        except (ValueError, TypeError, AttributeError) as error:
            self.close()
            raise SourceError(
                f'"{answer[:60]}" came as the answer to {message}',
                where=self._where,
                way_out="The connection is opened again.",
            ) from error
        return values, answer.encode()

    def close(self) -> None:
        """Let go of the connection; may be called twice."""
        with suppress(OSError):
            self._socket.close()

    def _receive(self) -> bytes:
        deadline = time.monotonic() + self._timeout_s
        buffer, was_late = b"", False
        while not buffer.endswith(b"\n"):
            left = deadline - time.monotonic()
            if was_late:
                raise TimeoutError
            # What is there when the time is over counts: we may have stood still.
            was_late = left <= 0
            self._socket.settimeout(max(left, _LAST_LOOK_S))
            piece = self._socket.recv(4096)
            if not piece or len(buffer) > _LONGEST_ANSWER:
                raise ConnectionAbortedError
            buffer += piece
        return buffer


def _number(value: float | None, status: Status) -> float:
    return float(value) if value is not None and status.is_value else math.nan
