"""The time in which a source is lost: one gap that grows, with the error's reason."""

from app.record.clock import Clock
from app.record.sink import Sink
from instruments.base import Source
from instruments.errors import SourceError
from instruments.reading import SECOND, Status


class Absence:
    """Keeps the gap of a lost source, and tells its beginning and its end.

    Args:
        source: The source.
        sink: Takes gap and events.
        clock: The recorder's clock.
    """

    def __init__(self, source: Source, sink: Sink, clock: Clock) -> None:
        self._source = source
        self._sink = sink
        self._clock = clock
        self._since: int | None = None
        self._until = 0
        self._status = Status.ERROR
        self._why = ""

    @property
    def lasts(self) -> bool:
        """Whether the source is lost."""
        return self._since is not None

    def note(self, error: SourceError, since_ns: int) -> None:
        """Take note of an error: the first one begins the gap, others go on with it.

        Args:
            error: What went wrong.
            since_ns: When the source was last there.
        """
        if self._since is None:
            self._since = self._until = since_ns
            self._sink.event("error", self._source.name, f"lost: {error}")
        self._status, self._why = error.status, str(error)
        self.grow()

    def grow(self) -> None:
        """Store the gap up to now."""
        now = self._clock.monotonic_ns()
        channels = self._source.channels
        self._sink.gap(channels, self._until, now, self._status, self._why)
        self._until = now

    def end(self) -> int:
        """Note that the source is back; return the time in monotonic ns."""
        self.grow()
        now = self._clock.monotonic_ns()
        away = (now - (self._since or now)) / SECOND
        self._sink.event("info", self._source.name, f"is back after {away:.1f} s")
        self._since = None
        return now
