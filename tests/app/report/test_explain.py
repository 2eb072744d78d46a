"""What a cell was made of, where that is not what its column usually is."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.analysis.again.verify import Agreement
from app.analysis.derived import FORMULAS as DERIVED
from app.analysis.derived import Economics, evaluated
from app.analysis.results import step_results
from app.analysis.uncertainty import BudgetTerm
from app.operations.sessions.explaining import explain_text, explained
from app.record.store import Result, Session, Writer
from app.report.chart.plot import plots_of
from app.report.efficiency import MADE, efficiency_tables
from app.report.explain import explain, result_named
from app.report.rows import report_rows
from app.report.sums import sums_of
from instruments.errors import BadInput
from instruments.metric import DERIVED_UNITS
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

START = 100 * SECOND
WINDOW = (START, START + 10 * SECOND)
TENTH = SECOND // 10


def recorded(folder: Path, measures: str, lacking: int, *, off: float = 1.0) -> Path:
    """Record 360 W for 10 s, of which some readings lack, and the integrator's.

    Args:
        folder: Where.
        measures: What the meter measures.
        lacking: How many readings lack.
        off: The stored power over what its samples give.
    """
    writer = Writer.create(folder / "s.bayscope", session_info())
    who = Identity("", "", "", "", "")
    writer.add_source("mains", "power", "hmc8015", who, "", measures=measures)
    step = writer.add_step(1, "Read", "idle", 'label = "Read"\n')
    writer.update_step(step, window_start_ns=WINDOW[0], window_end_ns=WINDOW[1])
    times = START + TENTH * np.arange(-1, 103)
    counted = (1 + np.arange(-1, 103) / 100).reshape(-1, 1)
    energy = Channel("mains", "Wh", "Wh", period_ns=TENTH)
    writer.append_trace((energy,), times, times, counted)
    watts = np.full((104, 1), 360.0)
    watts[40 : 40 + lacking] = np.nan
    power = Channel("mains", "P", "W", period_ns=TENTH)
    writer.append_trace((power,), times, times, watts)
    writer.commit()
    with Session.open(writer.path) as session:
        found = step_results(session, WINDOW)
    stored = [
        replace(one, value=off * (one.value or 0.0)) if one.name == "power_w" else one
        for one in found
    ]
    for result in (*stored, Result("duration_s", 10.0, "s", *WINDOW, 1, 1)):
        writer.result(step, result)
    writer.finish()
    return writer.path


@pytest.mark.parametrize(
    ("measures", "name"), [("dut", "power_w"), ("switch", "switch.power_w")]
)
def test_power_that_is_energy_over_time_shows_its_energy(
    tmp_path: Path, measures: str, name: str
) -> None:
    path = recorded(tmp_path, measures, lacking=10)
    with Session.open(path) as session:
        found = explain(session, "Read", name)
    energy = name.replace("power_w", "energy_wh")
    assert found.formula == (energy, "x 3600 /", "duration_s")
    assert found.value == pytest.approx(found.figures[energy] * 360)
    assert [part.channel.name for part in found.samples] == ["mains.Wh", "mains.P"]
    assert f"{energy} x 3600 / duration_s" in explain_text(path, "Read", name)


@pytest.mark.parametrize("lacking", [0, 10])
def test_power_that_its_samples_do_not_give_is_shown_as_no_sum_of_them(
    tmp_path: Path, lacking: int
) -> None:
    path = recorded(tmp_path, "dut", lacking, off=1.001)
    with Session.open(path) as session:
        found = explain(session, "Read", "power_w")
    assert found.agreement is Agreement.VALUE
    assert (found.formula, found.sums) == ((), [])
    assert found.samples


def test_means_of_several_units_are_not_added_up(tmp_path: Path) -> None:
    with Session.open(recorded(tmp_path, "dut", lacking=10)) as session:
        samples = explain(session, "Read", "power_w").samples
        assert sums_of(session, "power_w", samples, WINDOW) == []
        assert sums_of(session, "power_w", samples[1:], WINDOW)


def test_times_count_from_where_the_charts_begin(tmp_path: Path) -> None:
    path = recorded(tmp_path, "dut", lacking=0)  # its first sample came after 99.9 s
    assert "from 100.000 s to 110.000 s" in explain_text(path, "Read", "power_w")
    first = explained(path, "Read", "power_w").samples.splitlines()[0]
    assert float(first.split()[0]) == 100.0
    with Session.open(path) as session:
        [plot] = [one for one in plots_of(session, 100) if "Active" in one.title]
    assert plot.curves[0].line.x[0] == pytest.approx(99.9)


def test_power_that_was_read_is_of_its_readings(tmp_path: Path) -> None:
    path = recorded(tmp_path, "dut", lacking=0)
    with Session.open(path) as session:
        found = explain(session, "Read", "power_w")
    assert found.formula == ()
    assert [part.channel.name for part in found.samples] == ["mains.P"]
    [mean] = found.sums
    assert (mean.of, mean.value) == ("mean of mains.P", found.value)
    assert mean.formula == "(t1 x P1 + t2 x P2 + ... + t101 x P101) / t"
    assert mean.figures == (
        "(0.05 s x 360 + 0.1 s x 360 + ... + 0.05 s x 360) / 10 s = 3600 / 10 s"
    )
    assert mean.edges == (
        "P101 was read after the window: it counts as far as it tells of the window"
    )
    text = explain_text(path, "Read", "power_w")
    assert f"              {mean.edges}\n" in text
    assert f"  Formula     {mean.of} = {mean.formula}\n" in text
    assert f"              = {mean.figures} = 360.0\n" in text


def test_energy_shows_what_its_integrator_counted(tmp_path: Path) -> None:
    with Session.open(recorded(tmp_path, "dut", lacking=0)) as session:
        found = explain(session, "Read", "energy_wh")
        by_mean = explain(session, "Read", "energy_by_mean_wh")
    [counted] = found.sums
    assert counted.formula == "E1 + E2 + ... + E100"
    assert counted.figures == "0.01 + 0.01 + ... + 0.01 Wh"
    assert counted.value == found.value
    assert by_mean.sums[-1].value == by_mean.value
    assert by_mean.sums[-1].figures == "360 x 0.002777778 h"


@pytest.mark.parametrize(
    "name",
    ["power_w", "energy_wh", "noise_db", "ambient_c", "drive_min_c", "drive_max_c"],
)
def test_every_column_of_samples_shows_how_it_is_made(
    tmp_path: Path, name: str
) -> None:
    with Session.open(judged(tmp_path)) as session:
        found = explain(session, "Read", name)
    assert found.sums[-1].value == found.value
    assert found.sums[-1].figures


def test_lambda_is_the_quotient_of_sums_of_feeds(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    step = writer.add_step(1, "Read", "idle", 'label = "Read"\n')
    writer.update_step(step, window_start_ns=WINDOW[0], window_end_ns=WINDOW[1])
    times = START + SECOND * np.arange(-1, 12)
    for number, name in enumerate(("one", "two"), 1):
        writer.add_source(name, "power", "t", Identity("", "", "", "", ""), "")
        for quantity, unit, value in (("P", "W", 90.0), ("S", "VA", 100.0)):
            channel = Channel(name, quantity, unit)
            values = np.full((13, 1), number * value)
            writer.append_trace((channel,), times, times, values)
    writer.commit()
    with Session.open(writer.path) as session:
        for result in step_results(session, WINDOW):
            writer.result(step, result)
    writer.finish()
    with Session.open(writer.path) as session:
        power = explain(session, "Read", "power_w").sums
        factor = explain(session, "Read", "lambda").sums
    assert power[-1].lines == (
        "power_w = mean of one.P + mean of two.P",
        "= 90 + 180 = 270.0",
    )
    assert factor[-1].lines == ("lambda = P / S", "= 270 / 300 = 0.9")


@pytest.mark.parametrize(
    "name",
    [
        *("uncertainty", "energy", "voltage", "frequency", "room", "room-drift"),
        *("rate", "readings", "eehpc-2.meter", "eehpc-2.interval"),
    ],
)
def test_a_gate_shows_its_formula_with_the_figures(tmp_path: Path, name: str) -> None:
    path = judged(tmp_path)
    with Session.open(path) as session:
        found = explain(session, "Read", name)
    assert found.value is not None
    formula = " ".join(found.formula).replace(" x ", " * ").replace("^", "** ")
    figures = {name: float(value) for name, value in found.figures.items()}
    assert evaluated(formula, figures) == pytest.approx(found.value)
    assert " ".join(found.formula) in explain_text(path, "Read", name)


def judged(folder: Path) -> Path:
    """Record a row with a meter, a room, a sound meter and two drives."""
    bench = "[dut]\nmains_voltage = 50\n"
    writer = Writer.create(folder / "s.bayscope", session_info(bench=bench))
    who = Identity("", "", "", "", "")
    for name, section, driver in (
        ("mains", "power", "hmc8015"),
        ("ear", "noise", "ear"),
        ("bays", "thermal", "bays"),
    ):
        writer.add_source(name, section, driver, who, "")
    step = writer.add_step(1, "Read", "fio", 'label = "Read"\n')
    writer.update_step(step, window_start_ns=WINDOW[0], window_end_ns=WINDOW[1])
    for channel in (
        Channel("mains", "P", "W"),
        Channel("mains", "U", "V"),
        Channel("mains", "f", "Hz"),
        Channel("mains", "I", "A"),
        Channel("mains", "I_range", "A"),
        Channel("mains", "U_range", "V"),
        Channel("mains", "Wh", "Wh"),
        Channel("ear", "LAeq", "dB"),
        Channel("bays", "temperature", "degC", "ambient"),
        Channel("bays", "temperature", "degC", "slot01"),
    ):
        times = START + SECOND * np.arange(-1, 12)
        values = 50 + np.ones((13, 1))
        if channel.unit == "Wh":
            values = 51 * np.arange(13).reshape(-1, 1) / 3600
        writer.append_trace((channel,), times, times, values)
    writer.commit()
    with Session.open(writer.path) as session:
        found = step_results(session, WINDOW)
    rates = [Result(n, 5.0, "1/s", *WINDOW, 1, 1) for n in ("iops", "read_iops")]
    for result in (*found, *rates, Result("buffered", 1.0, "", *WINDOW, 1, 1)):
        writer.result(step, result)
    writer.add_step(2, "Skipped", "fio", 'label = "Skipped"\n')
    writer.finish()
    return writer.path


@pytest.mark.parametrize(
    ("name", "channels"),
    [
        ("uncertainty", ["mains.P"]),
        ("energy", ["mains.P", "mains.Wh"]),
        ("voltage", ["mains.U"]),
        ("frequency", ["mains.f"]),
        ("room", ["bays.temperature.ambient"]),
        ("emerald.room-rate", ["bays.temperature.ambient"]),
        ("spec-power.fixed-range", ["mains.U_range", "mains.I_range"]),
        ("spec-power.calibrated", []),
        ("emerald.latency", []),
        ("sound", ["ear.LAeq"]),
        ("clock", []),
        ("quality.drift", ["mains.P"]),
        ("quality.under range", ["mains.I", "mains.I_range"]),
        ("quality.cache", []),
        ("quality.clock", []),
        ("quality.foreign I/O", []),
        ("quality", []),  # held back by the page cache
    ],
)
def test_a_rule_leads_to_what_it_was_judged_by_and_to_nothing_else(
    tmp_path: Path, name: str, channels: list[str]
) -> None:
    with Session.open(judged(tmp_path)) as session:
        found = explain(session, "Read", name)
    assert [part.channel.name for part in found.samples] == channels


def test_quality_by_its_coverage_leads_to_all_that_is_covered(tmp_path: Path) -> None:
    with Session.open(judged(tmp_path)) as session:
        found = explain(session, "Read", "quality.coverage")
    names = {part.channel.name for part in found.samples}
    assert {"mains.P", "ear.LAeq", "bays.temperature.slot01"} <= names


def test_a_part_that_quality_has_not_is_refused(tmp_path: Path) -> None:
    with (
        Session.open(judged(tmp_path)) as session,
        pytest.raises(BadInput, match="quality\\.cache"),
    ):
        explain(session, "Read", "quality.caches")


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("Power (W)", "power_w"),
        ("MB/s/W", "mb_s_per_w"),
        ("kWh/year (PUE 1)", "kwh_per_year"),
        ("Quality (0 to 100)", "quality"),
        ("Over range", "quality.over range"),
        ("Foreign I/O", "quality.foreign I/O"),
        ("Uncertainty of power (at most 1 %)", "uncertainty"),
    ],
)
def test_a_column_is_found_by_its_head(head: str, name: str) -> None:
    assert result_named(head) == name


def test_what_nothing_recorded_shows_has_no_value(tmp_path: Path) -> None:
    with Session.open(judged(tmp_path)) as session:
        found = explain(session, "Read", "eehpc-2.synchronised")
    assert found.value is None


def test_a_part_of_quality_is_told_with_the_figure_it_was_judged_by(
    tmp_path: Path,
) -> None:
    with Session.open(recorded(tmp_path, "dut", lacking=5)) as session:
        found = explain(session, "Read", "quality.coverage")
    assert found.figures == {"coverage": pytest.approx(5)}
    assert found.value == pytest.approx(100 * (1 - 5 / 20))


def test_a_sum_has_only_what_the_load_did(tmp_path: Path) -> None:
    with Session.open(judged(tmp_path)) as session:
        found = explain(session, "Read", "iops")
    assert (found.formula, found.figures) == (("read_iops",), {"read_iops": 5})


def test_what_a_row_lacks_is_not_among_what_it_has(tmp_path: Path) -> None:
    path = judged(tmp_path)
    with Session.open(path) as session, pytest.raises(BadInput) as raised:
        explain(session, "Read", "bandwidth")
    assert "bandwidth_mb_s" not in (raised.value.way_out or "")
    with (
        Session.open(path) as session,
        pytest.raises(BadInput, match="no measured window"),
    ):
        explain(session, "Skipped", "power_w")


def of_two_devices(folder: Path, names: tuple[str, ...]) -> Path:
    """Record a device at 360 W and a server at 140 W; store results of these names."""
    writer = Writer.create(folder / "s.bayscope", session_info())
    who = Identity("", "", "", "", "")
    times = START + TENTH * np.arange(-1, 103)
    for source, of, watts in (("mains", "dut", 360.0), ("srv", "server", 140.0)):
        writer.add_source(source, "power", "hmc8015", who, "", measures=of)
        channel = Channel(source, "P", "W", period_ns=TENTH)
        writer.append_trace((channel,), times, times, np.full((104, 1), watts))
    step = writer.add_step(1, "Read", "idle", 'label = "Read"\n')
    writer.update_step(step, window_start_ns=WINDOW[0], window_end_ns=WINDOW[1])
    writer.commit()
    with Session.open(writer.path) as session:
        found = [one for one in step_results(session, WINDOW) if one.name in names]
    assert len(found) == len(names)
    for result in (*found, Result("duration_s", 10.0, "s", *WINDOW, 1, 1)):
        writer.result(step, result)
    writer.finish()
    return writer.path


@pytest.mark.parametrize(
    ("name", "total"), [("power_w", 500.0), ("energy_wh", 500.0 / 360)]
)
def test_a_sum_of_all_devices_shows_each_and_its_samples(
    tmp_path: Path, name: str, total: float
) -> None:
    path = of_two_devices(tmp_path, (name, f"server.{name}"))
    with Session.open(path) as session:
        found = explain(session, "Read", f"whole bench.{name}")
    assert found.value == pytest.approx(total)
    assert found.formula == (name, "+", f"server.{name}")
    assert sum(found.figures.values()) == found.value
    assert [part.channel.name for part in found.samples] == ["mains.P", "srv.P"]
    means = [line.value for line in found.sums if line.of.startswith("mean of ")]
    assert means == pytest.approx([360.0, 140.0])
    text = explain_text(path, "Read", f"whole bench.{name}")
    assert ", sum of all devices" in text
    assert "a result of its engine" not in text
    assert ", of server" in explain_text(path, "Read", f"server.{name}")


def test_a_sum_that_lacks_a_device_names_it(tmp_path: Path) -> None:
    path = of_two_devices(tmp_path, ("power_w",))
    with Session.open(path) as session:
        found = explain(session, "Read", "whole bench.power_w")
    assert found.value is None
    assert "no server.power_w" in found.lack
    assert found.formula == ("power_w", "+", "server.power_w")
    assert [*found.figures] == ["power_w"]


def test_figures_of_a_formula_have_a_unit_each(tmp_path: Path) -> None:
    assert set(DERIVED_UNITS) == set(DERIVED)
    path = recorded(tmp_path, "", 0)
    keys = '[dut]\ncapacity = "10 TB"\n[cost]\nprice_per_kwh = 0.4\ncurrency = "CHF"\n'
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE session SET bench = ?", (keys,))
    with Session.open(path) as session:
        (step,) = session.steps()
        found = {
            name: explain(session, step.label, name)
            for name in ("cost_per_year", "w_per_tb")
        }
    assert {name: one.unit for name, one in found.items()} == {
        "cost_per_year": "CHF/year",
        "w_per_tb": "W/TB",
    }
    assert found["cost_per_year"].value == pytest.approx(0.36 * 8760 * 0.4)


def test_a_source_that_says_that_it_is_unverified_says_it_once() -> None:
    term = BudgetTerm("reading", 1.0, "a guess, unverified", verified=False)
    assert term.told == "a guess, unverified"
    assert replace(term, source="a sheet").told == "a sheet, unverified"
    assert replace(term, source="a sheet", verified=True).told == "a sheet"


@pytest.mark.parametrize(
    ("label", "duty", "formula", "figures"),
    [
        ("Read", 1.0, "power_w", "500.0"),
        ("Idle", 0.6, "power_w", "300.0"),
        (
            "Read",
            0.6,
            'duty x power_w + (1 - duty) x idle_w, idle_w being the power_w of "Idle"',
            "0.6 x 500.0 + (1 - 0.6) x 300.0",
        ),
    ],
)
def test_a_year_names_the_powers_and_the_row_at_rest(
    tmp_path: Path, label: str, duty: float, formula: str, figures: str
) -> None:
    path = tmp_path / "s.bayscope"
    bench = f"[dut]\ncapacity_tb = 10.0\n[cost]\nduty = {duty}\n"
    writer = Writer.create(path, session_info(bench=bench))
    for number, (name, engine, watts) in enumerate(
        [("Idle", "idle", 300.0), ("Read", "fio", 500.0)], 1
    ):
        step = writer.add_step(number, name, engine, f'label = "{name}"\n')
        writer.update_step(
            step,
            window_start_ns=WINDOW[0],
            window_end_ns=WINDOW[1],
            outcome="DONE",
            start_ns=WINDOW[0],
            end_ns=WINDOW[1],
        )
        writer.result(step, Result("power_w", watts, "W", *WINDOW, 10, 10))
    writer.finish()
    with Session.open(path) as session:
        found = explain(session, label, "kwh_per_year")
        rows = report_rows(session)
    [mean] = found.sums
    assert (mean.of, mean.formula, mean.figures) == ("mean_w", formula, figures)
    economics = Economics(capacity_tb=10.0, duty=duty)
    made = dict(efficiency_tables(rows, economics))[MADE]
    assert made is not None
    assert made.rows[-1][0] == "mean_w"
    assert ("Idle" in str(made.rows[-1][2])) is (duty < 1)
