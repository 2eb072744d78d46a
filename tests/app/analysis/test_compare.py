from collections.abc import Sequence

import pytest

from app.analysis.compare import About, compare_tables
from app.analysis.row_load import RowLoad

A = [
    {"step": "Idle", "power_w": 580.0, "simulated": 1},
    {"step": "Random read 4k", "power_w": 700.0, "iops": 1000.0, "simulated": 1},
]
B = [
    {"step": "Random read 4k", "power_w": 735.0, "iops": 900.0, "simulated": 0},
    {"step": "Sequential read 4M", "power_w": 690.0, "simulated": 0},
]


def test_rows_are_matched_by_label_and_the_rest_comes_after() -> None:
    comparison = compare_tables(["a", "b"], [A, B])
    labels = [label for label, _ in comparison.rows]
    assert labels == ["Idle", "Random read 4k", "Sequential read 4M"]
    assert comparison.simulated == (True, False)


def test_differences_are_against_the_first() -> None:
    rows = dict(compare_tables(["a", "b"], [A, B]).rows)
    power, iops = rows["Random read 4k"]
    assert power.metric.name == "power_w"
    assert power.against_first(1) == 35
    assert power.percent(1) == pytest.approx(5)
    assert iops.percent(1) == pytest.approx(-10)


def test_what_one_session_lacks_has_no_difference() -> None:
    rows = dict(compare_tables(["a", "b"], [A, B]).rows)
    (idle,) = rows["Idle"]
    assert idle.values == (580.0, None)
    assert idle.against_first(1) is None
    assert idle.percent(1) is None


def test_a_first_value_of_zero_has_no_percent() -> None:
    comparison = compare_tables(
        ["a", "b"], [[{"step": "x", "iops": 0.0}], [{"step": "x", "iops": 5.0}]]
    )
    ((_, (iops,)),) = comparison.rows
    assert iops.against_first(1) == 5
    assert iops.percent(1) is None


def test_what_was_fed_back_has_no_percent() -> None:
    """From -80 W to -60 W is 20 W more, and not 25 % less."""
    back = [[{"step": "x", "power_w": watts}] for watts in (-80.0, -60.0)]
    ((_, (power,)),) = compare_tables(["a", "b"], back).rows
    assert power.against_first(1) == 20
    assert power.percent(1) is None


def test_the_energy_of_a_row_that_ran_longer_has_no_percent() -> None:
    table = [{"step": "x", "power_w": 400.0, "energy_wh": 10.0}]
    loads = [{"x": RowLoad("fio", {"runtime": one})} for one in ("1m", "1h")]
    ((_, (power, energy)),) = compare_tables(["a", "b"], [table] * 2, (), loads).rows
    assert (power.percent(1), energy.percent(1)) == (0.0, None)


@pytest.mark.parametrize(
    ("currencies", "head", "values"),
    [
        (("EUR", "EUR"), "Cost/year (EUR)", (20.0, 20.0)),
        (("EUR", "USD"), None, ()),
        (("", "USD", "USD"), "Cost/year (USD)", (None, 20.0, 20.0)),
        (("EUR", "USD", "USD"), "Cost/year (USD)", (None, 20.0, 20.0)),
        (("", ""), None, ()),
    ],
)
def test_prices_are_compared_in_one_currency_alone(
    currencies: Sequence[str], head: str | None, values: tuple[float | None, ...]
) -> None:
    tables = [
        [{"step": "Idle", "power_w": 5.0, **({"cost_per_year": 20.0} if one else {})}]
        for one in currencies
    ]
    about = [About(currency=one) for one in currencies]
    [(_, found)] = compare_tables(list(currencies), tables, about).rows
    heads = {one.metric.head: one.values for one in found}
    assert heads.pop("Power (W)") == (5.0,) * len(currencies)
    assert heads == ({} if head is None else {head: values})
