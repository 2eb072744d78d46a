"""What a reading tells, by the names of its channels."""

from instruments.reading import Reading, Status

Seen = dict[str, tuple[float, Status]]


def seen(reading: Reading) -> Seen:
    """Get value and status of each channel by its printed name."""
    pairs = zip(reading.values, reading.statuses, strict=True)
    return {c.name: pair for c, pair in zip(reading.channels, pairs, strict=True)}


def seen_below(reading: Reading) -> Seen:
    """Get the same by their names without that of the source."""
    return {name.partition(".")[2]: pair for name, pair in seen(reading).items()}
