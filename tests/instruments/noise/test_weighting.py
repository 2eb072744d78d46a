import numpy as np
import pytest

from instruments.errors import BadInput
from instruments.noise.weighting import Curve, weighting
from tests.instruments.noise.sound import hiss, mean_db, sine
from tests.instruments.noise.weighting_table import (
    exact_gain,
    table_text,
    weighting_table,
)

# IEC 61672-1 table 3, to a tenth of a dB, from 10 Hz to 20 kHz.
_A = (
    *(-70.4, -63.4, -56.7, -50.5, -44.7, -39.4, -34.6, -30.2, -26.2, -22.5, -19.1),
    *(-16.1, -13.4, -10.9, -8.6, -6.6, -4.8, -3.2, -1.9, -0.8, 0.0, 0.6, 1.0, 1.2),
    *(1.3, 1.2, 1.0, 0.5, -0.1, -1.1, -2.5, -4.3, -6.6, -9.3),
)
_C = (
    *(-14.3, -11.2, -8.5, -6.2, -4.4, -3.0, -2.0, -1.3, -0.8, -0.5, -0.3, -0.2, -0.1),
    *(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.1, -0.2, -0.3, -0.5, -0.8),
    *(-1.3, -2.0, -3.0, -4.4, -6.2, -8.5, -11.2),
)


@pytest.mark.parametrize(("curve", "printed"), [(Curve.A, _A), (Curve.C, _C)])
def test_the_formula_is_that_of_the_printed_table(
    curve: Curve, printed: tuple[float, ...]
) -> None:
    exact = 1000 * 10 ** (np.arange(-20, 14) / 10)
    assert np.abs(exact_gain(curve, exact) - printed).max() < 0.06


@pytest.mark.parametrize("rate", [44_100, 48_000, 88_200, 96_000, 192_000])
@pytest.mark.parametrize("curve", list(Curve))
def test_the_filter_keeps_the_limits_at_every_exact_frequency(
    curve: Curve, rate: int
) -> None:
    rows = weighting_table(curve, rate)
    assert [
        row.nominal for row in rows if not -row.below <= row.deviation <= row.above
    ] == []
    assert len(rows) == 34
    # Far better than the limits: so much that a slip in the design shows here.
    assert max(abs(row.deviation) for row in rows) < 0.02


@pytest.mark.parametrize("frequency", [31.623, 1000.0, 7943.28, 12589.3, 15848.9])
@pytest.mark.parametrize("curve", [Curve.A, Curve.C])
@pytest.mark.parametrize("rate", [44_100, 48_000])
def test_a_filtered_sine_has_the_level_of_the_formula(
    curve: Curve, frequency: float, rate: int
) -> None:
    tone = sine(frequency, 2.0, rate=rate)
    filtered = weighting(curve, rate).apply(tone)
    half = tone.size // 2
    found = mean_db(filtered[half:]) - mean_db(tone[half:])
    assert found == pytest.approx(float(exact_gain(curve, frequency)), abs=0.02)


def test_blocks_of_any_size_give_the_same_sound() -> None:
    sound = hiss(1.0)
    whole = weighting(Curve.A, 48_000).apply(sound)
    cuts = np.cumsum([1, 2, 0, 997, 4800, 13, 20_000])
    in_blocks = weighting(Curve.A, 48_000)
    parts = [in_blocks.apply(block) for block in np.split(sound, cuts)]
    assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("rate", [8_000, 16_000, 32_000, 384_000])
def test_a_rate_that_cannot_be_weighted_is_refused(rate: int) -> None:
    with pytest.raises(BadInput, match=f"a sampling rate of {rate} Hz"):
        weighting(Curve.A, rate)


def test_the_table_is_written_with_all_rates() -> None:
    lines = table_text((48_000,)).splitlines()
    assert lines[0] == "| Hz | class 1 limits | A at 48 kHz | C at 48 kHz |"
    assert len(lines) == 36
