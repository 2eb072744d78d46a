"""How uncertain a power analyser's readings are, from reading and range."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Values = Array | float


@dataclass(frozen=True, slots=True)
class Accuracy:
    """What a data sheet promises: limits of error for U, I and P each.

    Attributes:
        reading: Share of the reading, such as 0.0005 for 0.05 %.
        range: Share of the range; for power, of the product of both ranges.
        source: Where the two come from, for the report.
    """

    reading: float
    range: float
    source: str


HMC8015 = Accuracy(
    0.0005,
    0.0005,
    "0.05 % of reading and 0.05 % of range at 45 to 66 Hz, quoted from memory of the "
    "data sheet and not checked",
)
"""An assumption: override it on the bench with what its certificate says."""


def accuracy_of(keys: Mapping[str, object]) -> Accuracy:
    """Get what a bench says of one meter's accuracy, the HMC8015's where it is silent.

    Args:
        keys: The meter's keys in bench.toml: accuracy_reading and accuracy_range in %,
            accuracy_source.
    """
    reading = keys.get("accuracy_reading", HMC8015.reading * 100.0)
    share = keys.get("accuracy_range", HMC8015.range * 100.0)
    source = keys.get("accuracy_source", HMC8015.source)
    if not isinstance(reading, int | float) or not isinstance(share, int | float):
        raise TypeError("accuracies are numbers in %")
    return Accuracy(reading / 100.0, share / 100.0, str(source))


def limit(
    values: Values, ranges: Values, accuracy: Accuracy, crest_factor: float = 3.0
) -> Array:
    """Compute the limit of error of voltages, currents or active powers.

    With a crest factor of 6 a range covers peaks twice as high, and its share is
    taken twice (assumed).

    Args:
        values: Readings in V, A or W; NaN stays NaN.
        ranges: Range of each, in the same unit; for power U range times I range.
        accuracy: What the data sheet promises.
        crest_factor: The meter's setting.
    """
    share = accuracy.range * crest_factor / 3.0
    found = accuracy.reading * np.abs(values) + share * np.asarray(ranges)
    return np.asarray(np.where(np.isnan(values), np.nan, found), dtype=np.float64)


def apparent_limit(
    voltages: Values, currents: Values, u_limit: Values, i_limit: Values
) -> Array:
    """Compute the limit of error of S = U x I in VA, both errors at their worst."""
    return np.asarray(
        np.abs(voltages) * np.asarray(i_limit) + np.abs(currents) * np.asarray(u_limit),
        dtype=np.float64,
    )


def lambda_limit(
    watts: Values, volt_amperes: Values, p_limit: Values, s_limit: Values
) -> Array:
    """Compute the limit of error of lambda = P/S, both errors at their worst.

    P and S come from the same samples, so that the true error is smaller.
    """
    apparent = np.asarray(volt_amperes, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(p_limit) / apparent
        found = found + np.abs(watts) * np.asarray(s_limit) / apparent**2
    return np.asarray(np.where(apparent == 0.0, np.nan, found), dtype=np.float64)


def standard(limits: Values) -> Array:
    """Make limits of error standard uncertainties (k = 1), as GUM 4.3.7 does.

    Nothing is known of the error within its limits, so it is rectangular.
    """
    return np.asarray(limits, dtype=np.float64) / math.sqrt(3.0)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of error of one set of samples, an array each."""

    voltage: Array
    current: Array
    active: Array
    apparent: Array
    power_factor: Array


def limits(
    voltages: Values,
    currents: Values,
    watts: Values,
    volt_amperes: Values,
    *,
    u_range: Values,
    i_range: Values,
    accuracy: Accuracy = HMC8015,
    crest_factor: float = 3.0,
) -> Limits:
    """Compute the limits of error of U, I, P, S and lambda, sample by sample.

    Args:
        voltages: In V.
        currents: In A.
        watts: In W.
        volt_amperes: In VA.
        u_range: Voltage range in V, for each sample or for all.
        i_range: Current range in A, for each sample or for all.
        accuracy: What the data sheet promises.
        crest_factor: The meter's setting.
    """
    u_limit = limit(voltages, u_range, accuracy, crest_factor)
    i_limit = limit(currents, i_range, accuracy, crest_factor)
    product = np.asarray(u_range) * np.asarray(i_range)
    p_limit = limit(watts, product, accuracy, crest_factor)
    s_limit = apparent_limit(voltages, currents, u_limit, i_limit)
    ratio = lambda_limit(watts, volt_amperes, p_limit, s_limit)
    return Limits(u_limit, i_limit, p_limit, s_limit, ratio)
