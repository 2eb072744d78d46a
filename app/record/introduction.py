"""What a source says of itself each time it is opened, and whether it is the same."""

from app.record.sink import Sink
from instruments.base import Source
from instruments.left_out import told_left_out
from instruments.reading import Identity


class Introduction:
    """Introduces a source to the sink, and tells when another device answers.

    Args:
        source: The source.
        sink: Takes the identity and events.
    """

    def __init__(self, source: Source, sink: Sink) -> None:
        self._source = source
        self._sink = sink
        self._known: Identity | None = None

    def take(self, identity: Identity) -> None:
        """Take note of who answers after an opening."""
        name, known = self._source.name, self._known
        if known is None:
            if told := told_left_out(self._source):
                self._sink.event("info", name, told)
        elif _who(known) != _who(identity):
            self._sink.event(
                "warning",
                name,
                f"another device answers: {identity.model} {identity.serial} in place "
                f"of {known.model} {known.serial}",
            )
        self._known = identity
        self._sink.introduce(self._source, identity)


def _who(identity: Identity) -> tuple[str, str, str]:
    return identity.maker, identity.model, identity.serial
