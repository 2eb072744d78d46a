"""Another table beside the first: other windows, rules and clock offsets."""

import csv
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.analysis.again.recompute import (
    NOT_GIVEN,
    Cut,
    Otherwise,
    RowOtherwise,
    recompute,
)
from app.analysis.again.rows import STEADY_STATE
from app.analysis.rules.gates import GateState
from app.analysis.steady.rules import WindowRule
from app.analysis.steady.state import METHODS
from app.cli.main import run
from app.operations.sessions.judging import JudgedAgain
from app.operations.sessions.recomputing import (
    AGAIN,
    _marked,
    otherwise,
    recompute_csv,
    recompute_json,
    recomputed,
)
from app.plan.verdict import Verdict
from app.record.store import Session
from app.report.table import Column, Table
from instruments.errors import BadInput
from instruments.metric import BY_NAME
from instruments.reading import SECOND
from tests.app.operations.sessions.test_verifying import change


def rows_of(path: Path, other: Otherwise) -> dict[str, RowOtherwise]:
    with Session.open(path) as session:
        return {row.step.label: row for row in recompute(session, other)}


def values_of(row: RowOtherwise) -> Mapping[str, float | None]:
    return {result.name: result.value for result in row.results}


def levels(path: Path, start: int, end: int) -> float:
    """The energy mean of the noise of a time, from its stored samples."""
    with Session.open(path) as session:
        trace = session.trace("noise.LAeq")
    inside = (trace.times >= start) & (trace.times < end) & ~np.isnan(trace.mean)
    return float(10 * np.log10(np.mean(10 ** (trace.mean[inside] / 10))))


