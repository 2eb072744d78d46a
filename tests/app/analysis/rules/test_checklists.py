"""Checklists: what ships, and a session judged by them."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.analysis.rules.checklists import JudgedRows, JudgedRule, RuleState, counts_of
from app.analysis.rules.row_figures import Lack
from app.cli import run
from app.plan.gates import Checklist, Gate, Measure, Rows, checklists, gates
from app.plan.verdict import Outcome
from app.record.store import Result, Session, Writer
from app.report.checklists import deviation_of
from app.report.document import build_document
from instruments.reading import SECOND, Identity
from tests.session_info import session_info

METER = '[[power]]\nname = "mains"\ncalibrated = 2023-01-10\n'


def _write(path: Path, *, simulated: bool = False) -> Path:
    """Write an idle row of two minutes and two loads, of 30 s and of 2 min."""
    writer = Writer.create(path, session_info(simulated=simulated))
    who = Identity("", "", "", "", "", simulated=simulated)
    writer.add_source("mains", "power", "hmc8015", who, METER)
    begin = 0
    for number, (label, engine, seconds) in enumerate(
        (("Idle", "idle", 120), ("Short", "fio", 30), ("Long", "fio", 120)), 1
    ):
        step = writer.add_step(number, label, engine, f'label = "{label}"\n')
        window = (begin + 10) * SECOND, (begin + 10 + seconds) * SECOND
        begin += seconds + 20
        writer.update_step(
            step,
            start_ns=window[0] - 10 * SECOND,
            end_ns=window[1],
            window_start_ns=window[0],
            window_end_ns=window[1],
            outcome=Outcome.DONE,
        )
        values = {"power_w": 500.0}
        if engine == "fio":
            values |= {
                "iops": 1000.0,
                "latency_mean_ms": 12.0 if seconds > 60 else 31.0,
            }
        count = seconds if label != "Long" else seconds - 6
        for name, value in values.items():
            writer.result(
                step,
                Result(
                    name, value, "", *window, count, seconds, u_meter=2.0, u_scatter=0.5
                ),
            )
    writer.finish()
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(tmp_path_factory.mktemp("lists") / "s.bayscope")


def _judged(path: Path, name: str) -> Mapping[str, JudgedRule]:
    with Session.open(path) as session:
        rules = JudgedRows(session).judge(checklists()[name])
    return {one.rule.name: one for one in rules}


def test_every_list_that_ships_is_whole() -> None:
    found = checklists()
    assert {
        "sss-pts",
        "emerald",
        "eehpc-1",
        "eehpc-3",
        "spec-power",
        "mlcommons",
    } <= set(found)
    assert next(iter(found)) == "gates"
    assert found["gates"].rules == gates()
    for name, one in found.items():
        assert one.title
        assert one.about.endswith(".")
        names = [rule.name for rule in one.rules]
        assert len(names) == len(set(names)), name
        for rule in one.rules:
            assert rule.source, (name, rule.name)
            assert (rule.measure is None) == (rule.low is None and rule.high is None)


RULES = {
    f"{name}: {rule.name}": rule
    for name, one in checklists().items()
    for rule in one.rules
    if rule.measure is not None
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_is_kept_at_its_bounds_and_broken_past_them(rule: Gate) -> None:
    ends = [(rule.low, -1), (rule.high, 1)]
    for bound, side in [(float(end), n) for end, n in ends if end is not None]:
        past = bound + side * (0.01 * abs(bound) or 0.01)
        broken = JudgedRule(rule, RuleState.NOT_MET, {"Kept": bound, "Past": past}, {})
        assert broken.broken == {"Past": past}
        assert f"1 of 2 rows not; the farthest is Past with {past:.4g}" in deviation_of(
            broken
        )
        kept = JudgedRule(rule, RuleState.MET, {"Kept": bound}, {})
        assert not kept.broken
        assert "the nearest is Kept" in deviation_of(kept)


def test_a_rule_is_judged_of_its_own_rows(path: Path) -> None:
    phase = _judged(path, "eehpc-1")["phase"]
    assert phase.state is RuleState.NOT_MET
    assert phase.values == {"Short": 30.0, "Long": 120.0}
    assert phase.broken == {"Short": 30.0}
    assert "1 of 2 rows not" in deviation_of(phase)
    assert "Short with 30 s" in deviation_of(phase)


def test_met_not_met_and_not_judged(path: Path) -> None:
    level = _judged(path, "eehpc-2")
    assert level["meter"].state is RuleState.MET
    assert level["meter"].values["Idle"] == pytest.approx(0.8)
    assert level["all-readings"].values["Long"] == pytest.approx(95)
    assert level["all-readings"].state is RuleState.NOT_MET
    assert level["idle"].state is RuleState.MET
    assert level["whole-run"].state is RuleState.NOT_JUDGED
    assert "somebody has to look" in deviation_of(level["whole-run"])
    spec = _judged(path, "spec-power")
    assert spec["fixed-range"].lacks == dict.fromkeys(
        ("Idle", "Short", "Long"), Lack.NO_RANGE
    )
    assert spec["calibrated"].values["Idle"] == 308
    emerald = _judged(path, "emerald")
    assert emerald["latency"].broken == {"Short": 31.0}
    assert emerald["conditioning"].values["Long"] == 10
    assert emerald["idle-length"].values == {"Idle": 120.0}
    commons = _judged(path, "mlcommons")
    assert commons["same-run"].state is RuleState.MET
    assert commons["real"].values["Idle"] == 0


def test_a_rule_of_which_a_row_is_not_known_is_not_met_by_the_others(
    path: Path,
) -> None:
    rule = Gate("x", "X", Measure.LATENCY, None, 40.0, "ms", "", False, Rows.ALL)
    with Session.open(path) as session:
        [judged] = JudgedRows(session).judge(Checklist("x", "X", "X.", (rule,)))
    assert judged.values == {"Short": 31.0, "Long": 12.0}
    assert judged.lacks == {"Idle": Lack.NO_LATENCY}
    assert judged.state is RuleState.NOT_JUDGED
    assert counts_of([judged])[RuleState.NOT_JUDGED] == 1


def test_what_was_simulated_is_no_measurement(tmp_path: Path) -> None:
    judged = _judged(_write(tmp_path / "s.bayscope", simulated=True), "mlcommons")
    assert judged["real"].state is RuleState.NOT_MET


def test_the_report_has_a_summary_and_every_list(path: Path) -> None:
    with Session.open(path) as session:
        document = build_document(session)
    summary = dict(document.more)["Checklists"]
    lists = dict(document.checklists)
    assert len(summary.rows) == len(checklists()) - 1 >= len(lists) > 4
    rules = {one.title: len(one.rules) for one in checklists().values()}
    for title, met, not_met, not_judged, _ in summary.rows:
        assert isinstance(met, float)
        assert isinstance(not_met, float)
        assert isinstance(not_judged, float)
        assert met + not_met + not_judged == rules[str(title)]
        assert (str(title) in lists) == (met + not_met > 0)


def test_the_command_says_it_in_both_forms(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["checklist", str(path)]) == 0
    assert "SNIA SSS-PTS" in capsys.readouterr().out
    assert run(["checklist", str(path), "eehpc-1"]) == 0
    shown = capsys.readouterr().out
    assert "Length of the measured phase" in shown
    assert "Sources" in shown
    assert run(["checklist", str(path), "eehpc-1", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)["checklists"]["eehpc-1"]
    assert one["counts"]["not met"] == 2
    rules = {rule["name"]: rule for rule in one["rules"]}
    assert rules["phase"]["broken"] == ["Short"]
    assert rules["phase"]["verified"] is True
    assert run(["checklist", str(path), "eehpc-4"]) == 2
    assert 'no checklist "eehpc-4"' in capsys.readouterr().err
