"""Verify a session: say of every result whether its own data give it again."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app import version
from app.analysis.again.verify import (
    LATER,
    NO_DIFFERENCE,
    Agreement,
    Verified,
    formulas_of,
    verify,
)
from app.analysis.interrupted import open_session
from app.record.store import FORMULAS, Session
from app.report.table import Column, Table
from app.report.text import aligned
from instruments.errors import printable
from instruments.metric import in_order
from instruments.sizes import counted

_COLUMNS = (
    Column("Row", "step"),
    Column("Result", "result"),
    Column("Recorded", "recorded", 6),
    Column("Computed again", "again", 6),
    Column("What differs", "agreement"),
)

_FILES = {
    True: "The file is as it was recorded: its SHA-256 matches the stored one.",
    False: "THE FILE WAS CHANGED after its recording: its SHA-256 does not match.",
    None: "The file has no stored SHA-256: its recording did not end, or goes on.",
}


def verify_session(path: Path) -> tuple[str, dict[str, Any], bool]:
    """Compute all results of a session again.

    Returns:
        What to say in the terminal; the same as plain values; and whether all that
        could be computed is as it is stored, and the file as it was recorded.

    Raises:
        BadInput: It cannot be read.
    """
    with open_session(path) as session:
        found, unchanged = verify(session), _is_unchanged(session)
        moved = _moved(session, found)
        recorded_by = printable(session.info.app_version) or "of an unknown version"
    differing = [one for one in found if one.agreement.differs]
    good = not differing and unchanged is not False
    values: dict[str, Any] = {
        "file": str(path),
        "passed": good,
        "unchanged": unchanged,
        "moved": moved,
        "recorded_by": recorded_by,
        "computed_by": version(),
        "formulas": FORMULAS,
        "counts": Counter(one.agreement.name.lower() for one in found),
        "results": [_plain(one) for one in found],
    }
    lines = _lines(found, differing, recorded_by)
    if moved:
        lines.append(
            "Computed before a clock offset was set; the charts show it applied: "
            f"{', '.join(moved)}"
        )
    lines += [*[""] * (unchanged is False), _FILES[unchanged], ""]
    return "\n".join(lines), values, good


def verified_sentence(values: Mapping[str, Any]) -> str:
    """Say of a session of which nothing differs what `verify_session` found."""
    counts = values["counts"]
    same, kept, figures, added, older = (
        counts.get(one.name.lower(), 0) for one in NO_DIFFERENCE
    )
    by = f"Bayscope {values['recorded_by']}, which recorded it"
    lacking = f", {kept} more cannot be, as their source data is not kept"
    lacking *= bool(kept)
    lacking += f", {figures} more were imported as figures" * bool(figures)
    lacking += f", {added} more were not computed by {by}" * bool(added)
    lacking += f", {older} more were computed by earlier formulas" * bool(older)
    whole = "the file is as it was recorded"
    if not values["unchanged"]:
        whole = "it has no hash, as its recording did not end, or goes on"
    return (
        f"{counted(same, 'result')} computed again, the same to the last bit"
        f"{lacking}, and {whole}."
    )


def _moved(session: Session, found: list[Verified]) -> list[str]:
    """Name the rows that were computed before a clock offset was set."""
    last = len(session.offsets())
    known = [(one.step.label, one.stored.offset_id) for one in found if one.stored]
    rows = [label for label, used in known if used is not None and used < last]
    return list(dict.fromkeys(rows))


def _is_unchanged(session: Session) -> bool | None:
    return session.is_unchanged() if session.sha256() else None


def _plain(one: Verified) -> dict[str, Any]:
    recorded, again = one.values
    result = one.stored or one.again
    return {
        "step": one.step.label,
        "result": one.name,
        "recorded": recorded,
        "again": again,
        "unit": result.unit if result else "",
        "samples": [result.n_valid, result.n_expected] if result else [],
        "window_ns": [result.start_ns, result.end_ns] if result else [],
        "agreement": one.agreement.name.lower(),
        "formulas": one.stored and formulas_of(one.stored),
        "lacks": one.lacks or None,
    }


def _named(found: list[Verified], kind: Agreement, why: str) -> list[str]:
    """Count the results of a kind, and name each of them once."""
    names = [one.name for one in found if one.agreement is kind]
    if not names:
        return []
    return [f"  {len(names)} {why}:", f"    {', '.join(dict.fromkeys(names))}"]


def _lines(
    found: list[Verified], differing: list[Verified], recorded_by: str
) -> list[str]:
    counts = Counter(one.agreement for one in found)
    rows = len({one.step.id for one in found})
    lines = [
        f"{counted(len(found), 'result')} of {counted(rows, 'row')}:",
        f"  {counts[Agreement.SAME]} are reproduced bit for bit from the stored "
        "samples and documents",
    ]
    if lost := counts[Agreement.NOT_KEPT]:
        lines.append(
            f"  {lost} cannot be computed again, as their source data is not kept:"
        )
        names: dict[str, dict[str, None]] = {}
        for one in found:
            if one.agreement is Agreement.NOT_KEPT:
                names.setdefault(one.lacks, {})[one.name] = None
        lines += [
            f"    {', '.join(sorted(own, key=in_order))}: {why}"
            for why, own in names.items()
        ]
    lines += _named(found, Agreement.FIGURE, "were imported as figures alone")
    why = (
        f"were not computed by Bayscope {recorded_by}, which recorded it, and "
        "contradict nothing"
    )
    lines += _named(found, Agreement.ADDED, why)
    lines += _older(found)
    if differing:
        cells = tuple(
            (one.step.label, one.name, *one.values, str(one.agreement))
            for one in differing
        )
        lines += [
            f"  {len(differing)} DIFFER (recorded by Bayscope {recorded_by}, computed "
            f"again by {version()}):",
            *("", *aligned(Table(_COLUMNS, cells))),
        ]
    return lines


def _older(found: list[Verified]) -> list[str]:
    """Say which results earlier formulas gave, and what has changed since."""
    older: dict[int, list[Verified]] = {}
    for one in found:
        if one.stored is not None and one.agreement is Agreement.FORMULA:
            older.setdefault(formulas_of(one.stored), []).append(one)
    lines = []
    for number, own in sorted(older.items()):
        since = [what for later, (what, _) in LATER.items() if later > number]
        cells = tuple((one.step.label, one.name, *one.values) for one in own)
        lines += [
            f"  {len(own)} differ by their formulas alone, {number} when they were "
            f"recorded and {FORMULAS} now ({'; '.join(since)}):",
            *("", *aligned(Table(_COLUMNS[:-1], cells)), ""),
        ]
    return lines
