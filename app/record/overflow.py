"""The bound of the recorder's queue: what does not fit is counted, then stored."""

import threading
from dataclasses import dataclass

from instruments.reading import Channel, Reading


@dataclass(slots=True)
class Lost:
    """Readings of the same channels that found no room.

    Attributes:
        channels: Their channels.
        start_ns: Start of the first.
        end_ns: End of the last.
        count: How many there were.
    """

    channels: tuple[Channel, ...]
    start_ns: int
    end_ns: int
    count: int = 1


class Overflow:
    """Counts the readings under way, and remembers those there was no room for."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._under_way = 0
        self._lost: dict[tuple[Channel, ...], Lost] = {}
        self._lock = threading.Lock()

    def admit(self, reading: Reading) -> bool:
        """Tell whether there is room for a reading; where not, remember its time."""
        with self._lock:
            if self._under_way < self._limit:
                self._under_way += 1
                return True
            lost = self._lost.get(reading.channels)
            if lost is None:
                times = (reading.start_ns, reading.end_ns)
                self._lost[reading.channels] = Lost(reading.channels, *times)
            else:
                lost.end_ns = reading.end_ns
                lost.count += 1
            return False

    def done(self, count: int) -> None:
        """Note that so many readings have been written."""
        with self._lock:
            self._under_way -= count

    def take(self) -> list[Lost]:
        """Get what was lost since the last time."""
        with self._lock:
            lost = list(self._lost.values())
            self._lost.clear()
        return lost
