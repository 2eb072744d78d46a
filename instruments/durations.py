"""Durations as people write them: "300s", "1h30m", "500ms"."""

import re

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
# A text is searched with a regular expression: an endless one is not looked at.
_LONGEST = 80
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|min|s|m|h|d)")


def parse_duration(text: str | float) -> float:
    """Read a duration in seconds from text such as "90s", "1h30m" or a number.

    Raises:
        ValueError: The text is not a duration.
    """
    if isinstance(text, bool):
        raise ValueError("not a duration")
    if isinstance(text, int | float):
        seconds = float(text)
    else:
        stripped = text.strip()
        parts = _PART.findall(stripped) if len(stripped) <= _LONGEST else []
        if not parts or _PART.sub("", stripped).strip():
            raise ValueError(f"not a duration: {stripped[:_LONGEST]!r}")
        seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not 0 <= seconds < 366 * 86400:
        raise ValueError(f"out of range: {seconds:g} s")
    return seconds


def format_duration(seconds: float) -> str:
    """Write a duration the way `parse_duration` reads it, such as "1h30m"."""
    if seconds < 1:
        return f"{round(seconds * 1000)}ms"
    if seconds != int(seconds):
        return f"{seconds:g}s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (rest, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"


def clock_text(seconds: float) -> str:
    """Write a remaining time for a display, such as "2:05" or "1:00:07"."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def length_text(seconds: float) -> str:
    """Write how long something was, such as "40 ms", "0.2 ms" or "2.5 s"."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return (
        f"{1000 * seconds:.0f} ms" if seconds >= 0.001 else f"{1000 * seconds:.2g} ms"
    )
