"""What every source does: open, read on a beat, close."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar, runtime_checkable

from instruments.errors import SourceError
from instruments.reading import Channel, Identity, Reading

DUT = "dut"
"""As what a source measures: the device under test itself."""


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


@runtime_checkable
class Stepped(Protocol):
    """A source that wants to know when a step of a campaign begins and ends.

    Both are called between two reads, by the thread that owns the source. They may
    take seconds; the readings missed meanwhile are excluded and the time is a gap.
    """

    def begin_step(self, label: str, *, under_load: bool) -> None:
        """Make ready for a step, such as its ranges; called before its ramp.

        Args:
            label: The step's label, the same in every repeat.
            under_load: Whether a load runs in it, which polling might disturb.

        Raises:
            SourceError: A setting was not taken; the source counts as lost.
        """
        ...

    def end_step(self) -> Sequence[Reading]:
        """Read what is read once after a step, such as other functions of a meter.

        Returns:
            Readings of channels of this source; they need not be among `channels`.

        Raises:
            SourceError: They could not be read; the source counts as lost.
        """
        ...


@runtime_checkable
class Shared(Protocol):
    """An instrument that somebody else may be using.

    Attributes:
        yields: Whether it is not opened while energy is integrated on it, which an
            opening would end; False where it is taken over, as a run does.
    """

    yields: bool

    def free(self) -> Identity:
        """Connect, end what runs on it, give its front panel back, and let go.

        Raises:
            SourceError: It cannot be reached, or it is not what it should be.
        """
        ...


class Link(Protocol):
    """A connection to a device, whatever it speaks."""

    def close(self) -> None:
        """Let go of the device; may be called twice."""
        ...


L = TypeVar("L", bound=Link)


class Linked(Generic[L]):
    """A source or a switch that has a link to its device while it is open.

    Args:
        where: Its name and the device's address, for errors.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._link: L | None = None

    def close(self) -> None:
        """Leave the device safe and let go of it; may be called twice."""
        link, self._link = self._link, None
        if link is not None:
            link.close()

    @contextmanager
    def _opening(self, link: L) -> Iterator[L]:
        """Keep a link from now on, unless what is done first with it fails."""
        self._link = link
        try:
            yield link
        except BaseException:  # also an interrupt: no device is left set up and open
            self.close()
            raise

    def _opened(self) -> L:
        """Get the link; raises SourceError where it is not open."""
        if self._link is None:
            raise SourceError("it is not open", where=self._where)
        return self._link
