"""What a report remarks of values that cannot be."""

from pathlib import Path

from app.analysis.rules.gates import GateState
from app.plan.gates import Measure, gates
from app.record.store import Session
from app.report.gates import KEY, unmet_gates
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


def test_a_sentence_does_not_name_hundreds_of_rows(tmp_path: Path) -> None:
    limits = Measure.UNCERTAINTY
    failed = {"state": GateState.FAIL, "value": 12.7}
    fine = {"state": GateState.PASS, "value": 0.1}
    states = {one.name: failed if one.measure is limits else fine for one in gates()}
    rows: list[dict[str, object]] = [
        {"step": f"Row {n}", "power_w": 15.0, "power_error_w": 1.9, KEY: states}
        for n in range(300)
    ]
    with Session.open(write(tmp_path)) as session:
        [errors] = [one for one in trust_notes(session, rows) if "limits of" in one]
    for sentence in (errors, *unmet_gates(rows)):
        assert "Row 0 " in sentence
        assert "and 276 more" in sentence or "(300 rows): " in sentence
        assert len(sentence) < 1000
