"""What a report remarks of values that cannot be."""

from pathlib import Path

from app.record.store import Session
from app.report.trust import trust_notes
from tests.app.report.test_document import write


def test_a_lambda_above_one_is_remarked(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"step": "Fine", "lambda": 1.0004},
        {"step": "Odd", "lambda": 1.021},
        {"step": "None", "lambda": None},
    ]
    with Session.open(write(tmp_path)) as session:
        told = [
            trust_note
            for trust_note in trust_notes(session, rows)
            if "Lambda" in trust_note
        ]
        quiet = [
            trust_note
            for trust_note in trust_notes(session, rows[:1])
            if "Lambda" in trust_note
        ]
    [note] = told
    assert "Lambda is above 1" in note
    assert "Odd 1.021." in note
    assert "Fine" not in note
    assert quiet == []
