"""How a meter is reached: who is there is known before anything is told to it."""

from collections.abc import Callable

from instruments.errors import SourceError
from instruments.link.scpi import Scpi
from instruments.link.transport import TIMEOUT_S, Transport, TransportFactory
from instruments.reading import Identity


class Ended:
    """A transport that ends each line with more than a line feed.

    Args:
        link: The transport beneath; it adds the line feed.
        end: What goes before that, such as a carriage return.
    """

    def __init__(self, link: Transport, end: str) -> None:
        self._link = link
        self._end = end

    def query(self, message: str) -> str:
        """Send a line and get the answer; see `Transport`."""
        return self._link.query(message + self._end)

    def write(self, message: str) -> None:
        """Send a line; see `Transport`."""
        self._link.write(message + self._end)

    def close(self) -> None:
        """Let go of the instrument; see `Transport`."""
        self._link.close()


def connect(
    where: str,
    resource: str,
    factory: TransportFactory,
    identify: Callable[[Scpi], Identity],
    *,
    line_end: str = "",
) -> tuple[Scpi, Identity]:
    """Connect and see who is there; no command of ours goes to another instrument.

    Args:
        where: The source and its address, for messages.
        resource: VISA resource string.
        factory: Opens the resource.
        identify: Asks who is there; raises SourceError for another instrument.
        line_end: What a line needs before its line feed.

    Raises:
        SourceError: Not reached, or another instrument.
    """
    try:
        link = factory(resource, TIMEOUT_S)
    except SourceError as error:
        error.where = where
        raise
    scpi = Scpi(Ended(link, line_end) if line_end else link, where)
    try:
        return scpi, identify(scpi)
    except BaseException:
        scpi.close()
        raise


def in_use(where: str) -> SourceError:
    """Make the error of a meter on which somebody else integrates energy."""
    return SourceError(
        "energy is being integrated on it, and setting it up would end that",
        where=where,
        way_out="Wait, or stop it at the meter; where a run that was killed has left "
        "it so, 'bayscope release BENCH' ends it.",
    )
