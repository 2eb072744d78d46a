"""Derived figures of a row: published ones, what is missing, uncertainties."""

import math
from dataclasses import replace

import pytest

from app.analysis.derived import (
    FACTS,
    FORMULAS,
    Economics,
    derived_of,
    evaluated,
    inputs_of,
)
from app.record.store import Result
from app.report.expanded import expanded, rest_of, standard
from instruments.metric import BY_NAME

_BENCH = Economics(
    capacity_tb=1200,
    net_capacity_tb=960,
    usable_capacity_tb=864,
    drives=60,
    enclosure_w=140,
    price=30_000,
    price_per_kwh=0.07,
    co2_g_per_kwh=400,
    pue=1.3,
)


def _row(**values: object) -> dict[str, object]:
    economics = values.pop("economics", _BENCH)
    idle_w = values.pop("idle_w", None)
    assert isinstance(economics, Economics)
    assert idle_w is None or isinstance(idle_w, float)
    row = {"step": "Load", "engine": "fio", **values}
    return {**row, FACTS: economics.facts(idle_w)}


def test_all_figures_of_a_row() -> None:
    found = derived_of(
        _row(
            power_w=580.0,
            iops=14800.0,
            bandwidth_mb_s=8700.0,
            ambient_c=26.0,
            drive_max_c=46.0,
            **{"lambda": 0.975, "whole bench.power_w": 700.0},
        )
    )
    assert found.keys() == FORMULAS.keys()
    expected = {
        "iops_per_w": 14800 / 580,
        "mb_s_per_w": 15.0,
        "w_per_tb": 580 / 1200,
        "whole_w_per_tb": 700 / 1200,
        "kwh_per_year": 5080.8,
        "cost_per_year": 5080.8 * 0.07 * 1.3,
        "j_per_io": 580 / 14800,
        "j_per_gb": 580 / 8.7,
        "kwh_per_pb": 580 / 8.7 * 1e6 / 3.6e6,
        "w_per_net_tb": 580 / 960,
        "w_per_usable_tb": 580 / 864,
        "tb_per_w": 1200 / 580,
        "w_per_drive": 440 / 60,
        "enclosure_percent": 14000 / 580,
        "drives_percent": 44000 / 580,
        "reactive_factor": 0.22220,
        "rise_k": 20.0,
        "co2_kg_per_year": 5080.8 * 1.3 * 0.4,
        "price_per_tb": 25.0,
        "price_per_iops": 30_000 / 14800,
    }
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("power", "kwh", "cost"), [(90, 788.4, 72), (230, 2014.8, 183)]
)
def test_a_year_costs_what_the_report_says(
    power: float, kwh: float, cost: float
) -> None:
    found = derived_of(_row(power_w=power))
    assert found["kwh_per_year"] == pytest.approx(kwh)
    assert found["cost_per_year"] == pytest.approx(cost, abs=0.5)


def test_watts_per_terabyte_are_those_of_the_archive_report() -> None:
    found = derived_of(_row(power_w=1476.0, economics=Economics(capacity_tb=840)))
    assert found["w_per_tb"] == pytest.approx(1.757, abs=5e-4)
    assert "cost_per_year" not in found
    assert "w_per_tb" not in derived_of(_row(power_w=860.0, economics=Economics()))


def test_a_device_that_idles_for_half_a_year_is_weighted() -> None:
    half = Economics(duty=0.5)
    assert inputs_of(_row(power_w=230.0, economics=half, idle_w=90.0))["mean_w"] == 160
    assert "mean_w" not in inputs_of(_row(power_w=230.0, economics=half))
    idle = _row(power_w=90.0, engine="idle", economics=half)
    assert inputs_of(idle)["mean_w"] == 90


