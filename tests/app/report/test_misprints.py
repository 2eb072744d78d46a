"""IOPS and MB/s of published reports against the block sizes of their loads."""

from pathlib import Path

from app.record.store import Session
from app.report.rows import report_rows
from app.report.trust import trust_notes


def test_two_misprints_are_found_among_all_published_rows(
    published: list[Path],
) -> None:
    found = []
    for path in published:
        with Session.open(path) as session:
            notes = trust_notes(session, report_rows(session))
        found += [
            (path.name.split("-")[1], note) for note in notes if "printed are" in note
        ]
    assert sorted(found) == [
        (
            "hdd",
            "Mixed 4k/64k/256k/2M: 2400 IOPS of a mean block of 295.7 kB are 710 MB/s, "
            "printed are 800",
        ),
        (
            "zfs",
            "Mixed 4k/64k/256k/2M: 890 IOPS of a mean block of 295.7 kB are 263 MB/s, "
            "printed are 890",
        ),
    ]
