"""Where a source's thread hands its findings to."""

from collections.abc import Sequence
from typing import Protocol

from instruments.base import Source
from instruments.reading import Channel, Identity, Reading, Status


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
