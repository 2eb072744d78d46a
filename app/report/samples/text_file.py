"""Samples as CSV, as fast as a disk takes it: Arrow writes the numbers."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.record.store import Session, Window
from app.report.samples.blocks import (
    MOST_ROWS,
    STATUSES,
    Block,
    Grid,
    Ints,
    cells_of,
)
from instruments.files.foreign_text import cell
from instruments.reading import Channel

HEADS = ("channel", "unit", "time_utc", "monotonic_ns", "value", "status")
"""Of samples as they were read, a row each."""

GRID_HEADS = ("time_utc", "monotonic_ns")
"""Of a grid; the channels follow, each with its unit behind it."""

_STATUSES = [f"{status}\n" for status in STATUSES]


def write_samples(file: BinaryIO, blocks: Iterable[Block], utc: int) -> int:
    """Write blocks of samples, one row a sample; return how many.

    Args:
        file: Takes the text.
        blocks: What is written.
        utc: What is added to a time for UTC, see `utc_shift`.
    """
    file.write(_line(HEADS))
    count = 0
    for block in blocks:
        channel = block.channel
        about = _line((channel.name, channel.unit))[:-1].decode()
        statuses = pa.array(_STATUSES).take(pa.array(block.codes))
        columns = (*_times(block.times, utc), _numbers(block.values), statuses)
        file.write(_joined(about, *columns))
        count += block.times.size
    return count


def write_grid(
    file: BinaryIO,
    session: Session,
    channels: Sequence[Channel],
    window: Window,
    grid: Grid,
    *,
    progress: Callable[[float], None] = lambda _: None,
) -> int:
    """Write means over the cells of a grid, one row a cell; return how many.

    A cell without a sample is empty. `progress` takes how many channels more are done.
    """
    names = [
        f"{one.name} [{one.printed_unit}]" if one.unit else one.name for one in channels
    ]
    file.write(_line((*GRID_HEADS, *names)))
    count, whole = 0, -(-(window[1] - grid.floor(window[0]) + 1) // grid.width)
    for part in _parts(window, grid, max(1, 2 * MOST_ROWS // max(1, len(channels)))):
        starts = grid.starts(part)
        columns = [
            *_times(starts, grid.utc),
            *(
                _numbers(cells_of(session, channel, part, grid).values)
                for channel in channels
            ),
        ]
        columns.append(pc.binary_join_element_wise(columns.pop(), "\n", ""))
        file.write(_joined(*columns))
        count += starts.size
        progress(len(channels) * starts.size / whole)
    return count


def _parts(window: Window, grid: Grid, most: int) -> Iterator[Window]:
    """Cut a window into parts of this many cells."""
    step = most * grid.width
    for start in range(grid.floor(window[0]), window[1] + 1, step):
        yield max(start, window[0]), min(start + step - 1, window[1])


def _line(cells: Sequence[str]) -> bytes:
    """Write a row of texts, none of which is a formula."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(map(cell, cells))
    return out.getvalue().encode()


def _times(times: Ints, utc: int) -> tuple[pa.Array, pa.Array]:
    """Write times as UTC to the microsecond, with their Z, and as they are."""
    stamps = pa.array((times + utc) // 1000).cast(pa.timestamp("us"))
    words = pc.binary_join_element_wise(stamps.cast(pa.string()), "Z", "")
    return words, pa.array(times).cast(pa.string())


def _numbers(values: np.ndarray) -> pa.Array:
    """Write numbers so that they are read back to the last bit; NaN is empty."""
    texts = pa.array(values, from_pandas=True).cast(pa.string())
    return pc.fill_null(texts, "")


def _joined(*columns: pa.Array | str) -> memoryview:
    """Put columns of texts side by side; the last one has the ends of the lines."""
    text = pc.binary_join_element_wise(*columns, ",")
    _, offsets, data = text.buffers()
    ends = np.frombuffer(offsets, np.int32)
    return memoryview(data)[ends[text.offset] : ends[text.offset + len(text)]]
