"""What the simulated enclosure and the simulated sound meter have in common."""

import math
import time
from collections.abc import Callable, Sequence

from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.settings import Option
from instruments.simulated.client import LineClient

ADDRESS = Option(
    "address",
    "Host and port of a running simulator; left out, the bench starts one.",
    default="simulated",
    example="127.0.0.1:5026",
)


class SimulatedSource:
    """A source that asks the simulated bench the same questions once a second.

    Args:
        name: Name of the source.
        address: Host and port of the enclosure.
        clock: Gives monotonic nanoseconds.
    """

    section = ""
    driver = "simulated"
    period_s = 1.0
    queries: Sequence[str] = ()

    def __init__(
        self,
        name: str,
        address: str,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.name = name
        self._address = address
        self._clock = clock
        self._client: LineClient | None = None
        self._channels = tuple(self._list_channels())

    def _list_channels(self) -> list[Channel]:
        raise NotImplementedError

    def _key(self, channel: Channel) -> str:
        """Get the name that the bench gives to what this channel measures."""
        raise NotImplementedError

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels; the same before and after `open`."""
        return self._channels

    def open(self) -> Identity:
        """Connect and identify; raises SourceError."""
        self.close()
        self._client = LineClient(self._address, f"{self.name} ({self._address})")
        return self._client.identify()

    def read(self) -> Reading:
        """Take one reading of all channels; raises SourceError."""
        client = self._client
        if client is None:
            raise SourceError("the source is not open", where=self.name)
        found: dict[str, tuple[float, Status]] = {}
        raw: list[bytes] = []
        start = self._clock()
        for query in self.queries:
            values, line = client.values(query)
            found |= values
            raw.append(line)
        end = self._clock()
        missing = (math.nan, Status.UNSUPPORTED)
        pairs = [found.get(self._key(channel), missing) for channel in self._channels]
        return Reading(
            self._channels,
            start,
            end,
            tuple(value for value, _ in pairs),
            tuple(status for _, status in pairs),
            b"\n".join(raw),
        )

    def close(self) -> None:
        """Let go of the bench; may be called twice."""
        client, self._client = self._client, None
        if client is not None:
            client.close()


def channel(
    source: str, quantity: str, unit: str, location: str = "", window_ns: int = 0
) -> Channel:
    """Declare a channel that is read once a second."""
    return Channel(source, quantity, unit, location, SECOND, 0, window_ns)
