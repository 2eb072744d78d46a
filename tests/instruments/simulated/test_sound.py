"""What a sound level meter shows."""

import pytest

from instruments.simulated.bench import SoundMeter


def hear(meter: SoundMeter, level: float, seconds: float) -> None:
    for _ in range(round(seconds / 0.05)):
        meter.hear(level, 0.05)


def test_a_steady_sound_is_its_level() -> None:
    meter = SoundMeter()
    hear(meter, 54, 5)
    assert meter.equivalent == pytest.approx(54, abs=0.2)
    assert meter.maximum == pytest.approx(54, abs=0.6)


def test_the_mean_is_one_of_energy() -> None:
    meter = SoundMeter()
    hear(meter, 50, 2)
    hear(meter, 80, 0.5)
    # Half a second at 80 dB in one second: 3 dB less, not the mean of 65 dB.
    assert meter.equivalent == pytest.approx(77, abs=0.3)
    assert meter.maximum == pytest.approx(80, abs=0.5)


def test_after_a_second_a_bang_is_forgotten() -> None:
    meter = SoundMeter()
    hear(meter, 50, 2)
    hear(meter, 90, 0.1)
    hear(meter, 50, 1.0)
    assert meter.equivalent < 51
    hear(meter, 50, 2.0)
    assert meter.maximum < 52


def test_fast_weighting_takes_its_time() -> None:
    meter = SoundMeter()
    hear(meter, 50, 2)
    meter.hear(80, 0.05)
    assert 73 < meter.maximum < 78
