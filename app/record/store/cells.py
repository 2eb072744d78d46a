"""Statistics of samples in cells of equal width: count, minimum, maximum, mean."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cells:
    """Statistics of cells in the order of time.

    The columns have one entry a cell, or one row a cell with an entry a channel.
    Where a count is 0, low and high are NaN and the mean says nothing.
    """

    starts: Ints  # start of each cell in ns, rising
    counts: Ints  # how many valid samples it has
    low: Floats  # the lowest of them
    high: Floats  # the highest of them
    mean: Floats

    def filled(self) -> "Cells":
        """Get only the cells with samples; for the cells of one channel."""
        keep = self.counts > 0
        return self if keep.all() else self.where(keep)

    def where(self, keep: npt.NDArray[np.bool_]) -> "Cells":
        """Get only some of the cells."""
        return Cells(
            self.starts[keep],
            self.counts[keep],
            self.low[keep],
            self.high[keep],
            self.mean[keep],
        )


def summarise(times: Ints, values: Floats, width: int) -> Cells:
    """Sum up samples in cells.

    Args:
        times: Sample times in ns, rising.
        values: A value, or a row of values, for each time; NaN is none.
        width: Width of a cell in ns; cells begin at multiples of it.
    """
    if not times.size:
        return _empty(values.shape[1:])
    valid = ~np.isnan(values)
    firsts, starts = _cut(times, width)
    counts = np.add.reduceat(valid, firsts, dtype=np.int64)
    sums = np.add.reduceat(np.where(valid, values, 0.0), firsts)
    low = np.fmin.reduceat(values, firsts)
    high = np.fmax.reduceat(values, firsts)
    return Cells(starts, counts, low, high, sums / np.maximum(counts, 1))


def coarsen(cells: Cells, width: int) -> Cells:
    """Sum up cells in wider ones."""
    if not cells.starts.size:
        return cells
    firsts, starts = _cut(cells.starts, width)
    counts = np.add.reduceat(cells.counts, firsts)
    sums = np.add.reduceat(cells.mean * cells.counts, firsts)
    low = np.fmin.reduceat(cells.low, firsts)
    high = np.fmax.reduceat(cells.high, firsts)
    return Cells(starts, counts, low, high, sums / np.maximum(counts, 1))


def join(parts: Sequence[Cells]) -> Cells:
    """Put cells of several origins into one sequence, in the order of time."""
    starts = np.concatenate([part.starts for part in parts])
    order = np.argsort(starts, kind="stable")
    return Cells(
        starts[order],
        np.concatenate([part.counts for part in parts])[order],
        np.concatenate([part.low for part in parts])[order],
        np.concatenate([part.high for part in parts])[order],
        np.concatenate([part.mean for part in parts])[order],
    )


def _cut(times: Ints, width: int) -> tuple[Ints, Ints]:
    """Find where each cell begins: the places in the times, and the moments."""
    places = times // width
    firsts = np.flatnonzero(np.diff(places, prepend=places[0] - 1))
    return firsts, places[firsts] * width


def _empty(shape: tuple[int, ...]) -> Cells:
    none = np.empty((0, *shape))
    return Cells(np.empty(0, np.int64), none.astype(np.int64), none, none, none)
