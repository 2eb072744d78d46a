"""The terms of each row's uncertainty, in `--json` and in `explain`."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from app.analysis.results import step_results
from app.cli.main import run
from app.operations.sessions.explaining import explain_text
from app.record.store import Result, Session, Writer
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

WINDOW = (100 * SECOND, 110 * SECOND)
CONFIG = """[[power]]
name = "{name}"
driver = "hmc8015"
accuracy_reading = 0.1
accuracy_range = 0.05
accuracy_source = "certificate {name}"
"""
WATTS = {"mains": 500.0, "pdu": 200.0}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A row of a device and of a switch, each with a meter of its own."""
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    who = Identity("", "", "", "", "")
    for name, measures in (("mains", "dut"), ("pdu", "switch")):
        text = CONFIG.format(name=name)
        writer.add_source(name, "power", "hmc8015", who, text, measures=measures)
    step = writer.add_step(1, "Read", "idle", 'label = "Read"\n')
    writer.update_step(step, window_start_ns=WINDOW[0], window_end_ns=WINDOW[1])
    times = WINDOW[0] + SECOND * np.arange(-1, 12)
    for name, watts in WATTS.items():
        for quantity, unit, values in (
            ("P", "W", np.where(times > 105 * SECOND, watts + 1, watts)),
            ("U_range", "V", np.full(times.size, 300.0)),
            ("I_range", "A", np.full(times.size, 10.0)),
        ):
            one = (Channel(name, quantity, unit, period_ns=SECOND),)
            writer.append_trace(one, times, times, values.reshape(-1, 1))
    writer.commit()
    with Session.open(writer.path) as session:
        found = step_results(session, WINDOW)
    for result in (*found, Result("duration_s", 10.0, "s", *WINDOW, 1, 1)):
        writer.result(step, result)
    writer.finish()
    return writer.path


def test_json_has_every_term_of_each_row(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(path), "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)["steps"]
    budgets, parts = row["uncertainty_budget"], row["uncertainty_parts"]
    assert budgets.keys() == {"power_w", "switch.power_w"}
    for name, meter in (("power_w", "mains"), ("switch.power_w", "pdu")):
        budget = budgets[name]
        limits = {term["name"]: term["limit_w"] for term in budget["terms"]}
        assert limits["reading"] == pytest.approx(0.001 * row[name], rel=1e-3)
        assert limits["range"] == pytest.approx(0.0005 * 3000)
        known = [t for t in budget["terms"] if t["name"] in ("reading", "range")]
        assert {term["source"] for term in known} == {f"certificate {meter}"}
        assert all(term["verified"] for term in known)
        for term in budget["terms"]:
            assert term["standard_w"] == pytest.approx(term["limit_w"] / math.sqrt(3))
        assert budget["limit_w"] == pytest.approx(sum(limits.values()))
        # The terms come to what is stored, and so does what is beside them.
        meter_w = math.hypot(*(term["standard_w"] for term in budget["terms"]))
        assert parts[name]["u_meter"] == pytest.approx(meter_w)
        assert budget["meter_w"] == pytest.approx(meter_w)
        beside = math.hypot(budget["scatter_w"], budget["unseen_w"])
        assert parts[name]["u_scatter"] == pytest.approx(beside)
        assert 0 < budget["unseen_w"] < budget["scatter_w"]
        assert "age" in budget["not_included"]
    for name, whole in row["uncertainty"].items():
        u_meter, u_scatter = parts[name].values()
        assert whole == pytest.approx(2 * math.hypot(u_meter, u_scatter or 0))


def test_explain_names_the_terms_of_a_mean_power(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = explain_text(path, "Read", "switch.power_w")
    assert "  Limit of error  range 1.5 W, certificate pdu\n" in text
    assert "  Limit of error  not included, as nothing is known of it: age" in text
    assert "Limit of error" not in explain_text(path, "Read", "energy_wh")
    assert run(["explain", str(path), "Read", "power_w", "--json"]) == 0
    budget = json.loads(capsys.readouterr().out)["uncertainty_budget"]
    assert [t["limit_w"] for t in budget["terms"] if t["name"] == "range"] == [1.5]
