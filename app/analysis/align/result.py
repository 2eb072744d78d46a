"""An alignment: the offset of a channel against the load, or why it has none."""

from dataclasses import dataclass

from instruments.reading import Channel


@dataclass(frozen=True, slots=True)
class Alignment:
    """How much later or earlier a channel is than the load.

    Attributes:
        channel: The channel.
        offset_ns: To be added to its times, so that its edges meet those of the
            load; negative where it shows them late. None where there is none.
        spread_ns: Standard deviation of the offset, by bootstrap over the bursts.
        quality: Best correlation of the channel with the shifted load, 0 to 1.
        contrast: Height of the edges over the noise on a level.
        bursts: How many bursts there were.
        used: How many of them it comes from; the others do not agree with these.
        edge_ns: How long the channel takes from a tenth to nine tenths of an edge.
        fall_late_ns: How much longer after the end of a burst it takes to fall than
            after the begin to rise.
        why_not: Why there is no offset, in one sentence; "" where there is one.
    """

    channel: Channel
    offset_ns: int | None
    spread_ns: int
    quality: float
    contrast: float
    bursts: int
    used: int = 0
    edge_ns: int = 0
    fall_late_ns: int = 0
    why_not: str = ""

    def __str__(self) -> str:
        """Say it in a line, such as "mains.P: -98 ms ± 6 ms, from 5 of 5 bursts"."""
        if self.offset_ns is None:
            return self.why_not
        return (
            f"{self.channel.name}: {self.offset_ns / 1e6:+.0f} ms "
            f"± {self.spread_ns / 1e6:.0f} ms, "
            f"from {self.used} of {self.bursts} bursts "
            f"(correlation {self.quality:.2f}, edges of {self.edge_ns / 1e6:.0f} ms, "
            f"falls {self.fall_late_ns / 1e6:+.0f} ms later than it rises)"
        )


def refused(
    channel: Channel,
    why: str,
    contrast: float = 0.0,
    bursts: int = 0,
    quality: float = 0.0,
) -> Alignment:
    """Make an alignment that says why it has no offset."""
    return Alignment(channel, None, 0, quality, contrast, bursts, why_not=why)
