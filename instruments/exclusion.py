"""A source without the channels that the bench excludes, such as a broken sensor."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from instruments.base import Source, Stepped
from instruments.errors import SourceError
from instruments.reading import Channel, Identity, Reading
from instruments.settings import Kind, Option

IGNORE = Option(
    "ignore",
    "Channels that are excluded, by name without the source; * and ? stand for any. "
    "For a sensor that is broken for good: nothing of it is recorded or judged.",
    Kind.TEXTS,
    example="temperature.slot07",
)


class Exclusion:
    """A source of which some channels are neither recorded nor judged.

    Its raw replies stay whole, so what the device said of them is kept.

    Args:
        source: The source; this one owns it.
        patterns: Names without the source's, as `fnmatch` takes them.
    """

    def __init__(self, source: Source, patterns: Sequence[str]) -> None:
        self._source = source
        self._patterns = tuple(patterns)
        self._of: tuple[Channel, ...] = ()
        self._channels: tuple[Channel, ...] = ()
        self._parts: dict[
            tuple[Channel, ...], tuple[tuple[int, ...], tuple[Channel, ...]]
        ] = {}
        self.name = source.name
        self.section = source.section
        self.driver = source.driver

    @property
    def whole(self) -> Source:
        """Get the source with all its channels."""
        return self._source

    @property
    def period_s(self) -> float:
        """Get the period, which some sources know only once they are open."""
        return self._source.period_s

    @period_s.setter
    def period_s(self, seconds: float) -> None:
        self._source.period_s = seconds

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels that are kept; the same tuple as long as they are these."""
        whole = self._source.channels
        # By identity: a source keeps its tuple as long as its channels are the same.
        if whole is not self._of:
            self._of, self._channels = whole, self._part(whole)[1]
        return self._channels

    @property
    def excluded(self) -> tuple[str, ...]:
        """Get the names of what is excluded, without the source's."""
        return tuple(
            name
            for channel in self._source.channels
            if self._is_out(name := _short_name(channel))
        )

    @property
    def unknown(self) -> tuple[str, ...]:
        """Get the patterns that fit no channel, such as one with a slip in it."""
        return tuple(
            pattern
            for pattern in self._patterns
            if not any(fnmatchcase(name, pattern) for name in self.excluded)
        )

    def open(self) -> Identity:
        """Open it; raises SourceError, also where nothing of it is left."""
        identity = self._source.open()
        if self._source.channels and not self.channels:
            self._source.close()
            raise SourceError(
                "the bench excludes everything that it measures",
                where=self.name,
                way_out="Shorten its ignore = [...], or remove it from the bench.",
            )
        return identity

    def read(self) -> Reading:
        """Take one reading of what is kept; see `Source.read`."""
        return self._kept(self._source.read())

    def close(self) -> None:
        """Close it; may be called twice."""
        self._source.close()

    def _kept(self, reading: Reading) -> Reading:
        places, channels = self._part(reading.channels)
        return Reading(
            # The same tuple for each reading, by which the recorder knows its channels.
            self.channels if reading.channels is self._source.channels else channels,
            reading.start_ns,
            reading.end_ns,
            tuple(reading.values[place] for place in places),
            tuple(reading.statuses[place] for place in places),
            reading.raw,
            reading.trouble,
            reading.notice,
        )

    def _part(
        self, whole: tuple[Channel, ...]
    ) -> tuple[tuple[int, ...], tuple[Channel, ...]]:
        """Get the places of what is kept among some channels, and these channels."""
        if whole not in self._parts:
            kept = [
                (place, channel)
                for place, channel in enumerate(whole)
                if not self._is_out(_short_name(channel))
            ]
            self._parts[whole] = (
                tuple(place for place, _ in kept),
                tuple(channel for _, channel in kept),
            )
        return self._parts[whole]

    def _is_out(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._patterns)


class SteppedExclusion(Exclusion):
    """Likewise, of a source that wants to know of steps; `Stepped`."""

    def __init__(self, source: Source, stepped: Stepped, patterns: Sequence[str]):
        super().__init__(source, patterns)
        self._stepped = stepped

    def begin_step(self, label: str, *, under_load: bool) -> None:
        """Make it ready for a step; see `Stepped`."""
        self._stepped.begin_step(label, under_load=under_load)

    def end_step(self) -> Sequence[Reading]:
        """Read what is read once after a step; see `Stepped`."""
        kept = [self._kept(reading) for reading in self._stepped.end_step()]
        return [reading for reading in kept if reading.channels]


def excluding(source: Source, patterns: Sequence[str]) -> Source:
    """Get a source without the channels of these names; itself where there are none."""
    if not patterns:
        return source
    if isinstance(source, Stepped):
        return SteppedExclusion(source, source, patterns)
    return Exclusion(source, patterns)


def whole(source: Source) -> Source:
    """Get the source itself, with the channels that the bench excludes."""
    return source.whole if isinstance(source, Exclusion) else source


def exclusion_text(source: Source) -> str:
    """Say what the bench excludes of an open source; "" for nothing."""
    if not isinstance(source, Exclusion):
        return ""
    text = f"excluded on the bench: {', '.join(source.excluded) or 'nothing'}"
    if source.unknown:
        text += f"; nothing here is called {', '.join(source.unknown)}"
    return text


def _short_name(channel: Channel) -> str:
    return ".".join(part for part in (channel.quantity, channel.location) if part)
