"""How a meter is reached: it is identified before any command is sent to it."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from instruments.base import L, Linked
from instruments.errors import SourceError
from instruments.link.scpi import Scpi
from instruments.link.transport import TIMEOUT_S, TransportFactory, VisaTransport
from instruments.reading import Identity
from instruments.timebase import monotonic_ns


class ScpiMeter(Linked[L], ABC):
    """A meter that speaks SCPI, as a source of section "power"; `Shared`.

    Args:
        name: Name of the source.
        resource: VISA resource string.
        line_end: What a line needs before its line feed.
        transport: Opens the resource.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.
    """

    section = "power"
    yields = False

    def __init__(
        self,
        name: str,
        resource: str,
        *,
        line_end: str = "",
        transport: TransportFactory = VisaTransport,
        clock: Callable[[], int] = monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(f"{name} ({resource})")
        self.name = name
        self._resource = resource
        self._line_end = line_end
        self._transport = transport
        self._clock = clock
        self._sleep = sleep

    @abstractmethod
    def identify(self, scpi: Scpi) -> Identity:
        """Ask *IDN?, and nothing else; raises SourceError for another instrument."""

    def _connect(self) -> tuple[Scpi, Identity]:
        """Connect and identify; no command is sent to another instrument.

        Raises:
            SourceError: Not reached, or another instrument.
        """
        try:
            link = self._transport(self._resource, TIMEOUT_S)
        except SourceError as error:  # of a transport, which knows no name of a source
            error.where = self._where
            raise
        scpi = Scpi(link, self._where, self._line_end)
        try:
            return scpi, self.identify(scpi)
        except BaseException:
            scpi.close()  # without a command: it may be another instrument
            raise


def in_use(where: str) -> SourceError:
    """Make the error of a meter on which somebody else integrates energy."""
    return SourceError(
        "energy is being integrated on it, and setting it up would end that",
        where=where,
        way_out="Wait, or stop it at the meter; where a run that was killed has left "
        "it so, 'bayscope release BENCH' in a terminal ends it.",
    )