def test_nothing_is_divided_by_no_power_and_a_cool_down_has_no_level() -> None:
    nothing = derived_of(_row(power_w=0.0, iops=100.0))
    assert "iops_per_w" not in nothing
    assert nothing["j_per_io"] == 0
    assert derived_of(_row(power_w=500.0, engine="cooldown", iops=1.0)) == {
        "price_per_tb": 25.0,
        "price_per_iops": 30_000.0,
    }
    assert "reactive_factor" not in derived_of(_row(**{"lambda": 1.2}))


def test_a_device_that_is_off_has_no_figures_of_its_power() -> None:
    off = derived_of(_row(power_w=15.0, engine="idle"))
    assert not off.keys() & {"w_per_drive", "enclosure_percent", "drives_percent"}
    assert "w_per_tb" in off
    for role in ("off", "background"):
        row = _row(power_w=150.0, engine="idle", role=role)
        assert derived_of(row) == {"price_per_tb": 25.0}
    assert "w_per_drive" in derived_of(_row(power_w=150.0, engine="idle", role="idle"))
    assert "mean_w" not in inputs_of(_row(power_w=-1.0, economics=Economics()))


def test_a_formula_is_arithmetic_and_nothing_else() -> None:
    assert evaluated("( a + 2 ) * b ** 2", {"a": 1.0, "b": 3.0}) == 27
    with pytest.raises(ValueError, match="not a formula"):
        evaluated("__import__('os')", {})
    for name, formula in FORMULAS.items():
        assert BY_NAME[name].about
        evaluated(formula, {})


def _result(name: str, value: float, meter: float, scatter: float | None) -> Result:
    return Result(
        name, value, "", 0, 1, 10, 10, "samples", u_meter=meter, u_scatter=scatter
    )


def test_uncertainty_follows_each_formula() -> None:
    row = _row(power_w=580.0, iops=14800.0, **{"lambda": 0.975})
    results = [
        _result("power_w", 580.0, 2.9, 1.16),
        _result("lambda", 0.975, 0.002, None),
    ]
    known = standard(results, row)
    assert known["j_per_io"] == pytest.approx((2.9 / 14800, 1.16 / 14800))
    # 1/P is no straight line; of 0.5 % the bend is 25 millionths.
    assert known["iops_per_w"] == pytest.approx(
        (0.005 * 14800 / 580, 0.002 * 14800 / 580), rel=1e-4
    )
    assert known["w_per_drive"] == pytest.approx((2.9 / 60, 1.16 / 60))
    assert known["drives_percent"][0] == pytest.approx(14000 / 580 * 0.005, rel=1e-4)
    slope = 0.975 / math.sqrt(1 - 0.975**2)
    assert known["reactive_factor"][0] == pytest.approx(slope * 0.002, rel=1e-2)
    assert known["reactive_factor"][1] is None
    assert "price_per_tb" not in known
    assert expanded(results, row)["j_per_io"] == pytest.approx(
        2 * math.hypot(2.9, 1.16) / 14800
    )


def test_a_year_is_as_uncertain_as_load_and_rest() -> None:
    row = _row(power_w=580.0, idle_w=400.0, economics=replace(_BENCH, duty=0.7))
    load = [_result("power_w", 580.0, 2.9, 1.16)]
    assert "kwh_per_year" not in standard(load, row), "nobody knows that of the rest"
    rest = rest_of([_result("power_w", 400.0, 2.0, 0.8)])
    facts = row[FACTS]
    assert isinstance(facts, dict)
    meter, scatter = standard(load, {**row, FACTS: facts | rest})["kwh_per_year"]
    # One meter has one error; scatter is another one in each row.
    assert meter == pytest.approx(8.76 * (0.7 * 2.9 + 0.3 * 2.0))
    assert scatter == pytest.approx(8.76 * math.hypot(0.7 * 1.16, 0.3 * 0.8))
    always = {**row, FACTS: _BENCH.facts(400.0)}
    assert standard(load, always)["kwh_per_year"][0] == pytest.approx(8.76 * 2.9)
