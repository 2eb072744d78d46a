import math

import pytest

from instruments.noise.background import without_background


@pytest.mark.parametrize(
    ("level", "background", "wanted"),
    [(50.0, 40.0, 49.542), (50.0, 47.0, 46.979), (60.0, 20.0, 60.0), (50, 44, 48.743)],
)
def test_energies_are_subtracted(
    level: float, background: float, wanted: float
) -> None:
    found = without_background(level, background, 0.5, 0.5)
    assert found.level == pytest.approx(wanted, abs=0.001)
    assert not found.is_bound


def test_a_sum_of_two_sources_is_taken_apart_again() -> None:
    both = 10 * math.log10(10**4.61 + 10**4.37)
    assert without_background(both, 43.7, 0.1, 0.1).level == pytest.approx(46.1)


def test_the_uncertainty_is_that_of_the_derivatives() -> None:
    found = without_background(50.0, 46.0, 0.4, 0.7)
    step = 1e-5
    by_level = (without_background(50.0 + step, 46.0, 0, 0).level - found.level) / step
    by_noise = (without_background(50.0, 46.0 + step, 0, 0).level - found.level) / step
    wanted = math.hypot(by_level * 0.4, by_noise * 0.7)
    assert found.uncertainty == pytest.approx(wanted, rel=1e-3)
    # Nearer to the background the same errors count more.
    assert found.uncertainty > without_background(50.0, 35.0, 0.4, 0.7).uncertainty


@pytest.mark.parametrize(
    ("background", "bound"), [(47.5, 46.979), (50.0, 46.979), (52.0, 50.0)]
)
def test_a_loud_background_leaves_only_an_upper_bound(
    background: float, bound: float
) -> None:
    found = without_background(50.0, background, 0.5, 0.5)
    assert found.is_bound
    assert found.level == pytest.approx(bound, abs=0.03)
    assert str(found).startswith("at most ")


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="have to be numbers"):
        without_background(math.nan, 40.0, 0.5, 0.5)
    with pytest.raises(ValueError, match="have to be numbers"):
        without_background(50.0, 40.0, -0.5, 0.5)
