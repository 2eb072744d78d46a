"""What the operator had to say of a run, as notes of a report."""

from app.record.store import Session


def operators_notes(session: Session) -> list[str]:
    """Get the remark that was made at the start, and those of resumptions."""
    info = session.info
    found = [f"{info.operator}: {info.note}"] if info.note else []
    later = (row.detail for row in session.journal() if row.action == "gone on with")
    return found + [told for told in later if ": " in told]
