"""What a conversation in SCPI says when the instrument refuses."""

import pytest

from instruments.errors import SourceError
from instruments.link.scpi import Scpi


class Link:
    """A transport to an instrument that does not know one command."""

    def __init__(self) -> None:
        self._queue: list[str] = []

    def query(self, message: str) -> str:
        if message == "*OPC?":
            return "1"
        return self._queue.pop(0) if self._queue else '0,"No error"'

    def write(self, message: str) -> None:
        if message == "*CLS":
            self._queue.clear()
        if message.startswith("INT:MODE"):
            self._queue.append('-113,"Undefined header"')

    def close(self) -> None:
        self._queue.clear()


def test_a_refusal_names_the_commands_since_the_queue_was_empty() -> None:
    scpi = Scpi(Link(), "mains")
    scpi.set("INT:STOP", "*CLS", "CHAN1:MODE AC")
    scpi.check("choosing the mode")
    scpi.set("INT:MODE MAN", "INT:STAR")
    with pytest.raises(
        SourceError, match=r"-113.*\(INT:MODE MAN, INT:STAR\)\."
    ) as found:
        scpi.check("starting the integrator")
    assert "address" not in found.value.way_out
    scpi.check("going on")
