"""Sound made of numbers, for the tests."""

import numpy as np

from instruments.noise.weighting import Floats

RATE = 48_000


def sine(
    frequency: float, seconds: float, *, rms: float = 0.1, rate: int = RATE
) -> Floats:
    moments = np.arange(round(seconds * rate)) / rate
    found: Floats = rms * np.sqrt(2) * np.sin(2 * np.pi * frequency * moments)
    return found


def hiss(
    seconds: float, *, rms: float = 0.1, seed: int = 1, rate: int = RATE
) -> Floats:
    made = np.random.default_rng(seed).normal(0, rms, round(seconds * rate))
    return np.asarray(made, dtype=np.float64)


def mean_db(samples: Floats) -> float:
    return float(10 * np.log10(np.mean(np.square(samples))))
