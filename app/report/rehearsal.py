"""What is said of a session whose times were shortened for a rehearsal."""

from app.plan.campaign import rehearsal_warning
from app.record.store import Session
from instruments.files.foreign_text import stored_toml


def rehearsal_of(session: Session) -> str:
    """Say that a run was shortened; "" where it was not."""
    divisor = stored_toml(session.info.campaign).get("shortened", 1)
    if not isinstance(divisor, int | float) or divisor <= 1:
        return ""
    return rehearsal_warning(divisor).rstrip(".")
