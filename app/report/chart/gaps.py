"""Gaps of a session as they are shown to a person."""

from dataclasses import replace

from app.record.store import GapRow, Session
from instruments.reading import Status


def shown_gaps(session: Session) -> list[GapRow]:
    """Get the gaps of a session, by their start, as they are shown to a person.

    Beats that were missed while a source said why are a part of that gap.
    """
    gaps: list[GapRow] = []
    last: dict[str, int] = {}
    for gap in session.gaps():
        at = last.get(gap.channel_name)
        if at is not None and gap.start_ns <= gaps[at].end_ns:
            before = gaps[at]
            if Status.MISSED in (before.reason, gap.reason):
                why = gap if before.reason == Status.MISSED else before
                end = max(before.end_ns, gap.end_ns)
                gaps[at] = replace(why, start_ns=before.start_ns, end_ns=end)
                continue
        last[gap.channel_name] = len(gaps)
        gaps.append(gap)
    return gaps


def charted_gaps(session: Session) -> list[GapRow]:
    """Get the gaps that charts mark: not the times without a load.

    Nothing ran then that could have been measured.
    """
    loads = {source.name for source in session.sources() if source.section == "load"}

    def rests(gap: GapRow) -> bool:
        source = gap.channel_name.split(".", 1)[0]
        return gap.reason == Status.STANDBY and source in loads

    return [gap for gap in shown_gaps(session) if not rests(gap)]