def test_nothing_of_the_file_is_changed(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = hashlib.sha256(recorded.read_bytes()).digest()
    for more in (
        ["--window", "500ms.."],
        ["--steady", "sss-pts", "--round", "1s", "--json"],
        ["--offset", "mains=0.2", "--csv"],
    ):
        assert run(["recompute", str(recorded), *more]) == 0
    assert capsys.readouterr().out
    assert hashlib.sha256(recorded.read_bytes()).digest() == before


def test_the_whole_window_gives_what_is_stored(recorded: Path) -> None:
    rows = rows_of(recorded, Otherwise(Cut()))
    with_parts = {"Until steady", "Without its end"}
    assert rows.keys() > with_parts
    for label, row in rows.items():
        assert [c for c in row.cells if c.differs] == [] or label in with_parts
    whole = rows["Without its end"].window
    step = rows["Without its end"].step
    assert whole is not None
    assert step.window_end_ns is not None
    assert whole[1] - step.window_end_ns == SECOND // 2


def test_a_part_has_the_samples_of_the_part(recorded: Path) -> None:
    whole = rows_of(recorded, Otherwise(Cut()))["Until steady"].window
    assert whole is not None
    window = whole[0] + SECOND // 2, whole[1] - SECOND // 5
    row = rows_of(recorded, Otherwise(Cut(0.5, -0.2)))["Until steady"]
    assert row.window == window
    values = values_of(row)
    assert values["duration_s"] == (window[1] - window[0]) / SECOND
    assert values["noise_db"] == pytest.approx(levels(recorded, *window), abs=1e-9)
    of_all = {"buffered"}
    spans = {(r.start_ns, r.end_ns) for r in row.results if r.name not in of_all}
    assert window in spans
    assert all(window[0] <= start < end <= window[1] for start, end in spans)


def test_what_is_known_of_the_whole_only_is_blank_and_says_why(recorded: Path) -> None:
    rows = rows_of(recorded, Otherwise(Cut(0.5)))
    [whole] = [
        cell for cell in rows["Random read 4k"].cells if cell.name == "latency_max_ms"
    ]
    assert whole.values[0] is not None
    assert whole.values[1] is None
    assert whole.why
    cells = {cell.name: cell for cell in rows["Until steady"].cells}
    assert cells["steady_rounds"].values[1] is None
    assert cells["steady_rounds"].why
    assert not cells["iops"].why


def test_what_lacks_is_called_as_its_column(recorded: Path) -> None:
    lacking = "\n".join(recomputed(recorded, otherwise("500ms..")).lacking)
    assert BY_NAME["latency_max_ms"].head in lacking
    assert "_" not in lacking


def test_what_has_no_value_says_why_and_not_how_it_is_made(recorded: Path) -> None:
    rows = rows_of(recorded, Otherwise(offsets={"mains": -86399 * SECOND}))
    cells = {cell.name: cell for cell in rows["Random read 4k"].cells}
    assert cells["power_w"].values[1] is None
    for name in ("lambda", "energy_by_mean_wh"):
        assert cells[name].why.startswith("0 of")
    # The readings are kept, and without power there is no error of it.
    assert cells["power_error_w"].why == NOT_GIVEN


def plan_too(path: Path, campaign_head: str, step_head: str) -> None:
    """Let the plan of a session have further keys."""
    change(path, "UPDATE session SET campaign = ? || campaign", (f"{campaign_head}\n",))
    change(path, "UPDATE step SET plan = ? || plan", (f"{step_head}\n",))


def keep_rounds(path: Path, step_id: int, told: object) -> None:
    """Let a session keep other rounds of a step than were judged."""
    content = json.dumps(told).encode()
    change(
        path,
        "UPDATE artefact SET content = ?, size = ? WHERE step_id = ? AND name = ?",
        (zlib.compress(content), len(content), step_id, STEADY_STATE),
    )


def judged(path: Path, window: str) -> dict[str, JudgedAgain]:
    return {row.step: row.judged for row in recomputed(path, otherwise(window)).rows}


def test_limits_and_gates_are_judged_of_the_other_window(copied: Path) -> None:
    step = "Random read 4k"
    assert judged(copied, "500ms..")[step].verdict is None
    # 10 readings are asked for: the last 0.3 s of ten a second have fewer.
    plan_too(copied, 'gates = ["readings"]', 'limits = ["power_w <= 9000"]')
    found = judged(copied, "200ms..")[step]
    assert (found.verdict, found.reason) == (Verdict.PASS, "")
    assert [gate.state for gate in found.gates] == [GateState.PASS]
    found = judged(copied, "-300ms..")[step]
    assert found.verdict is Verdict.ERROR
    assert [gate.state for gate in found.gates] == [GateState.FAIL]
    assert "gate readings" in found.reason
    before = hashlib.sha256(copied.read_bytes()).digest()
    shown = recompute_json(recomputed(copied, otherwise("-300ms..")))
    assert shown["rows"][0]["judged"]["verdict"] == "ERROR"
    assert hashlib.sha256(copied.read_bytes()).digest() == before


def test_a_limit_that_the_other_window_breaks(copied: Path) -> None:
    values = values_of(rows_of(copied, Otherwise(Cut(0.5)))["Idle"])
    power = values["power_w"]
    assert power is not None
    plan_too(copied, "", f'limits = ["power_w <= {power - 1:.3f}"]')
    found = judged(copied, "500ms..")["Idle"]
    assert found.verdict is Verdict.FAIL
    assert "the limit is" in found.reason
    # What has no value in the part is no value of the whole.
    change(copied, "UPDATE step SET plan = replace(plan, 'power_w', 'latency_max_ms')")
    found = judged(copied, "500ms..")["Random read 4k"]
    assert found.verdict is Verdict.ERROR
    assert "latency_max_ms" in found.reason


def test_a_window_that_does_not_fit_leaves_a_row_blank(recorded: Path) -> None:
    for row in rows_of(recorded, Otherwise(Cut(3600.0))).values():
        assert row.window is None
        assert row.why
        assert not row.results


def test_the_rule_of_the_run_finds_its_window_again(recorded: Path) -> None:
    other = Otherwise(rule="sss-pts")
    row = rows_of(recorded, other)["Until steady"]
    assert row.window == (row.step.window_start_ns, row.step.window_end_ns)
    assert [cell.name for cell in row.cells if cell.differs] == []


def never_steady(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Let a rule ask for more rounds than there are, of which it takes the first."""
    rule = WindowRule(rounds=10**6)
    other = replace(METHODS["sss-pts"], rule=rule, most=most)
    monkeypatch.setitem(METHODS, "sss-pts", other)


def test_a_rule_gives_up_after_as_many_rounds_as_in_a_run(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, rounds in ((2, 2), (4, 4)):
        never_steady(monkeypatch, most)
        row = rows_of(recorded, Otherwise(rule="sss-pts"))["Until steady"]
        assert values_of(row)["steady_rounds"] == rounds
        assert "not steady" in row.why


def test_rounds_begin_where_those_of_the_run_did(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So long before its window as the load took to start, however many rounds."""
    never_steady(monkeypatch, 0)
    with Session.open(copied) as session:
        [step] = [one for one in session.steps() if one.label == "Until steady"]
        told = json.loads(session.artefact(STEADY_STATE, step.id))
    assert step.start_ns is not None
    keep_rounds(copied, step.id, {**told, "begin_ns": step.start_ns})
    row = rows_of(copied, Otherwise(rule="sss-pts", round_s=0.05))["Until steady"]
    assert row.whole is not None
    rounds = (row.whole[1] - step.start_ns) / (SECOND // 20)
    assert values_of(row)["steady_rounds"] == pytest.approx(rounds, abs=1)


def test_another_rule_says_why_it_is_not_steady(recorded: Path) -> None:
    row = rows_of(recorded, Otherwise(None, "7-of-25"))["Until steady"]
    values = values_of(row)
    assert values["steady.performance"] == 0.0
    assert "7-of-25" in row.why
    assert row.window == (row.step.window_start_ns, row.step.window_end_ns)


def test_rounds_that_are_too_long_are_told(recorded: Path) -> None:
    rows = rows_of(recorded, Otherwise(None, "5x30min", 1800.0))
    assert all("1800" in row.why for row in rows.values() if row.step.engine == "fio")
    damaged = rows_of(recorded, Otherwise(None, "sss-pts", 0.0, rows=("Until steady",)))
    assert list(damaged) == ["Until steady"]


def test_an_offset_moves_the_samples_of_its_source_alone(recorded: Path) -> None:
    rows = rows_of(recorded, Otherwise(offsets={"noise": SECOND // 2}))
    row = rows["Until steady"]
    start, end = row.step.window_start_ns or 0, row.step.window_end_ns or 0
    moved = levels(recorded, start - SECOND // 2, end - SECOND // 2)
    assert values_of(row)["noise_db"] == pytest.approx(moved, abs=1e-9)
    differing = {cell.name for cell in row.cells if cell.differs}
    assert differing <= {"noise_db", "noise_u_db"}


def test_offsets_that_were_found_later_count_where_asked_for(copied: Path) -> None:
    step = rows_of(copied, Otherwise(rows=("Until steady",)))["Until steady"].step
    start, end = step.window_start_ns or 0, step.window_end_ns or 0
    before = levels(copied, start, end)
    # A quiet room may sound the same a second earlier: levels have 0.1 dB.
    offset = next(
        ns
        for ns in range(SECOND // 2, end - start, SECOND // 2)
        if abs(levels(copied, start - ns, end - ns) - before) > 0.01
    )
    change(
        copied,
        'INSERT INTO "offset" (source, offset_ns, spread_ns, method) '
        "VALUES ('noise', ?, 0, 'alignment')",
        (offset,),
    )
    with Session.open(copied) as session:
        [row] = recompute(session, Otherwise(is_latest=True, rows=("Until steady",)))
        [same] = recompute(session, Otherwise(rows=("Until steady",)))
    moved = levels(copied, start, end)  # traces have it applied
    assert values_of(row)["noise_db"] == pytest.approx(moved, abs=1e-9)
    assert values_of(same)["noise_db"] == pytest.approx(before, abs=1e-9)


def test_rounds_that_cannot_be_judged_again_blank_no_other_window(
    copied: Path,
) -> None:
    with Session.open(copied) as session:
        [step] = [one for one in session.steps() if one.label == "Until steady"]
        told = json.loads(session.artefact(STEADY_STATE, step.id))
    keep_rounds(copied, step.id, {**told, "round_s": 1e6})
    same = rows_of(copied, Otherwise(rows=("Until steady",)))["Until steady"]
    part = rows_of(copied, Otherwise(cut=Cut(0.5, None), rows=("Until steady",)))
    assert not values_of(same)
    assert values_of(part["Until steady"])["power_w"] is not None


def test_both_values_stand_in_every_form(recorded: Path) -> None:
    found = recomputed(recorded, otherwise("500ms..", rows=["Until steady"]))
    [(_, table), *_] = found.tables
    assert [row[0] for row in table.rows] == ["Until steady", f"Until steady{AGAIN}"]
    assert table.other
    assert {number for number, _ in table.other} == {1}
    [row] = recompute_json(found)["rows"]
    assert row["window_s"][0] == 0.5
    power = row["results"]["power_w"]
    assert power["differs"]
    assert power["recorded"] != power["again"]
    lines = list(csv.DictReader(recompute_csv(found).splitlines()))
    [line] = [one for one in lines if one["result"] == "power_w"]
    assert (float(line["recorded"]), float(line["again"])) == (
        power["recorded"],
        power["again"],
    )
    assert "iops_per_w" in row["results"]  # what follows from others, too


def test_a_label_is_text(copied: Path) -> None:
    change(copied, "UPDATE step SET label = '=1+1' WHERE label = 'Until steady'")
    text = recompute_csv(recomputed(copied, otherwise("500ms..", rows=["=1+1"])))
    assert all(line.startswith("'=1+1,") for line in text.splitlines()[1:])


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--window", "30s"], "30s"),
        (["--window", "30s..20s"], "30s..20s"),
        (["--window", "x..2s"], "x..2s"),
        (["--steady", "sss-ptx"], "sss-pts"),
        (["--steady", "sss-pts", "--round", "10ms"], "round"),
        (["--window", "1s..", "--round", "10s"], "steady"),
        (["--offset", "mains"], "mains"),
        (["--offset", "mains=nan"], "nan"),
        (["--offset", "main=1"], "mains"),
        (["--window", "1s..", "--step", "Until stead"], "Until steady"),
        ([], "window"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(
    recorded: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    word: str,
) -> None:
    assert run(["recompute", str(recorded), *arguments, "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert word in told["error"]


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("..", (0, 100)),
        ("30s..", (30, 100)),
        ("..-10s", (0, 90)),
        ("-60s..", (40, 100)),
        ("30s..90s", (30, 90)),
        ("-60s..-10s", (40, 90)),
        ("-60s..50s", (40, 50)),
        ("30s..101s", None),
        ("-101s..", None),
        ("-10s..20s", None),
    ],
)
def test_a_cut(text: str, window: tuple[int, int] | None) -> None:
    whole = 7 * SECOND, 107 * SECOND
    found = Cut.parse(text).of(whole)
    wanted = window and tuple(7 * SECOND + one * SECOND for one in window)
    assert found == wanted


def test_a_session_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        recomputed(tmp_path / "none.bayscope", otherwise("1s.."))


def test_what_reads_alike_is_not_marked() -> None:
    columns = (Column("Workload", "step"), Column("W", "power_w", 1), Column("C", "c"))
    rows = (("Idle", 412.04, 3.4), ("Idle, again", 411.96, 3.6))
    table = _marked(Table(columns, rows), {"Idle, again": "Idle"})
    assert table.other == {(1, 2)}
