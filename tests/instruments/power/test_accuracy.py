"""What a bench or a data sheet says of the accuracy of a meter."""

import pytest

from instruments.power.accuracy import HMC8015, Accuracy, accuracy_of


def test_the_source_of_the_coefficients_is_named() -> None:
    assert "not checked" in HMC8015.source


def test_a_bench_tells_its_own_accuracy() -> None:
    keys = {"accuracy_reading": 0.1, "accuracy_range": 1, "accuracy_source": "17"}
    assert accuracy_of(keys) == Accuracy(0.001, 0.01, "17")
    assert accuracy_of({}).source == HMC8015.source
    assert accuracy_of({}).reading == pytest.approx(HMC8015.reading)
    with pytest.raises(TypeError):
        accuracy_of({"accuracy_range": "0.05 %"})
