import numpy as np
import pytest

from instruments.noise.octaves import Band, band_filter, bands, limits, worst_margin
from instruments.noise.weighting import Sections
from tests.instruments.noise.sound import RATE, mean_db, sine


@pytest.mark.parametrize(("rate", "count"), [(44_100, 30), (48_000, 31), (96_000, 31)])
def test_every_band_keeps_the_class_1_limits(rate: int, count: int) -> None:
    found = bands(rate)
    assert len(found) == count
    assert min(worst_margin(band, rate) for band in found) >= 0


def test_the_check_refuses_a_band_that_is_too_wide_or_too_flat() -> None:
    assert worst_margin(Band(1000.0, 1000.0, 2), RATE) < 0
    assert worst_margin(Band(20_000.0, 19_952.6, 3), RATE) < 0


def test_mid_frequencies_are_exact_and_bands_join() -> None:
    found = bands(RATE)
    assert found[17].exact == 1000.0
    assert found[0].exact == pytest.approx(19.953, abs=1e-3)
    ends = [band.edges[1] for band in found[:-1]]
    assert ends == pytest.approx([band.edges[0] for band in found[1:]])
    assert [band.location for band in found[:3]] == ["20Hz", "25Hz", "31_5Hz"]


def test_the_limits_are_those_of_the_break_points() -> None:
    # The edge of the band is 10^(1/20), an octave break-point of one G is 1.29437.
    least, most = limits([1.0, 10**0.05 - 1e-9, 10**0.05 + 1e-9, 1.29437, 1 / 1.29437])
    assert least == pytest.approx([-0.4, -0.4, 1.2, 16.6, 16.6], abs=0.01)
    assert most[:2] == pytest.approx([0.4, 5.3], abs=0.01)
    assert np.isinf(most[2:]).all()


@pytest.mark.parametrize("nominal", [20.0, 1000.0, 20_000.0])
def test_a_tone_is_whole_in_its_band_and_gone_two_bands_away(nominal: float) -> None:
    band = next(band for band in bands(RATE) if band.nominal == nominal)
    tone = sine(band.exact, 4.0)
    half = tone.size // 2
    found = Sections(band_filter(band, RATE)).apply(tone)
    assert mean_db(found[half:]) == pytest.approx(mean_db(tone), abs=0.01)
    away = sine(band.exact / 10**0.2, 4.0)
    lost = Sections(band_filter(band, RATE)).apply(away)
    assert mean_db(lost[half:]) < mean_db(away) - 25
