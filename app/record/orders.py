"""What others want done with a source, by the one thread that owns it."""

import contextlib
import queue
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from instruments.base import Source
from instruments.errors import SourceError

T = TypeVar("T")


class Orders:
    """A queue of things to do between two reads."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._queue: queue.SimpleQueue[Callable[[SourceError | None], None]]
        self._queue = queue.SimpleQueue()
        self._closed = ""

    def ask(self, action: Callable[[Source], T]) -> Future[T]:
        """Let the owner do something with the source; from any thread.

        Returns:
            What comes of it; a SourceError where the source is lost, closed, or gets
            lost by it.
        """
        answer: Future[T] = Future()

        def carry_out(lost: SourceError | None) -> None:
            try:
                if lost is not None:
                    raise lost
                answer.set_result(action(self._source))
            except Exception as error:
                answer.set_exception(error)
                raise

        self._queue.put(carry_out)
        if self._closed:  # nobody looks for orders any more
            self.refuse(self._closed)
        return answer

    @property
    def are_waiting(self) -> bool:
        """Whether there is something to do."""
        return not self._queue.empty()

    def carry_out(self) -> None:
        """Do all there is to do; only the owner calls this.

        Raises:
            SourceError: The source is lost by it; what is left waits.
        """
        while (order := self._next()) is not None:
            order(None)

    def refuse(self, why: str) -> None:
        """Answer all that was asked of a source that is not there."""
        error = SourceError(why, where=self._source.name)
        while (order := self._next()) is not None:
            with contextlib.suppress(SourceError):
                order(error)

    def close(self, why: str) -> None:
        """Refuse what waits and all that will be asked."""
        self._closed = why or "the source is closed"
        self.refuse(self._closed)

    def _next(self) -> Callable[[SourceError | None], None] | None:
        with contextlib.suppress(queue.Empty):
            return self._queue.get_nowait()
        return None
