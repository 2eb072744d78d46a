"""Differences of recorded sessions against their uncertainty."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.analysis.compare import About, compare_tables
from app.analysis.compare_notes import correction_told, duty_told, many_told
from app.analysis.feeds import result_of
from app.analysis.power import with_energy
from app.analysis.row_load import RowLoad
from app.analysis.samples import Samples
from app.analysis.significance import Doubt
from app.analysis.uncertainty import Budget, BudgetTerm, with_uncertainty
from app.operations.sessions.compare import compare_sessions
from app.operations.sessions.comparison_file import comparison_document
from app.operations.sessions.comparison_text import comparison_json, comparison_text
from app.record.store import Basis, Result, Writer
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

PLAN = '[fio]\nrw = "randread"\n'


def write(
    path: Path,
    watts: Sequence[float],
    *,
    serial: str = "1",
    iops: Sequence[float] = (),
    last: Sequence[Result] = (),
    plan: str = PLAN,
    noise: float = 50.0,
    bench: str = "",
    idle: float | None = None,
) -> Path:
    """Write a session of rows "Read (1)" and so on, of a meter that is 2 W off."""
    writer = Writer.create(path, session_info(simulated=False, bench=bench))
    who = Identity("m", "m", serial, "f", "a")
    writer.add_source("mains", "power", "hmc8015", who, "")
    writer.add_source("ear", "noise", "gm1356", who, "")
    writer.add_source("bays", "thermal", "ses", who, "")
    writer.add_channels([Channel("mains", "P", "W")])
    several = len(watts) > 1
    for number, value in enumerate(watts, 1):
        label = f"Read ({number})" if several else "Read"
        step = writer.add_step(number, label, "fio", plan, series="Read")
        writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
        made = Result("power_w", value, "W", 0, 1, 9, 9, u_meter=1.0, u_scatter=0.1)
        writer.result(step, made)
        rate = iops[number - 1] if iops else 1000.0
        writer.result(step, Result("iops", rate, "1/s", 0, 1, 1, 1))
        writer.result(step, Result("drive_max_c", 40.0 + number, "°C", 0, 1, 9, 9))
        writer.result(step, Result("noise_db", noise, "dB", 0, 1, 9, 9))
        writer.result(step, Result("noise_u_db", 0.1, "dB", 0, 1, 9, 9))
        if number == len(watts):
            for result in last:
                writer.result(step, result)
    if idle is not None:
        step = writer.add_step(len(watts) + 1, "Idle", "idle", 'role = "idle"')
        writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
        made = Result("power_w", idle, "W", 0, 1, 9, 9, u_meter=1.0, u_scatter=0.5)
        writer.result(step, made)
    writer.set_session(verdict="PASS")
    writer.finish()
    return path


def rows_of(*paths: Path) -> dict[str, Any]:
    rows: Any = comparison_json(compare_sessions(paths))["rows"]
    return {row["step"]: row for row in rows}


def test_one_meter_tells_apart_what_two_do_not(tmp_path: Path) -> None:
    first = write(tmp_path / "a.bayscope", [500.0])
    same = write(tmp_path / "b.bayscope", [501.0])
    other = write(tmp_path / "c.bayscope", [501.0], serial="2")
    nameless = write(tmp_path / "d.bayscope", [501.0], serial="")
    power = rows_of(first, same, other, nameless)["Read"]["power_w"]
    words = ["distinguishable", *["not_distinguishable"] * 2]
    assert power["judgement"] == words
    apart = 2 * (1.0**2 * 2 + 0.1**2 * 2) ** 0.5
    assert power["uncertainty"] == pytest.approx([2 * 0.1 * 2**0.5, apart, apart])


def test_what_was_counted_in_one_run_says_so(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n}.bayscope", [500.0]) for n in (1, 2)]
    row = rows_of(*paths)["Read"]
    assert row["iops"]["judgement"] == ["one_run"]
    assert row["iops"]["uncertainty"] == [None]
    assert row["iops_per_w"]["judgement"] == ["one_run"]
    assert row["drive_max_c"]["judgement"] == ["one_run"]
    lines = comparison_text(compare_sessions(paths)).splitlines()
    rate = next(line for line in lines if " IOPS " in line)
    assert rate.endswith("of one run each")
    power = next(line for line in lines if "Power (W)" in line)
    told = ["0.0", "0.28", "0.0", "not", "distinguishable", "1.000"]
    assert power.split()[4:] == told


def test_noise_is_judged_where_one_meter_heard_both(tmp_path: Path) -> None:
    first = write(tmp_path / "a.bayscope", [500.0])
    louder = write(tmp_path / "b.bayscope", [500.0], noise=50.5)
    alike = write(tmp_path / "c.bayscope", [500.0], noise=50.2)
    other = write(tmp_path / "d.bayscope", [500.0], noise=55.0, serial="2")
    row = rows_of(first, louder, alike, other)["Read"]
    words = ["distinguishable", "not_distinguishable", "no_limits"]
    assert row["noise_db"]["judgement"] == words
    apart = 2 * 0.1 * 2**0.5
    assert row["noise_db"]["uncertainty"] == [pytest.approx(apart)] * 2 + [None]
    assert row["drive_max_c"]["judgement"] == ["one_run", "one_run", "no_limits"]


def test_temperatures_of_repeats_are_judged_by_their_scatter(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n}.bayscope", [500.0] * 3) for n in (1, 2)]
    mean = rows_of(*paths)["Read (mean of runs)"]["drive_max_c"]
    assert mean["judgement"] == ["not_distinguishable"]
    assert mean["p"] == [1.0]
    assert mean["uncertainty"][0] > 0


@pytest.mark.parametrize(("many", "is_told"), [(1, False), (8, True)])
def test_what_lies_beyond_its_uncertainty_by_chance_is_explained(
    many: int, is_told: bool
) -> None:
    """A difference of 0.3 W at +-0.28 alone is one; beside seven others it is none."""
    labels = [f"Row {number}" for number in range(many)]
    tables = [
        [{"step": label, "verdict": "PASS", "power_w": watts} for label in labels]
        for watts in (500.0, 500.3)
    ]
    doubts = [{label: {"power_w": Doubt(0.0, 0.1)} for label in labels}] * 2
    loads = [{label: RowLoad("fio") for label in labels}] * 2
    found = compare_tables(["A", "B"], tables, [About()] * 2, loads, doubts)
    assert ("Row 0, Power (W)" in many_told(found)) is is_told
    assert bool(comparison_json(found)["beyond_by_chance"]) is is_told
    assert (many_told(found) in comparison_text(found)) is True
    notes = comparison_document(found).notes
    assert (many_told(found) in notes) is is_told
    assert comparison_json(found)["correction"] == "holm"
    assert correction_told(found) in notes
    assert correction_told(found) in comparison_text(found)


def test_means_of_repeats_stand_behind_their_runs_and_are_judged(
    tmp_path: Path,
) -> None:
    rates = [100.0, 103.0, 98.0], [110.0, 107.0, 112.0, 109.0]
    first, other = (
        write(tmp_path / f"{n}.bayscope", [500.0] * len(iops), iops=iops)
        for n, iops in enumerate(rates)
    )
    rows = rows_of(first, other)
    assert list(rows)[2:4] == ["Read (3)", "Read (mean of runs)"]
    mean = rows["Read (mean of runs)"]
    assert mean["verdict"] == ["3 runs", "4 runs"]
    assert mean["iops"]["values"] == pytest.approx([301 / 3, 109.5])
    assert mean["iops"]["judgement"] == ["distinguishable"]
    assert mean["iops"]["uncertainty"][0] > 0
    assert rows["Read (1)"]["iops"]["judgement"] == [None]
    assert mean["load"]["same"] == [True, True]


def test_rows_of_different_plans_are_no_repeats(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{n}.bayscope", [500.0, 501.0], plan=PLAN) for n in (1, 2)
    ]
    assert "Read (mean of runs)" in rows_of(*paths)
    alone = write(tmp_path / "3.bayscope", [500.0])
    assert "Read (mean of runs)" not in rows_of(paths[0], alone)


def test_the_mean_that_a_run_stored_is_the_one_compared(tmp_path: Path) -> None:
    """With half the width of its interval of 90 %: t is 2.920 for 3 runs."""
    plan = f'{PLAN}[repeats]\nof = "iops"\nlevel = 90.0\n'
    stored = [
        Result("repeats_mean", 100.0, "1/s", 0, 1, 3, 3, "iops"),
        Result("repeats_half_width", 2.920, "1/s", 0, 1, 3, 3, "iops"),
    ]
    paths = [
        write(tmp_path / f"{n}.bayscope", [500.0] * 3, last=stored, plan=plan)
        for n in (1, 2)
    ]
    rate = rows_of(*paths)["Read (mean of runs)"]["iops"]
    assert rate["values"] == [100.0, 100.0]
    # Four degrees of freedom, t at 95.45 % is 2.869.
    assert rate["uncertainty"] == [pytest.approx(2.869 * 2**0.5, rel=1e-3)]


def test_energy_scatters_from_run_to_run_as_its_power_does(tmp_path: Path) -> None:
    """An hour at 500 and 500.2 W, both to 0.1 W: what holds for W holds for Wh."""
    paths = []
    for name, watts in (("a", 500.0), ("b", 500.2), ("c", 501.0)):
        energy = Result(
            *("energy_wh", watts, "Wh", 0, 3600 * SECOND, 9, 9),
            u_meter=1.0,
            u_scatter=0.001,
        )
        path = tmp_path / f"{name}.bayscope"
        paths.append(write(path, [watts], last=[energy]))
    row = rows_of(*paths)["Read"]
    words = ["not_distinguishable", "distinguishable"]
    assert row["power_w"]["judgement"] == row["energy_wh"]["judgement"] == words
    known = pytest.approx(row["power_w"]["uncertainty"], rel=1e-3)
    assert row["energy_wh"]["uncertainty"] == known


def test_the_edges_of_an_integrator_count_once_where_power_is_by_it(
    tmp_path: Path,
) -> None:
    """An hour of 100 Wh to 1 Wh: each of both edges is off by up to half of it."""
    window = 0, 3600 * SECOND
    nothing = np.empty(0, np.int64), np.empty(0)
    integrated = Samples(Channel("mains", "Wh", "Wh"), *nothing, 0, window)
    read = replace(integrated, channel=Channel("mains", "P", "W"))
    found = [
        replace(
            result_of("power_w", None, "W", window, [read]), n_valid=90, n_expected=100
        ),
        replace(
            result_of("energy_wh", 100.0, "Wh", window, [integrated]), resolution=1.0
        ),
        result_of("energy_by_mean_wh", None, "Wh", window, [read]),
    ]
    budget = Budget([], [BudgetTerm("reading", 0.1, "", True)], [], None)
    last = with_uncertainty(with_energy(found, window), budget)
    assert last[0].u_scatter == pytest.approx(1 / 6**0.5)
    paths = [write(tmp_path / f"{n}.bayscope", [500.0], last=last) for n in (1, 2)]
    row = rows_of(*paths)["Read"]
    apart = pytest.approx([2 * (2 / 6) ** 0.5])
    assert row["power_w"]["uncertainty"] == row["energy_wh"]["uncertainty"] == apart


def test_energy_that_is_power_x_time_has_what_is_unseen_once(tmp_path: Path) -> None:
    window = 0, 3600 * SECOND
    nothing = np.empty(0, np.int64), np.empty(0)
    read = Samples(Channel("mains", "P", "W"), *nothing, 0, window)
    found = [
        result_of("power_w", 500.0, "W", window, [read]),
        replace(
            result_of("energy_wh", 500.0, "Wh", window, [read]), basis=Basis.MEAN_POWER
        ),
    ]
    budget = Budget([], [BudgetTerm("reading", 0.1, "", True)], [], 3.0, unseen_w=4.0)
    last = with_uncertainty(found, budget)
    assert [one.u_scatter for one in last] == [5, 4]
    paths = [write(tmp_path / f"{n}.bayscope", [500.0], last=last) for n in (1, 2)]
    row = rows_of(*paths)["Read"]
    apart = pytest.approx([2 * 5 * 2**0.5])
    assert row["power_w"]["uncertainty"] == row["energy_wh"]["uncertainty"] == apart


def test_peaks_of_one_run_each_are_judged_by_no_scatter(tmp_path: Path) -> None:
    paths = []
    for watts, factor in ((900.0, 0.90), (950.0, 0.95)):
        last = [
            Result("power_peak_w", watts, "W", 0, 1, 9, 9, u_meter=1.0, u_scatter=2.0),
            Result("lambda", factor, "", 0, 1, 9, 9, u_meter=1e-3, u_scatter=2e-3),
        ]
        path = tmp_path / f"{factor}.bayscope"
        paths.append(write(path, [500.0], serial=f"{factor}", last=last))
    row = rows_of(*paths)["Read"]
    assert row["power_peak_w"]["judgement"] == ["one_run"]
    assert row["lambda"]["judgement"] == ["distinguishable"]


def test_what_is_a_difference_is_called_one(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n}.bayscope", [500.0 + n]) for n in (1, 2)]
    lines = comparison_text(compare_sessions(paths)).splitlines()
    power = next(line for line in lines if "Power (W)" in line)
    assert power.split()[-2:] == ["distinguishable", "<0.001"]
    table = comparison_document(compare_sessions(paths)).table
    assert table is not None
    place = [column.head for column in table.columns].index("Judgement")
    words = {row[1]: row[place] for row in table.rows}
    assert words["Power (W)"] == "distinguishable"
    assert words["IOPS"] == "of one run each"


BENCH = """[dut]
capacity_tb = 100
[cost]
price_per_kwh = 0.3
duty = {}
"""


def test_power_and_what_is_power_over_a_constant_are_judged_alike(
    tmp_path: Path,
) -> None:
    runs = ([500.0, 501.0, 503.0], [504.0, 503.0, 507.0])
    paths = [
        write(tmp_path / f"{n}.bayscope", watts, bench=BENCH.format(1), idle=400.0)
        for n, watts in enumerate(runs)
    ]
    for row in rows_of(*paths).values():
        names = ("power_w", "w_per_tb", "cost_per_year")
        power, *others = (row[name]["p"] for name in names)
        assert others == [[one and pytest.approx(one) for one in power]] * 2
    assert not duty_told(compare_sessions(paths))


def test_the_cost_of_a_year_scatters_as_power_at_rest_does(tmp_path: Path) -> None:
    runs = ([500.0, 501.0, 503.0], [504.0, 503.0, 507.0])
    paths = [
        write(tmp_path / f"{n}.bayscope", watts, bench=BENCH.format(0.5), idle=400.0)
        for n, watts in enumerate(runs)
    ]
    mean = rows_of(*paths)["Read (mean of runs)"]
    half = [0.5 * 8.76 * 0.3 * one for one in mean["power_w"]["uncertainty"]]
    assert half[0] < mean["cost_per_year"]["uncertainty"][0] < 1.5 * half[0]
    text = comparison_text(compare_sessions(paths))
    assert "power under load for 50 % / 50 % of it and of power at rest" in text
    assert " p (Holm)" in text


def test_a_compared_cost_says_its_tariff(tmp_path: Path) -> None:
    benches = BENCH.format(1.0), BENCH.format(1.0).replace("0.3", "0.2")
    paths = [
        write(tmp_path / f"{n}.bayscope", [500.0 + n], bench=bench)
        for n, bench in enumerate(benches)
    ]
    same = comparison_text(compare_sessions([paths[0], paths[0]]))
    assert "Cost/year: EUR, 0.3 per kWh, PUE 1\n" in same
    told = "Cost/year: A: EUR, 0.3 per kWh, PUE 1; B: EUR, 0.2 per kWh, PUE 1"
    comparison = compare_sessions(paths)
    assert told in comparison_text(comparison)
    assert told in comparison_document(comparison).notes
    assert comparison_json(comparison)["terms"] == [told]


@pytest.mark.parametrize(
    ("change", "idle", "read"),
    [
        (("0.3", "0.2"), "other_terms", "other_terms"),
        (("[cost]", "[cost]\npue = 1.3"), "other_terms", "other_terms"),
        (("0.5", "0.6"), "not_distinguishable", "other_terms"),
        (("0.3", "0.3"), "not_distinguishable", "not_distinguishable"),
    ],
)
def test_a_cost_by_other_terms_is_not_tested(
    tmp_path: Path, change: tuple[str, str], idle: str, read: str
) -> None:
    own = BENCH.format(0.5)
    paths = [
        write(tmp_path / f"{n}.bayscope", [500.0, 502.0], bench=bench, idle=400.0)
        for n, bench in enumerate((own, own.replace(*change)))
    ]
    rows = rows_of(*paths)
    for label, word in (
        ("Idle", idle),
        ("Read (mean of runs)", read),
    ):
        cost = rows[label]["cost_per_year"]
        assert cost["judgement"] == [word]
        assert (cost["p"] == [None]) is (word == "other_terms")
        assert (cost["percent"] == [None]) is (word == "other_terms")
        assert rows[label]["power_w"]["judgement"] == ["not_distinguishable"]
    told = "at other terms" in comparison_text(compare_sessions(paths))
    assert told is ("other_terms" in {idle, read})
