"""What is said of a source while it is polled: lost, back, replaced, silent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.record.clock import Clock
from instruments.base import Source
from instruments.errors import SourceError
from instruments.exclusion import exclusion_text
from instruments.reading import SECOND, Channel, Identity, Reading, Status


class Sink(Protocol):
    """What a source's thread hands its findings to."""

    def append(self, reading: Reading) -> None:
        """Take a reading."""
        ...

    def gap(
        self,
        channels: Sequence[Channel],
        start_ns: int,
        end_ns: int,
        status: Status,
        detail: str,
    ) -> None:
        """Take note that channels delivered nothing."""
        ...

    def event(self, level: str, source: str, message: str) -> None:
        """Take note of an event."""
        ...

    def introduce(self, source: Source, identity: Identity) -> None:
        """Take note of what a source says of itself."""
        ...


class Absence:
    """Keeps the gap of a lost source, and tells its beginning and its end."""

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
        """Take note of an error: the first one begins the gap, others go on with it."""
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


class Introduction:
    """Introduces a source to the sink, and tells when another device answers."""

    def __init__(self, source: Source, sink: Sink) -> None:
        self._source = source
        self._sink = sink
        self._known: Identity | None = None

    def take(self, identity: Identity) -> None:
        """Take note of who answers after an opening."""
        name, known = self._source.name, self._known
        if known is None:
            if told := exclusion_text(self._source):
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


QUIET_S = 1.0
"""Without a value for so long, and at least in one reading, a channel is told of."""

AGAIN_S = 60.0
"""A channel that comes and goes is told of no more often; its gaps are all stored."""

_NO_FAULT = frozenset({Status.UNSUPPORTED, Status.STANDBY})
_SAME = "it shows the same values all the time"
_SHOWN = 3
_OK = Status.OK


@dataclass(slots=True)
class _Quiet:
    """Since when a channel has had no value, and whether that was told."""

    since_ns: int
    told: bool = False


class Silence:
    """Notices channels that had values and have none any more, and their return.

    A sensor that is not supported and a sleeping drive are not faults, and a reading
    that took no time is one in which nobody was asked.
    """

    def __init__(self) -> None:
        self._had: set[Channel] = set()
        # By the id of the tuple, which is kept so that no other gets its id.
        self._read: dict[int, tuple[tuple[Channel, ...], int]] = {}
        self._whole: set[int] = set()
        self._quiet: dict[Channel, _Quiet] = {}
        self._told_ns: dict[Channel, int] = {}

    def forget(self) -> None:
        """Begin again, after the whole source was lost."""
        self._quiet.clear()
        self._read.clear()
        self._whole.clear()

    def note(self, reading: Reading) -> list[tuple[str, str]]:
        """Look at a reading; return level and sentence of what is new."""
        if reading.start_ns == reading.end_ns:
            return []
        channels, key = reading.channels, id(reading.channels)
        _, before = self._read.get(key, (channels, reading.start_ns))
        self._read[key] = channels, reading.end_ns
        if not self._quiet and reading.statuses.count(_OK) == len(channels):
            if key not in self._whole:
                self._whole.add(key)
                self._had.update(channels)
            return []
        return self._note_each(reading, before)

    def _note_each(self, reading: Reading, before: int) -> list[tuple[str, str]]:
        now = reading.end_ns
        lost: dict[Status, list[Channel]] = {}
        back: list[Channel] = []
        longest = 0
        for channel, status in zip(reading.channels, reading.statuses, strict=True):
            if status.is_value:
                self._had.add(channel)
                quiet = self._quiet.pop(channel, None)
                if quiet is not None and quiet.told:
                    back.append(channel)
                    longest = max(longest, now - quiet.since_ns)
            elif status not in _NO_FAULT and channel in self._had:
                quiet = self._quiet.setdefault(channel, _Quiet(before))
                if self._is_news(channel, quiet, now):
                    quiet.told = True
                    self._told_ns[channel] = now
                    lost.setdefault(status, []).append(channel)
        found = [
            ("warning", f"{_lacks(each, str(status))}{_because(reading, status)}")
            for status, each in lost.items()
        ]
        if back:
            verb = "has values" if len(back) == 1 else "have values"
            seconds = longest / SECOND
            found.append(("info", f"{_names(back)} {verb} again after {seconds:.1f} s"))
        return found

    def _is_news(self, channel: Channel, quiet: _Quiet, now: int) -> bool:
        if quiet.told or now - quiet.since_ns < QUIET_S * SECOND:
            return False
        told = self._told_ns.get(channel)
        return told is None or now - told >= AGAIN_S * SECOND


def _lacks(channels: Sequence[Channel], status: str) -> str:
    verb = "has" if len(channels) == 1 else "have"
    return f"{_names(channels)} {verb} no value ({status})"


def _because(reading: Reading, status: Status) -> str:
    why = reading.trouble or (_SAME if status is Status.STALE else "")
    return f": {why}" if why else ""


def _names(channels: Sequence[Channel]) -> str:
    names = [".".join(filter(None, (c.quantity, c.location))) for c in channels]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
