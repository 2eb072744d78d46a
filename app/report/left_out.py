"""What the bench left out of its sources, as notes of a report."""

from app.record.store import Session
from instruments.files.foreign_text import stored_toml
from instruments.left_out import IGNORE


def left_out_notes(session: Session) -> list[str]:
    """Name the channels that were neither recorded nor judged, source by source."""
    return [
        f"{source.name}: left out on the bench: {', '.join(names)} "
        "(neither recorded nor judged)"
        for source in session.sources()
        if (names := _ignored(source.config, source.section))
    ]


def _ignored(config: str, section: str) -> list[str]:
    """Get the names from a source's part of the bench, as it was recorded."""
    tables = stored_toml(config).get(section)  # imported ones are described otherwise
    if not isinstance(tables, list):
        return []
    return [str(name) for table in tables for name in table.get(IGNORE.key, ())]
