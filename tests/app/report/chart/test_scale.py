"""Numbers as they are printed."""

import math

import pytest

from app.report.chart.scale import channel_scale, number, scale_of
from app.ui.kit.clock import clock
from instruments.reading import Channel


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("B/s", 2_884_000_000.0, "2884 MB/s"),
        ("B/s", 12_346_000.0, "12.35 MB/s"),
        ("B/s", 0.0, "0.00 MB/s"),
        ("1/s", 98_765.0, "98765 IOPS"),
        ("1/s", 187_654.0, "187.7 k IOPS"),
        ("s", 0.000123, "0.123 ms"),
        ("W", 412.345, "412.3 W"),
        ("W", 1300.4, "1300 W"),
        ("degC", 23.44, "23.4 °C"),
        ("dB", 61.23, "61.2 dB(A)"),
        ("", 0.9712, "0.971"),
        ("1/min", 5400.0, "5400 1/min"),
        ("parsec", 1.0, "1.00 parsec"),
    ],
)
def test_values_get_engineering_units(unit: str, value: float, text: str) -> None:
    assert scale_of(unit).full(value) == text


@pytest.mark.parametrize(
    ("quantity", "text"),
    [("disk_read_iops", "12 IOPS"), ("invalid_dwords", "12.00 /s")],
)
def test_only_rates_of_operations_are_iops(quantity: str, text: str) -> None:
    assert channel_scale(Channel("x", quantity, "1/s")).full(12.0) == text


def test_a_missing_value_is_a_dash() -> None:
    assert number(math.nan, 2) == "-"
    assert number(2.5e6, 0) == "2.50 M"


@pytest.mark.parametrize(
    ("seconds", "fraction", "text"),
    [
        (0, 0, "0:00"),
        (59.9, 0, "1:00"),
        (61, 0, "1:01"),
        (3725, 0, "1:02:05"),
        (2.25, 1, "0:02.2"),
        (-5, 0, "-0:05"),
    ],
)
def test_spans_are_written_as_clock(seconds: float, fraction: int, text: str) -> None:
    assert clock(seconds, fraction=fraction) == text
