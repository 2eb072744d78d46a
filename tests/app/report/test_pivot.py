"""Efficiency, tables of two axes and the word of a rehearsal, from session files."""

from pathlib import Path

import pytest

from app.analysis.derived import FACTS, Economics, derived_of
from app.plan.campaign import parse_campaign
from app.plan.shorten import shortened
from app.plan.writing import campaign_text, step_text
from app.record.store import Result, Session, Writer
from app.report.document import Document, build_document
from app.report.efficiency import MADE as _MADE
from app.report.efficiency import economics_of, efficiency_tables, idle_row
from app.report.table import Table
from app.report.text import terminal
from tests.app.report.lab_figures import lab_figures
from tests.app.report.rendering import markdown, render_html
from tests.session_info import session_info

ARCHIVE = """
name = "Archive"
[[configuration]]
name = "path"
values = ["single path", "dual path"]
prompt = "Set up the {path}."
[[step]]
label = "Idle"
engine = "idle"
runtime = "1m"
[[step]]
label = "{bs}, {rwmixread} % read"
engine = "fio"
runtime = "1m"
[step.fio]
rw = "rw"
[step.sweep]
rwmixread = [100, 0]
bs = ["64k", "1m", "4m"]
"""
BENCH = """
[dut]
capacity_tb = 840
[cost]
price_per_kwh = 0.07
currency = "EUR"
pue = 1.3
"""


