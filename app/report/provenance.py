"""Where a session's values come from: cut off, changed later, simulated, replayed."""

from datetime import UTC, datetime

from app import version
from app.record.store import CRASHED, Session, SessionSummary
from instruments.reading import SECOND

_REPLAYING = ("wav",)
"""Drivers that measure a recording: its values are real, and not of this run."""

CHANGED = "this file was changed after the run: its hash does not fit its content"


def local_text(realtime_ns: int, *, with_zone: bool = False) -> str:
    """Write a moment of the wall clock in local time.

    Args:
        realtime_ns: It, in ns since 1970.
        with_zone: Whether its zone is said, as of what was measured elsewhere.
    """
    moment = datetime.fromtimestamp(realtime_ns / SECOND, UTC).astimezone()
    return moment.strftime(f"%Y-%m-%d %H:%M:%S{' %Z' * with_zone}")


def published_of(session: Session) -> str:
    """Say that a session quotes a report, and which one; "" where it was measured."""
    if not session.info.is_published:
        return ""
    info = session.info
    return f"published, not measured here: {info.operator}, {info.note}"


def crash_text(last_ns: int) -> str:
    """Say that a recording was never finished."""
    return f"{CRASHED}; its last stored value is from {local_text(last_ns)}"


def crash_of(session: Session) -> str:
    """Say that a session was never finished; "" where it was, or still runs."""
    if session.state != "crashed":
        return ""
    info = session.info
    last = session.extent()[1] if info.ended_ns is None else info.ended_ns
    return crash_text(info.realtime_ns + max(0, last - info.monotonic_ns))


def change_of(session: Session) -> str:
    """Say that a finished session is not what was recorded any more; "" where it is.

    All of the file is hashed for it the first time; "" as well where the session is
    closed meanwhile.
    """
    if session.state != "complete" or session.is_unchanged() is not False:
        return ""
    return CHANGED


def made_by(session: Session) -> str:
    """Say which file a report is of, by its hash, and which versions made both."""
    digest = session.sha256() or "none, its recording did not end, or goes on"
    recorded = session.info.app_version or "an unknown version"
    both = (
        f"Recorded and written by Bayscope {recorded}"
        if recorded == version()
        else f"Recorded by Bayscope {recorded}, written by Bayscope {version()}"
    )
    return f"SHA-256 of the session: {digest}. {both}."


def crash_of_summary(summary: SessionSummary) -> str:
    """Say the same of a line of the list of sessions."""
    if summary.state != "crashed":
        return ""
    return crash_text(summary.started + round(summary.duration_s * SECOND))


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
