"""What is known of the accuracy of power analysers."""

from collections.abc import Mapping
from dataclasses import dataclass


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
