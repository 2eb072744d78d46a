"""How a source is doing, for the bench view and for the runner."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """A snapshot of one source.

    Attributes:
        state: "opening", "ok", "lost" or "stopped".
        last_ns: End of its last reading in monotonic ns, 0 before the first.
        last_error: What went wrong last, "" where nothing did.
        readings: How many readings it delivered.
        missed: How many beats it missed.
    """

    state: str = "opening"
    last_ns: int = 0
    last_error: str = ""
    readings: int = 0
    missed: int = 0
