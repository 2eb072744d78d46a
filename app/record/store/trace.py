"""The one read call: a trace of a channel in a window with this many points."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from instruments.reading import Channel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trace:
    """Samples of one channel, or the extremes and means of many of them."""

    channel: Channel  # whose they are
    times: Ints  # monotonic ns with the source's offset applied, rising
    low: Floats  # lowest value at each time; NaN breaks the line where a gap is
    high: Floats  # highest value at each time
    mean: Floats  # mean at each time
    exact: bool  # whether every row is one sample; then low, high and mean are equal
    # how long in ns each reading took, which is what a document of a load tells of;
    # width of the cell in other rows; NaN in a gap. Empty where it is not known
    spans: Floats = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.times)


def broken_at(
    times: Ints, columns: tuple[Floats, ...], gaps: Ints, end: int, width: int
) -> tuple[Ints, tuple[Floats, ...]]:
    """Put a row of NaN wherever a gap lies between two rows, or after the last.

    A gap that readings have filled since does not break the line.

    Args:
        times: Times of the rows, rising.
        columns: Columns of the same length.
        gaps: Start and end of each gap, one row a gap, in ns.
        end: Where the window ends; a gap beyond it does not count.
        width: Width of the rows' cells in ns, 0 where every row is a sample.
    """
    if not times.size or not gaps.size:
        return times, columns
    gaps = gaps[gaps[:, 0] <= end]
    ends = np.minimum(gaps[:, 1], end)
    middle = gaps[:, 0] + (ends - gaps[:, 0]) // 2
    places = np.searchsorted(times, middle, side="right")
    after = np.minimum(places, len(times) - 1)
    if width:
        apart = times[after] - times[np.maximum(places - 1, 0)] > 1.5 * width
    else:
        apart = np.searchsorted(times, gaps[:, 0], side="right") == np.searchsorted(
            times, ends, side="left"
        )
    known = ~np.isnan(columns[0])
    last = places == len(times)
    wanted = (places > 0) & (apart | last) & known[places - 1] & (known[after] | last)
    places, firsts = np.unique(places[wanted], return_index=True)
    if not places.size:
        return times, columns
    broken = tuple(np.insert(column, places, np.nan) for column in columns)
    return np.insert(times, places, middle[wanted][firsts]), broken
