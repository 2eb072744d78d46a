"""What happened in a session as flags on a time axis; no Qt."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.ui.chart.layers import Layer
from instruments.errors import one_line
from instruments.reading import SECOND

LEVELS = ("error", "warning", "note", "info")
"""From the one that matters most."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An event, or a note that somebody made at a moment.

    Attributes:
        x: Seconds from the origin.
        t_ns: The same moment on the session's clock.
        id: Of the event in its log; negative for a note.
        level: One of `LEVELS`.
        text: What happened.
    """

    x: float
    t_ns: int
    id: int
    level: str
    text: str

    @property
    def rank(self) -> int:
        """How little it matters beside others, 0 for an error."""
        return LEVELS.index(self.level) if self.level in LEVELS else len(LEVELS)


def flags_of(layer: Layer, limit: int | None = None) -> list[Flag]:
    """Get the flags of a session up to a moment, in the order of time."""

    def flag(t_ns: int, number: int, level: str, text: str) -> Flag:
        seconds = (t_ns - layer.origin) / SECOND
        return Flag(seconds, t_ns, number, level, one_line(text))

    session = layer.session
    found = [
        flag(one.t_ns, one.id, one.level, f"{one.source}: {one.message}")
        for one in session.events()
    ]
    found += [
        flag(one.start_ns, -one.id, "note", f"Note: {one.text}")
        for one in session.annotations()
        if one.start_ns is not None
    ]
    known = [one for one in found if limit is None or one.t_ns <= limit]
    return sorted(known, key=lambda one: one.t_ns)


def clusters(flags: Sequence[Flag], room: float) -> list[tuple[Flag, ...]]:
    """Put flags together that would stand on each other.

    Args:
        flags: In the order of time.
        room: How many seconds one takes.
    """
    found: list[list[Flag]] = []
    for flag in flags:
        if found and flag.x - found[-1][0].x < room:
            found[-1].append(flag)
        else:
            found.append([flag])
    return [tuple(cluster) for cluster in found]
