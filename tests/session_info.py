"""What a session has to say about itself, for tests that care about a part of it."""

from dataclasses import replace

from app.record.store import SessionInfo
from instruments.reading import SECOND

_PLAIN = SessionInfo(
    name="test",
    campaign="",
    bench="",
    operator="",
    app_version="0",
    simulated=True,
    dut="JBOD",
    boot_id="boot",
    monotonic_ns=0,
    realtime_ns=1_700_000_000 * SECOND,
)


def session_info(**parts: str | int | bool) -> SessionInfo:
    """Make a session's info; what is not given is plain."""
    return replace(_PLAIN, **parts)  # type: ignore[arg-type]  # one type a field
