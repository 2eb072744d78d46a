import math
from itertools import pairwise

import numpy as np
import pytest

from instruments.noise.handheld import FAST_S
from instruments.noise.levels import LevelMeter, Second
from instruments.noise.weighting import Curve, Floats
from tests.instruments.noise.sound import RATE, hiss, sine
from tests.instruments.noise.weighting_table import exact_gain

_FULL_SCALE_RMS_DB = 114.0


def _seconds(
    sound: Floats, *, block: int = 2400, with_bands: bool = False
) -> list[Second]:
    meter = LevelMeter(RATE, _FULL_SCALE_RMS_DB, with_bands=with_bands)
    found: list[Second] = []
    for at in range(0, sound.size, block):
        found += meter.feed(sound[at : at + block])
    return found


def test_the_calibrators_tone_reads_94_db_in_every_level() -> None:
    # An RMS of a tenth of full scale is 20 dB below it.
    *_, last = _seconds(sine(1000.0, 4.0, rms=0.1), with_bands=True)
    for name in ("LAeq", "LCeq", "LAF", "LAFmax", "1000Hz"):
        assert last.levels[name] == pytest.approx(94.0, abs=0.05), name
    assert last.levels["LAS"] == pytest.approx(94.0, abs=0.2)
    assert last.levels["1250Hz"] < 94.0 - 16.6


def test_low_tones_count_less_in_a_than_in_c() -> None:
    *_, last = _seconds(sine(99.999, 3.0))
    difference = last.levels["LAeq"] - last.levels["LCeq"]
    wanted = exact_gain(Curve.A, 100.0) - exact_gain(Curve.C, 100.0)
    assert difference == pytest.approx(float(wanted), abs=0.02)


@pytest.mark.parametrize("block", [97, 48_000, 100_000])
def test_levels_do_not_depend_on_the_size_of_blocks(block: int) -> None:
    sound = hiss(2.2)
    wanted = _seconds(sound)
    found = _seconds(sound, block=block)
    assert len(found) == len(wanted) >= 1
    for one, other in zip(found, wanted, strict=True):
        assert one.levels == pytest.approx(other.levels, abs=1e-9)


@pytest.mark.parametrize("length", [1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01])
def test_fast_rises_with_a_burst_as_its_time_constant_says(length: float) -> None:
    burst = sine(4000.0, length)
    quiet = np.zeros(RATE)
    seconds = _seconds(np.concatenate([burst, quiet])[:RATE])
    steady = _seconds(sine(4000.0, 3.0))[-1].levels["LAFmax"]
    wanted = 10 * math.log10(1 - math.exp(-length / FAST_S))
    assert seconds[0].levels["LAFmax"] - steady == pytest.approx(wanted, abs=0.1)


def test_slow_and_fast_fall_at_their_own_pace() -> None:
    sound = np.concatenate([sine(1000.0, 6.0), np.zeros(2 * RATE)])
    *_, one, other = _seconds(sound)
    assert other.levels["LAS"] - one.levels["LAS"] == pytest.approx(-4.34, abs=0.05)
    assert other.levels["LAF"] - one.levels["LAF"] == pytest.approx(-34.7, abs=0.2)


def test_a_clipped_second_is_marked_and_only_that_one() -> None:
    sound = hiss(3.0, rms=0.05)
    sound[RATE + 100] = 1.0
    assert [second.is_clipped for second in _seconds(sound)] == [False, True, False]


def test_a_muted_microphone_is_frozen_and_has_no_level() -> None:
    (silent,) = _seconds(np.zeros(RATE))
    assert silent.is_frozen
    assert silent.levels["LAeq"] == -math.inf
    (offset,) = _seconds(np.full(RATE, 0.01))
    assert offset.is_frozen


def test_lost_samples_spoil_their_second_and_what_the_filters_still_hear() -> None:
    meter = LevelMeter(RATE, 0.0)
    meter.settle(hiss(0.5, seed=2))
    sound = hiss(5.0)
    found = list(meter.feed(sound[: RATE + 40_000]))
    meter.lose()
    found += meter.feed(sound[RATE + 40_000 :])
    assert [second.is_broken for second in found] == [False, True, True, False, False]
    assert [b.samples - a.samples for a, b in pairwise(found)] == [RATE] * 4


def test_filters_that_settled_hear_no_step_at_the_start() -> None:
    offset = sine(1000.0, 3.0, rms=0.001) + 0.5
    meter = LevelMeter(RATE, 0.0, with_bands=True)
    meter.settle(offset[:RATE])
    first, _ = meter.feed(offset[RATE:])
    assert first.levels["LAeq"] == pytest.approx(-60.0, abs=0.1)
    assert first.samples == RATE
