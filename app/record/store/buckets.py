"""The lattice of time on which readings are sealed and summed up."""

import numpy as np
import numpy.typing as npt

from instruments.reading import SECOND

BUCKET_NS = 1024 * SECOND
"""Readings are sealed on absolute multiples of this on the monotonic clock."""

CELL_NS = 8 * SECOND
"""Width of a cell of the overview's lowest level."""

FACTOR = 8
"""A cell of one level is as wide as this many of the level below."""

LEVELS = 4
"""Levels of the overview: 8 s, 64 s, 512 s and 68 min."""

CELLS = 128
"""Cells in a row of the overview; a row of the lowest level is one bucket."""

MIN_SAMPLES = 8
"""A level is left out for a channel with fewer samples than this in a cell."""


def bucket_of(t_ns: int) -> int:
    """Get the bucket a time belongs to."""
    return t_ns // BUCKET_NS


def cell_ns(level: int) -> int:
    """Get the width of a cell of a level in nanoseconds."""
    return int(CELL_NS * FACTOR**level)


def row_ns(level: int) -> int:
    """Get the time that one row of a level covers in nanoseconds."""
    return CELLS * cell_ns(level)


def lowest_level(period_ns: int) -> int:
    """Get the lowest level kept for a channel with this nominal period."""
    for level in range(LEVELS):
        if cell_ns(level) >= MIN_SAMPLES * period_ns:
            return level
    return LEVELS


def middles(
    starts: npt.NDArray[np.int64], durations: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Compute the x of readings: the middle between start and end of the read."""
    return starts + durations // 2
