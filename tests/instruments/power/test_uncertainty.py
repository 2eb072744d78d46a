"""Limits of error against values worked out by hand."""

import math

import numpy as np
import pytest

from instruments.power.uncertainty import (
    HMC8015,
    Accuracy,
    accuracy_of,
    limit,
)

TENTHS = Accuracy(0.001, 0.002, "certificate 17")


def test_standby_in_the_wrong_range_is_uncertain_by_a_tenth() -> None:
    """Why ranges are planned: 15 W in 10 A, and in 0.2 A."""
    coarse = limit(15.0, 3000.0, HMC8015)
    fine = limit(15.0, 60.0, HMC8015)
    assert float(coarse) / 15.0 == pytest.approx(0.1005)
    assert float(fine) / 15.0 == pytest.approx(0.0025)


def test_samples_and_ranges_are_arrays() -> None:
    watts = np.array([100.0, -100.0, math.nan])
    found = limit(watts, np.array([3000.0, 1500.0, 1500.0]), TENTHS)
    assert found[:2] == pytest.approx([6.1, 3.1])
    assert math.isnan(found[2])


def test_crest_factor_six_doubles_the_share_of_the_range() -> None:
    assert float(limit(0.0, 10.0, TENTHS, 6.0)) == pytest.approx(0.04)


def test_the_source_of_the_coefficients_is_named() -> None:
    assert "not checked" in HMC8015.source


def test_a_bench_tells_its_own_accuracy() -> None:
    keys = {"accuracy_reading": 0.1, "accuracy_range": 1, "accuracy_source": "17"}
    assert accuracy_of(keys) == Accuracy(0.001, 0.01, "17")
    assert accuracy_of({}).source == HMC8015.source
    assert accuracy_of({}).reading == pytest.approx(HMC8015.reading)
    with pytest.raises(TypeError):
        accuracy_of({"accuracy_range": "0.05 %"})
