"""What every source does: open, read on a beat, close."""

from typing import Protocol

from instruments.reading import Channel, Identity, Reading


class Source(Protocol):
    """Anything that delivers readings, owned and called by one thread.

    After any error the owner closes the source and opens it again with back-off;
    a source never retries by itself, because a late answer would be taken for the
    next one.

    Attributes:
        name: Unique name on the bench.
        section: "power", "thermal", "noise", "host" or "load".
        driver: Name of the driver, as in bench.toml.
        period_s: Seconds from one read to the next.
        channels: What it measures; complete after `open`.
    """

    name: str
    section: str
    driver: str
    period_s: float

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels, the same tuple object each time after `open`."""
        ...

    def open(self) -> Identity:
        """Connect, identify and configure.

        Raises:
            SourceError: It cannot be reached, or it is not what it should be.
        """
        ...

    def read(self) -> Reading:
        """Take one reading of all channels.

        Raises:
            SourceError: No reading was had; its status is the reason of the gap.
        """
        ...

    def close(self) -> None:
        """Leave the device safe and let go of it; may be called twice."""
        ...