def session(folder: Path, text: str = ARCHIVE, bench: str = BENCH) -> Document:
    """Write a session with a power and a rate for each row; make its report."""
    path = folder / "x.bayscope"
    plan = parse_campaign(text, "plan.toml")
    info = session_info(simulated=False, campaign=text, bench=bench)
    writer = Writer.create(path, info)
    for number, (label, step) in enumerate(plan.runs, 1):
        row = writer.add_step(number, label, step.engine, step_text(step))
        writer.update_step(row, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
        values = {"power_w": 800.0 + number} if step.is_measured else {}
        if step.is_load:
            values |= {"bandwidth_mb_s": 100.0 * number, "iops": 10.0 * number}
        for name, value in values.items():
            writer.result(row, Result(name, value, "", 0, 1))
    writer.finish()
    with Session.open(path) as opened:
        return build_document(opened)


def tables(document: Document) -> dict[str, Table]:
    return dict(document.more)


def test_a_sweep_over_two_options_has_a_table_in_each_configuration(
    tmp_path: Path,
) -> None:
    found = tables(session(tmp_path))
    title = "Bandwidth (MB/s) of fio over bs and rwmixread, single path"
    table = found[title]
    assert table.heads == ["bs", "rwmixread 100", "rwmixread 0"]
    assert table.texts() == [
        ["64k", "300.0", "600.0"],
        ["1m", "400.0", "700.0"],
        ["4m", "500.0", "800.0"],
    ]
    assert title.replace("single", "dual") in found
    assert not any(name.startswith("IOPS") for name in found)


def test_configurations_stand_side_by_side(tmp_path: Path) -> None:
    table = tables(session(tmp_path))["Power (W) by configuration"]
    assert table.heads == ["", "Idle"]
    assert table.texts() == [["single path", "802.0"], ["dual path", "810.0"]]


def test_efficiency_has_rates_capacity_and_cost(tmp_path: Path) -> None:
    document = session(tmp_path)
    table = tables(document)["Efficiency and cost"]
    assert table.heads == [
        "Workload",
        "IOPS/W",
        "MB/s/W",
        "W/TB",
        "kWh/year (PUE 1)",
        "Cost/year (EUR, 0.07 per kWh, PUE 1.3)",
    ]
    assert table.texts()[0] == ["single path: Idle", "", "", "0.955", "7026", "639"]
    assert table.texts()[1][1:4] == ["0.04", "0.374", "0.956"]
    assert terminal(document).startswith("test - JBOD, ")
    for text in (terminal(document), markdown(document), render_html(document)):
        assert "Efficiency and cost" in text
        assert "rwmixread 100" in text


def test_a_year_that_is_half_idle_costs_less() -> None:
    economics = Economics(price_per_kwh=0.5, duty=0.5)
    rows: list[dict[str, object]] = [
        {"step": "Idle", "engine": "idle", "power_w": 500.0, "outcome": "DONE"},
        {"step": "Read", "engine": "fio", "power_w": 700.0, "iops": 70.0},
    ]
    assert idle_row(rows) is rows[0]
    for row, watts in zip(rows, (500.0, 600.0), strict=True):
        row[FACTS] = economics.facts(500.0)
        row.update(derived_of(row))
        assert row["kwh_per_year"] == pytest.approx(watts * 8.76)
        assert row["cost_per_year"] == pytest.approx(watts * 4.38)
    found = efficiency_tables(rows, economics)
    table = dict(found)["Efficiency and cost"]
    assert table is not None
    assert table.heads[-1] == (
        "Cost/year (EUR, 0.5 per kWh, PUE 1, 50% under load, else Idle)"
    )
    void = efficiency_tables([*rows, {**rows[1], "outcome": "VOID"}], economics)
    assert void == found


def test_figures_stand_beside_their_formulas_and_facts(tmp_path: Path) -> None:
    document = session(tmp_path)
    derived, made = (tables(document)[name] for name in ("Derived figures", _MADE))
    assert {"J/IO", "TB/W"} <= set(derived.heads)
    lines = {line[0]: line[1:] for line in made.texts()}
    assert lines["W/TB"] == ["power_w / capacity_tb", "capacity_tb = 840"]
    assert lines["Cost/year"][1] == "price_per_kwh = 0.07 EUR, pue = 1.3"


def test_a_session_without_bench_or_campaign_has_no_more_tables(tmp_path: Path) -> None:
    path = tmp_path / "x.bayscope"
    Writer.create(path, session_info(campaign="", bench="")).finish()
    with Session.open(path) as opened:
        found = build_document(opened)
    assert found.more == ()
    assert found.rehearsal == ""


def test_a_rehearsal_says_so_before_anything_else(tmp_path: Path) -> None:
    short = shortened(parse_campaign(ARCHIVE, "plan.toml"), 60)
    found = session(tmp_path, campaign_text(short))
    assert found.warnings[0].startswith("Shortened 1:60 for a rehearsal")
    assert found.warnings[0] in terminal(found)
    assert found.warnings[0] in render_html(found)


@pytest.mark.parametrize("outcome", ["VOID", "ERROR", "ABORTED"])
def test_power_at_rest_is_that_of_a_row_that_is_done(outcome: str) -> None:
    rows: list[dict[str, object]] = [
        {"engine": "idle", "power_w": 300.0, "outcome": "DONE"},
        {"engine": "idle", "power_w": 900.0, "outcome": outcome},
    ]
    assert idle_row(rows) is rows[0]
    assert idle_row(rows[1:]) == {}


def states(*roles: str) -> list[dict[str, object]]:
    """Make the rows of a device off, without drives, idle, under load and off again."""
    rows: list[dict[str, object]] = [
        {"step": "Off, BMC active", "power_w": 15.0, "lambda": 0.535, "noise_db": 32.7},
        {"step": "Without drives", "power_w": 140.0, "lambda": 0.9, "noise_db": 50.0},
        {"step": "Idle", "power_w": 615.1, "lambda": 0.976, "drive_max_c": 38.0},
        {"step": "Read", "power_w": 700.0, "lambda": 0.98, "drive_max_c": 41.0},
        {"step": "Off again", "power_w": 16.0, "lambda": 0.54},
    ]
    for row in rows:
        row.update(engine="fio" if row["step"] == "Read" else "idle", outcome="DONE")
    for row, role in zip(rows, roles, strict=False):
        row.update({"role": role} if role else {})
    return rows


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ((), "Idle"),
        (("off", "", "idle", "load", "off"), "Idle"),
        (("background",), "Idle"),
        (("", "idle"), "Without drives"),
        (("off",), None),
        (("idle", "", "idle"), "Idle"),
    ],
)
def test_the_row_at_rest_is_that_of_the_plan_else_the_last_with_drives(
    roles: tuple[str, ...], expected: str | None
) -> None:
    rows = states(*roles)
    assert idle_row(rows).get("step") == expected
    figures = dict(lab_figures(rows))
    if expected == "Idle":
        assert figures["Idle"] == "615"
        assert figures["Lambda (Idle)"] == "0.976"
        # No row of a device that is off stands in for one that was not measured.
        assert figures["Noise"] == ""
    elif expected is None:
        assert figures["Idle"] == ""
        assert figures["Lambda (Read)"] == "0.980"


def test_without_temperatures_the_row_at_rest_is_the_last_idle_one() -> None:
    rows = [{k: v for k, v in row.items() if k != "drive_max_c"} for row in states()]
    assert idle_row(rows)["step"] == "Off again"
    rows[-1]["outcome"] = "VOID"
    assert idle_row(rows)["step"] == "Idle"
    rows[-1] |= {"drive_max_c": 95.0}
    assert dict(lab_figures(rows))["Temperature HDD max."] == ""


def test_a_bench_with_words_for_numbers_says_nothing_of_them(tmp_path: Path) -> None:
    path = tmp_path / "s.bayscope"
    bench = '[dut]\ncapacity_tb = "a lot"\n[cost]\nprice_per_kwh = "dear"\nduty = 0\n'
    Writer.create(path, session_info(campaign="", bench=bench)).finish()
    with Session.open(path) as session:
        assert economics_of(session) == Economics(duty=0.0)
