"""Spans of time, as they are shown."""

from instruments.reading import SECOND


def clock(seconds: float, *, fraction: int = 0) -> str:
    """Write a span of time as m:ss or h:mm:ss.

    Args:
        seconds: The span; negative ones get a minus.
        fraction: Decimals of the seconds.
    """
    sign = "-" if seconds < 0 else ""
    rounded = round(abs(seconds), fraction)
    minutes, rest = divmod(rounded, 60)
    hours, minutes = divmod(int(minutes), 60)
    width = 3 + fraction if fraction else 2
    tail = f"{rest:0{width}.{fraction}f}"
    if hours:
        return f"{sign}{hours}:{minutes:02d}:{tail}"
    return f"{sign}{minutes}:{tail}"


def seconds_between(start_ns: int, end_ns: int) -> float:
    """Get the span between two moments in seconds."""
    return (end_ns - start_ns) / SECOND
