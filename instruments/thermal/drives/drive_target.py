"""Which channels a drive has, by the slot it sits in or by its serial number."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from instruments.reading import Channel
from instruments.thermal.drives.drive_list import Drive, drive_place


@dataclass(frozen=True, slots=True)
class Target:
    """A drive that is asked, and the channels of what it says."""

    drive: Drive
    channels: tuple[Channel, ...]


def declare(
    drives: Sequence[Drive],
    places: Mapping[str, str],
    quantities: Callable[[Drive], Sequence[tuple[str, str]]],
    *,
    before: Sequence[Channel],
    source: str,
    period_ns: int,
) -> list[Target]:
    """Declare the channels of drives.

    Args:
        drives: The drives; a second path to one of them is left out.
        places: Location by node, where it is known; others go by serial number.
        quantities: Gets quantity and unit of what is read of a drive.
        before: Channels that were declared before; they stay the same objects.
        source: Name of the source.
        period_ns: Time until a drive is asked again.
    """
    known = {channel.name: channel for channel in before}
    used: set[str] = set()
    targets = []
    for drive in drives:
        location = places.get(drive.node) or drive_place(drive.serial or drive.name)
        if location in used:
            continue
        used.add(location)
        channels = (
            Channel(source, quantity, unit, location, period_ns)
            for quantity, unit in quantities(drive)
        )
        targets.append(Target(drive, tuple(known.get(c.name, c) for c in channels)))
    return targets
