"""Which sources of a session were no instruments: simulators, and recordings."""

from app.record.store import Session

_REPLAYING = ("wav",)
"""Drivers that measure a recording: its values are real, and not of this run."""


def simulated_sources(session: Session) -> tuple[str, ...]:
    """Name the simulators among the sources, or the bench where none is known."""
    fake = [source for source in session.sources() if source.simulated]
    found = tuple(one.name for one in fake if one.driver not in _REPLAYING)
    if found or fake or not session.info.simulated:
        return found
    return ("bench",)


def replayed_sources(session: Session) -> tuple[str, ...]:
    """Name the sources that measured a recording."""
    return tuple(s.name for s in session.sources() if s.driver in _REPLAYING)
