"""What the simulated enclosure and the simulated sound meter have in common."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from instruments.base import Linked
from instruments.reading import SECOND, Channel, Identity, Judged, Reading, Status
from instruments.settings import Option
from instruments.simulated.client import LineClient
from instruments.timebase import monotonic_ns

ADDRESS = Option(
    "address",
    "Host and port of a running simulator; without it, the bench starts one.",
    default="simulated",
    example="127.0.0.1:5026",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a source asks the simulated bench for.

    Attributes:
        section: "thermal" or "noise".
        queries: The questions of one reading.
        points: Quantity, unit and location of each channel; the bench calls its value
            by the location, or by the quantity where there is none.
        window_ns: Averaging window of the values.
    """

    section: str
    queries: Sequence[str]
    points: Sequence[tuple[str, str, str]]
    window_ns: int = 0


class SimulatedSource(Linked[LineClient]):
    """A source that asks the simulated bench the same questions once a second.

    Args:
        name: Name of the source.
        address: Host and port of the enclosure.
        measured: What it asks for.
        clock: Gives monotonic nanoseconds.
    """

    driver = "simulated"
    period_s = 1.0

    def __init__(
        self,
        name: str,
        address: str,
        measured: Measured,
        *,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        super().__init__(f"{name} ({address})")
        self.name = name
        self.section = measured.section
        self._address = address
        self._queries = measured.queries
        self._clock = clock
        self.channels = tuple(
            Channel(name, quantity, unit, location, SECOND, 0, measured.window_ns)
            for quantity, unit, location in measured.points
        )

    def open(self) -> Identity:
        """Connect and identify; raises SourceError."""
        self.close()
        with self._opening(LineClient(self._address, self._where)) as client:
            return client.identify()

    def read(self) -> Reading:
        """Take one reading of all channels; raises SourceError."""
        client = self._opened()
        values_by_name: dict[str, Judged] = {}
        raw: list[bytes] = []
        start = self._clock()
        for query in self._queries:
            values, line = client.values(query)
            values_by_name |= values
            raw.append(line)
        end = self._clock()
        missing = (math.nan, Status.UNSUPPORTED)
        keys = (channel.location or channel.quantity for channel in self.channels)
        pairs = (values_by_name.get(key, missing) for key in keys)
        return Reading.of(self.channels, (start, end), pairs, b"\n".join(raw))
