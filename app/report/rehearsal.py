"""What is said of a session whose times were shortened for a rehearsal."""

import tomllib

from app.plan.shorten import warning
from app.record.store import Session


def rehearsal_of(session: Session) -> str:
    """Say that a run was shortened; "" where it was not."""
    try:
        divisor = tomllib.loads(session.info.campaign).get("shortened", 1)
    except tomllib.TOMLDecodeError:
        return ""
    if not isinstance(divisor, int | float) or divisor <= 1:
        return ""
    return warning(divisor).rstrip(".")
