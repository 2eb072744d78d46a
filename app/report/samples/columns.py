"""Samples in columns, as Arrow and Parquet have them: one schema for all sessions."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from app.report.samples.blocks import MOST_ROWS, STATUSES, Block
from instruments.files.foreign_text import parsed_json
from instruments.reading import Channel

TIME = pa.timestamp("us", "UTC")
"""Spark reads no nanoseconds: the exact time is in a column beside."""

_WORD = pa.dictionary(pa.int16(), pa.string())
_CODE = pa.dictionary(pa.int8(), pa.string())

SAMPLES = pa.schema(
    [
        pa.field("source", _WORD, nullable=False),
        pa.field("channel", _WORD, nullable=False),
        pa.field("quantity", _WORD, nullable=False),
        pa.field("location", _WORD, nullable=False),
        pa.field("unit", _WORD, nullable=False),
        pa.field("time", TIME, nullable=False),
        pa.field("monotonic_ns", pa.int64(), nullable=False),
        pa.field("value", pa.float64()),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("status", _CODE),
    ]
)
"""One row a sample, or a cell of a grid; its folder is named after the session."""

_WORDS: Mapping[str, Callable[[Channel], str]] = {
    "source": lambda one: one.source,
    "channel": lambda one: one.name,
    "quantity": lambda one: one.quantity,
    "location": lambda one: one.location,
    "unit": lambda one: one.unit,
}
_WHOLES = ("time", "monotonic_ns", "n")
_STATUSES = [str(status) for status in STATUSES]


class SampleTables:
    """Makes tables of blocks, all with the same dictionaries.

    Args:
        channels: All whose blocks may come.
        utc: What is added to a time for UTC, see `utc_shift`.
    """

    def __init__(self, channels: Sequence[Channel], utc: int) -> None:
        self._utc = utc
        self._places = {channel.name: n for n, channel in enumerate(channels)}
        self._words = []
        for word in _WORDS.values():
            words = [word(channel) for channel in channels]
            unique = list(dict.fromkeys(words))
            places = {text: place for place, text in enumerate(unique)}
            self._words.append(
                ([places[one] for one in words], pa.array(unique, pa.string()))
            )

    def batch(self, block: Block) -> pa.RecordBatch:
        """Make a batch of a block."""
        size, place = block.times.size, self._places[block.channel.name]
        words = [
            pa.DictionaryArray.from_arrays(
                pa.array(np.full(size, codes[place], np.int16)), dictionary
            )
            for codes, dictionary in self._words
        ]
        statuses = pa.DictionaryArray.from_arrays(
            pa.array(block.codes, mask=block.codes < 0), pa.array(_STATUSES)
        )
        columns = [
            *words,
            pa.array((block.times + self._utc) // 1000).cast(TIME),
            pa.array(block.times),
            pa.array(block.values, from_pandas=True),
            pa.array(block.counts),
            statuses,
        ]
        return pa.RecordBatch.from_arrays(columns, schema=SAMPLES)


def write_arrow(
    path: Path,
    channels: Sequence[Channel],
    blocks: Iterable[Block],
    utc: int,
    about: Mapping[str, object],
) -> int:
    """Write samples as an Arrow file (Feather 2); return how many.

    Raises:
        OSError: It cannot be written.
    """
    tables, count = SampleTables(channels, utc), 0
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    schema = with_metadata(SAMPLES, about)
    with pa.ipc.new_file(str(path), schema, options=options) as writer:
        for block in blocks:
            writer.write_batch(tables.batch(block))
            count += block.times.size
    return count


def write_parquet(
    path: Path,
    channels: Sequence[Channel],
    blocks: Iterable[Block],
    utc: int,
    about: Mapping[str, object],
) -> int:
    """Write samples as one Parquet file, rows of one channel together.

    Returns:
        How many there are.

    Raises:
        OSError: It cannot be written.
    """
    tables, count = SampleTables(channels, utc), 0
    waiting: list[pa.RecordBatch] = []
    rows = 0
    with pq.ParquetWriter(
        path,
        with_metadata(SAMPLES, about),
        compression="zstd",
        compression_level=1,
        # Meters have few digits: in columns of such numbers a dictionary is smallest.
        use_dictionary=[*_WORDS, "value", "status"],
        column_encoding=dict.fromkeys(_WHOLES, "DELTA_BINARY_PACKED"),
        # What a query leaves parts out by; those of other columns cost a third more.
        write_statistics=["channel", "time", "monotonic_ns", "value"],
    ) as writer:
        for block in blocks:
            waiting.append(tables.batch(block))
            rows += block.times.size
            count += block.times.size
            if rows >= MOST_ROWS:
                writer.write_table(pa.Table.from_batches(waiting), row_group_size=rows)
                waiting.clear()
                rows = 0
        if rows:
            writer.write_table(pa.Table.from_batches(waiting), row_group_size=rows)
    return count


def with_metadata(schema: pa.Schema, about: Mapping[str, object]) -> pa.Schema:
    """Say of what a table is, in the place that Arrow and Parquet have for it."""
    return schema.with_metadata({"bayscope": json.dumps(about)})


def metadata_of(path: Path) -> Mapping[str, Any]:
    """Read what `with_metadata` said of a Parquet file; nothing where it did not."""
    try:
        found = parsed_json((pq.read_schema(path).metadata or {}).get(b"bayscope", b""))
    except (OSError, ValueError, pa.ArrowException):
        return {}
    return found if isinstance(found, dict) else {}
