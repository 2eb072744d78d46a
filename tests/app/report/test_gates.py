"""The table of gates, and what programs are told of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.analysis.results import step_results
from app.analysis.rules.gates import GateState
from app.analysis.rules.row_figures import Lack
from app.operations.sessions.explaining import explain_json, explain_text
from app.operations.sessions.showing import show_json
from app.plan.gates import checklists, gates, rule_named
from app.record.store import Session, Trace, Writer
from app.report.document import build_document
from app.report.gates import (
    ALL_ROWS,
    HEADING,
    KEY,
    QUALITY_HEADING,
    gates_table,
    unmet_gates,
    with_gates,
)
from app.report.rows import report_rows
from app.report.tables import result_at
from instruments.errors import BadInput
from instruments.reading import SECOND, Channel, Identity
from tests.app.ui.sample import write_sample
from tests.session_info import session_info

WINDOW = (0, 20 * SECOND)


def recorded(folder: Path) -> Path:
    """Record an idle row, one without a window and a start, which has no mean."""
    path = folder / "s.bayscope"
    writer = Writer.create(path, session_info())
    who = Identity("", "", "", "", "")
    writer.add_source("mains", "power", "hmc8015", who, "")
    times = SECOND * np.arange(20, dtype=np.int64) + SECOND // 2
    one = Channel("mains", "P", "W", period_ns=SECOND)
    values = np.arange(500.0, 520.0, dtype=np.float64)
    writer.append_trace((one,), times, times, values.reshape(-1, 1))
    start, end = WINDOW
    for number, label in enumerate(("Idle", "Prompt", "Start"), 1):
        engine = "startup" if label == "Start" else label.lower()
        step = writer.add_step(number, label, engine, f'label = "{label}"\n')
        if label != "Prompt":
            writer.update_step(step, window_start_ns=start, window_end_ns=end)
        writer.update_step(step, start_ns=start, end_ns=end, outcome="DONE")
    writer.commit()
    with Session.open(path) as session:
        for result in step_results(session, WINDOW):
            writer.result(1, result)
    writer.finish()
    return path


def test_the_table_tells_what_was_judged_and_what_is_missing(tmp_path: Path) -> None:
    with Session.open(recorded(tmp_path)) as session:
        more = dict(build_document(session).more)
        assert HEADING not in dict(build_document(session, form="lab").more)
    table = more[HEADING]
    # The rest was judged of no row.
    assert [column.key for column in table.columns] == [
        *("step", "rate", "readings", "reason")
    ]
    [cells] = table.texts()
    assert cells[0] == "Idle"
    assert cells[1:3] == ["PASS 1", "PASS 20"]
    assert "frequency: no frequency was recorded" in cells[3]
    assert "clock, clock-most: no load hosts" in cells[3]


def test_what_is_so_of_all_rows_is_said_once() -> None:
    def row(step: str, missing: str) -> dict[str, object]:
        def one(name: str, lack: str | None) -> dict[str, object]:
            value = None if lack else 20.0
            state = GateState.NOT_JUDGED if lack else GateState.PASS
            return {"state": str(state), "value": value, "missing": lack}

        known = {"readings": one("readings", None), "rate": one("rate", missing)}
        lacks = {g.name: one(g.name, str(Lack.NO_HOSTS)) for g in gates()}
        return {"step": step, KEY: lacks | known}

    both = row("A", str(Lack.NO_POWER)), row("B", str(Lack.FEW_READINGS))
    table = gates_table(both)
    assert table is not None
    last = [cells[-1] for cells in table.texts()]
    assert last[:2] == ["rate: no mean power", "rate: too few readings"]
    assert last[2].endswith(": no load hosts")
    assert table.rows[2][:-1] == (ALL_ROWS, None)
    alone = gates_table(both[:1])
    assert alone is not None
    assert len(alone.rows) == 1


def test_where_no_gate_is_judged_there_is_no_table() -> None:
    lack = {"state": str(GateState.NOT_JUDGED), "value": None}
    missing = {gate.name: lack | {"missing": str(Lack.NO_POWER)} for gate in gates()}
    assert gates_table([{"step": "A", KEY: missing}]) is None


def test_a_rate_stands_with_its_unit() -> None:
    rate = rule_named("rate")
    assert rate is not None
    assert rate.bounds == "at least 1/s"


def test_the_quality_has_its_parts_and_each_leads_back(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    with Session.open(path) as session:
        table = dict(build_document(session).more)[QUALITY_HEADING]
        [row] = [r for r in with_gates(session, report_rows(session)) if KEY in r]
    parts = row["quality_parts"]
    assert isinstance(parts, dict)
    # Of disks, ranges and clocks nothing is known here.
    known = {f"quality.{part}" for part, value in parts.items() if value is not None}
    assert {"quality.coverage", "quality.drift", "quality.scatter"} <= known
    keys = [column.key for column in table.columns]
    assert {*keys[3:]} == {*known, "quality.throttling"}
    for column, key in enumerate(keys):
        wanted = result_at(table, 0, column)
        assert wanted == ("" if key in ("step", "of") else key)
        if wanted:
            told = explain_json(path, "Idle", wanted)
            cell = table.rows[0][column]
            assert told["value"] == (None if cell == "not known" else cell)
    text = explain_text(path, "Idle", "quality.throttling")
    assert "not known: no drive reported its counters" in text
    assert explain_json(path, "Idle", "quality")["figures"] == {
        part: value for part, value in parts.items() if value is not None
    }


def test_a_gate_leads_back_to_the_samples_it_was_judged_by(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    with Session.open(path) as session:
        table = dict(build_document(session).more)[HEADING]
    keys = [column.key for column in table.columns]
    assert result_at(table, 0, keys.index("readings")) == "readings"
    assert result_at(table, 0, keys.index("reason")) == ""
    found = explain_json(path, "Idle", "readings")
    assert (found["value"], found["channels"][0]["readings"]) == (20.0, 20)
    # One that was not judged says why.
    assert "no frequency was recorded" in explain_text(path, "Idle", "frequency")
    with pytest.raises(BadInput, match="nothing was judged"):
        explain_text(path, "Prompt", "readings")


def test_programs_are_told_by_codes_and_figures(tmp_path: Path) -> None:
    told = show_json(recorded(tmp_path))["steps"]
    assert isinstance(told, list)
    idle, prompt, start = told
    assert idle["gates"]["readings"] == {
        "state": "PASS",
        "value": 20.0,
        "low": 10.0,
        "high": None,
        "unit": "",
        "missing": None,
    }
    assert idle["gates"]["room"]["missing"] == "no-room"
    assert (idle["power_min_w"], idle["power_max_w"]) == (500.0, 519.0)
    assert round(idle["power_slope_w_per_s"], 6) == 1
    assert round(idle["power_sd_w"], 3) == 5.916
    assert idle["quality"] == idle["quality_parts"][idle["quality_worst"]]
    assert "gates" not in prompt
    assert "gates" not in start


def test_what_a_report_shows_reads_each_trace_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    trace = Session.trace

    def counted(session: Session, *what: Any) -> Trace:
        read.append(what)
        return trace(session, *what)

    with Session.open(write_sample(tmp_path / "s.bayscope", step_s=4)) as session:
        monkeypatch.setattr(Session, "trace", counted)
        build_document(session)
    assert read
    assert len(read) == len(set(read))


def test_a_session_that_is_over_is_judged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Session.open(recorded(tmp_path)) as session:
        rows = report_rows(session)
        first = with_gates(session, rows)
        assert first[0]["quality"] is not None
        monkeypatch.setattr(Session, "trace", lambda *_: pytest.fail("read again"))
        assert with_gates(session, rows) == first


def test_gates_that_are_not_met_are_named_with_their_rows(tmp_path: Path) -> None:
    with Session.open(recorded(tmp_path)) as session:
        first = with_gates(session, report_rows(session))[0]
    judged = first[KEY]
    assert isinstance(judged, dict)
    missed = {**judged["room"], "state": "FAIL", "value": 31.25}
    rows: list[dict[str, object]] = [
        first,
        {"step": "Read", KEY: {**judged, "room": missed}},
        {"step": "x"},
    ]
    assert unmet_gates(rows) == ["Room temperature is not 20 to 27 °C: Read 31.2"]


def test_a_rule_of_a_checklist_leads_to_the_row_that_is_the_farthest_off(
    tmp_path: Path,
) -> None:
    path = recorded(tmp_path)
    with Session.open(path) as session:
        tables = build_document(session).checklists
    led = 0
    for _, table in tables:
        for line in range(len(table.rows)):
            name = result_at(table, line, 2)
            if line not in table.leads:
                assert name == ""  # somebody has to look
                continue
            told = explain_json(path, table.label_of(line), name)
            [(_, source)] = [
                (n, c) for n, c in enumerate(table.rows[line]) if c and n == 3
            ]
            text = explain_text(path, table.label_of(line), name)
            assert str(source).removesuffix("; not verified") in text
            led += told["value"] is not None
    assert led


def test_a_rule_that_nothing_recorded_shows_says_so(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    rules = checklists()["spec-power"].rules
    looked_at = next(rule.name for rule in rules if rule.measure is None)
    text = explain_text(path, "Idle", f"spec-power.{looked_at}")
    assert "nothing recorded shows it" in text
    with pytest.raises(BadInput, match="has no result"):
        explain_text(path, "Idle", "spec-power.nothing")
