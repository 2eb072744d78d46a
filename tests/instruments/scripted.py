"""A transport that follows a script, for tests of drivers."""

from collections.abc import Sequence

from instruments.errors import SourceError
from instruments.reading import Status

Line = tuple[str, str | SourceError | None]
"""What is sent, and what comes back: an answer, None for a write, or a failure."""

TIMEOUT = SourceError("no answer within 1.5 s", status=Status.TIMEOUT)


class ScriptedTransport:
    """Checks that each line is sent as written, and answers it.

    After a failure it is finished, as the real one is.

    Args:
        script: The lines of one connection.
    """

    def __init__(self, script: Sequence[Line]) -> None:
        self._left = list(script)
        self.closed = False
        self.failed = False

    def query(self, message: str) -> str:
        answer = self._next(message)
        assert answer is not None, f"{message} is answered, but the script writes it"
        return answer

    def write(self, message: str) -> None:
        answer = self._next(message)
        assert answer is None, f"{message} is written, but the script answers it"

    def close(self) -> None:
        self.closed = True

    def _next(self, message: str) -> str | None:
        if self.failed:
            raise SourceError("the connection is closed after an error")
        assert not self.closed, f"{message} was sent after the end"
        assert self._left, f"{message} was sent after the script's end"
        sent, answer = self._left.pop(0)
        assert message == sent
        if isinstance(answer, SourceError):
            self.failed = True
            raise SourceError(answer.what, status=answer.status)
        return answer

    def finish(self) -> None:
        """Check that all was said and the connection closed."""
        assert not self._left, f"never sent: {self._left}"
        assert self.closed


class Script:
    """Opens one scripted transport after another.

    Args:
        connections: The script of each connection, in order.
    """

    def __init__(self, *connections: Sequence[Line]) -> None:
        self._waiting = list(connections)
        self.opened: list[ScriptedTransport] = []
        self.resources: list[str] = []

    def __call__(self, resource: str, timeout_s: float) -> ScriptedTransport:
        assert 1.0 <= timeout_s <= 1.5  # bounds what pyvisa-py does at an EOF
        self.resources.append(resource)
        transport = ScriptedTransport(self._waiting.pop(0))
        self.opened.append(transport)
        return transport

    def finish(self) -> None:
        """Check that every connection was opened, used up and closed."""
        assert not self._waiting
        for transport in self.opened:
            transport.finish()
