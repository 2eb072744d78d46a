"""A clock that tests move, and sources that do what they are told."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from instruments.base import Source
from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from tests.app.record.recording import START, TENTH

IDENTITY = Identity("maker", "model", "1", "1.0", "here", simulated=True)


class LeapingClock:
    """Waiting on it takes no time: it leaps to the end of the wait."""

    def __init__(self, stop_ns: int = START + 3600 * SECOND) -> None:
        self.now = START
        self._stop = stop_ns

    def monotonic_ns(self) -> int:
        """Get the time, ever so slightly later each time."""
        self.now += 1000
        return self.now

    def realtime_ns(self) -> int:
        """Get a wall-clock time."""
        return 1_700_000_000 * SECOND + self.now

    def boot_id(self) -> str:
        """Get a name for this clock."""
        return "boot-1"

    def offset_ns(self) -> int:
        """Get that it never began anew."""
        return 0

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Leap ahead; at the end of the test's time set the event."""
        self.now += max(0, round(seconds * SECOND))
        if self.now >= self._stop:
            event.set()
        return event.is_set()


class Scripted:
    """A source whose openings and readings follow a script; "" is success.

    Anything else is the text of an error. After the script all goes well.
    """

    section, driver, period_s = "power", "scripted", 0.1

    def __init__(
        self,
        clock: LeapingClock | None = None,
        *,
        name: str = "mains",
        opens: Sequence[str] = (),
        reads: Sequence[str] = (),
        took_s: float = 0.0,
    ) -> None:
        self.name = name
        self.channels = (Channel(name, "P", "W", period_ns=TENTH),)
        self.identity = IDENTITY
        self.calls: list[str] = []
        self.threads: set[int] = set()
        self._clock = clock or LeapingClock()
        self._opens, self._reads = list(opens), list(reads)
        self._took = round(took_s * SECOND)

    def open(self) -> Identity:
        """Follow the script."""
        self._note("open")
        self._follow(self._opens)
        return self.identity

    def read(self) -> Reading:
        """Follow the script."""
        self._note("read")
        self._follow(self._reads)
        start = self._clock.monotonic_ns()
        self._clock.now += self._took
        value = float(self.calls.count("read"))
        end = self._clock.monotonic_ns()
        return Reading(self.channels, start, end, (value,), (Status.OK,))

    def close(self) -> None:
        """Note it."""
        self._note("close")

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self.threads.add(threading.get_ident())

    def _follow(self, script: list[str]) -> None:
        what = script.pop(0) if script else ""
        if what.startswith("bug"):
            raise KeyError(what)
        if what:
            raise SourceError(what, where=self.name, status=Status.TIMEOUT)


@dataclass
class Notes:
    """A sink that keeps what it is given."""

    readings: list[Reading] = field(default_factory=list)
    gaps: list[tuple[int, int, Status]] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    events: list[tuple[str, str]] = field(default_factory=list)
    identities: list[Identity] = field(default_factory=list)
    on_reading: Callable[[Reading], None] = lambda _: None

    def append(self, reading: Reading) -> None:
        """Keep a reading."""
        self.readings.append(reading)
        self.on_reading(reading)

    def gap(
        self,
        channels: Sequence[Channel],
        start_ns: int,
        end_ns: int,
        status: Status,
        detail: str,
    ) -> None:
        """Keep a gap."""
        self.gaps.append((start_ns, end_ns, status))
        self.details.append(detail)

    def event(self, level: str, source: str, message: str) -> None:
        """Keep an event."""
        self.events.append((level, message))

    def introduce(self, source: Source, identity: Identity) -> None:
        """Keep who it was."""
        self.identities.append(identity)
