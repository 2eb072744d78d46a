"""Where two devices are equally fast: the crossing point of two sweeps over a size."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

SIZES = ("bs", "xfersize", "obj.size", "r")
"""Options that are the size of a transfer or an object, of any engine."""

Size = TypeVar("Size", bound=float)


@dataclass(frozen=True, slots=True)
class Crossing:
    """A size at which the second one overtakes the first one, or the other way."""

    size: float  # between two that were measured, in their unit
    below: float  # the measured size before it
    above: float  # the measured size after it
    second_leads: bool  # whether the second one is the faster one above it


def crossings(
    first: Mapping[Size, float], second: Mapping[Size, float]
) -> list[Crossing]:
    """Find where two courses over the size cross.

    Between two measured sizes each course is taken for a straight line over the
    logarithm of the size. Sizes that only one has, those at which both are equal, and
    those without a logarithm are excluded.
    """
    sizes = sorted(size for size in first.keys() & second.keys() if size > 0)
    differences = [(size, second[size] - first[size]) for size in sizes]
    led = [difference for difference in differences if difference[1] != 0]
    points = []
    for (below, before), (above, after) in itertools.pairwise(led):
        if (before > 0) != (after > 0):
            share = before / (before - after)
            low, high = math.log2(below), math.log2(above)
            size = 2 ** (low + share * (high - low))
            points.append(Crossing(size, below, above, after > 0))
    return points
