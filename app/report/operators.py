"""What the operator had to say of a run, as notes of a report."""

from app.record.store import Session


def operators_notes(session: Session) -> list[str]:
    """Get the remark that was made at the start, and those of resumptions."""
    info = session.info
    # Of an import the note only says that it is one.
    is_own = bool(info.note) and not info.boot_id.startswith("imported-")
    found = [f"{info.operator}: {info.note}"] if is_own else []
    later = (row.detail for row in session.journal() if row.action == "gone on with")
    return found + [told for told in later if ": " in told]
