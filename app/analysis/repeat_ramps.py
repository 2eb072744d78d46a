"""Leaving out the ramp-up and the ramp-down of a load: by seconds, or as found."""

from app.analysis.samples import Floats
from app.record.store import Window
from instruments.errors import BadInput
from instruments.reading import SECOND

BATCH = 5
"""MSER-5 looks at the means of five samples at a time."""


def without_ramps(window: Window, up_s: float, down_s: float) -> Window:
    """Cut a ramp-up and a ramp-down off a window.

    Results of what is left come from traces and are labelled so: the load's own
    document covers the whole window.

    Raises:
        BadInput: Nothing would be left.
    """
    start = window[0] + round(up_s * SECOND)
    end = window[1] - round(down_s * SECOND)
    if up_s < 0 or down_s < 0 or start >= end:
        whole = (window[1] - window[0]) / SECOND
        raise BadInput(
            f"{up_s:g} s and {down_s:g} s cannot be cut off {whole:g} s",
            where="discard",
            way_out="Give shorter ramps, or let the step run longer.",
        )
    return start, end


def find_ramp_up(values: Floats) -> int | None:
    """Find how many samples at the begin belong to a ramp-up.

    MSER-5: of all cuts, the one that leaves the mean of the rest with the smallest
    standard error (White, Cobb and Spratt, "A comparison of five steady-state
    truncation heuristics for simulation", WSC 2000), among those in the
    first half. Where the last of these is the best one the run never settled.

    Args:
        values: Samples of one channel in their order, without gaps.

    Returns:
        The number of samples before the cut, a multiple of five; None where there are
        too few samples or no cut.
    """
    batches = values.size // BATCH
    if batches < 4:
        return None
    means = values[: batches * BATCH].reshape(batches, BATCH).mean(axis=1)
    half = batches // 2
    costs = [float(means[cut:].var()) / (batches - cut) for cut in range(half + 1)]
    best = costs.index(min(costs))
    return best * BATCH if best < half else None
