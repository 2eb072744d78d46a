"""The overview says what the samples say, however they were sealed."""

from pathlib import Path

import numpy as np
import pytest

from app.record.store import Session, Writer
from app.record.store.buckets import CELL_NS, LEVELS, cell_ns, lowest_level, row_ns
from app.record.store.cells import summarise
from app.record.store.database import connect_for_reading
from app.record.store.overview import decode_row, read_cells, row_key
from instruments.reading import SECOND, Channel
from tests.app.record.recording import INFO, START

FAST = (Channel("m", "P", "W", period_ns=SECOND // 2), Channel("m", "U", "V"))
SLOW = (Channel("s", "T", "degC", period_ns=5 * SECOND),)


def _trace(channels: tuple[Channel, ...], hours: float) -> tuple[np.ndarray, ...]:
    period = channels[0].period_ns
    starts = np.arange(START, START + int(hours * 3600 * SECOND), period)
    rng = np.random.default_rng(4)
    values = rng.normal(100, 5, (starts.size, len(channels))).round(2)
    values[1000:1100, 0] = np.nan
    return starts, starts + 2, values


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("overview") / "s.bayscope"
    writer = Writer.create(path, INFO)
    for channels in (FAST, SLOW):
        writer.append_trace(channels, *_trace(channels, 5))
    writer.finish()
    return path


@pytest.mark.parametrize("level", range(LEVELS))
def test_every_level_agrees_with_the_samples(path: Path, level: int) -> None:
    starts, _, values = _trace(FAST, 5)
    connection = connect_for_reading(path)
    cells = read_cells(connection, 1, level, 0, 2**60)
    connection.close()
    expected = summarise(starts + 1, values[:, 0], cell_ns(level)).filled()
    assert (cells.starts == expected.starts).all()
    assert (cells.counts == expected.counts).all()
    assert np.allclose(cells.low, expected.low, rtol=1e-6)
    assert np.allclose(cells.high, expected.high, rtol=1e-6)
    assert np.allclose(cells.mean, expected.mean, rtol=1e-6)


def test_levels_with_too_few_samples_are_left_out(path: Path) -> None:
    assert lowest_level(SECOND // 10) == 0
    assert lowest_level(SECOND) == 0
    assert lowest_level(5 * SECOND) == 1
    assert lowest_level(10**6 * SECOND) == LEVELS
    connection = connect_for_reading(path)
    assert not read_cells(connection, 3, 0, 0, 2**60).starts.size
    assert read_cells(connection, 3, 1, 0, 2**60).starts.size
    connection.close()


def test_late_readings_join_the_rows_that_are_there(tmp_path: Path) -> None:
    starts, ends, values = _trace(FAST, 1)
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    late = (starts > START + 600 * SECOND) & (starts < START + 640 * SECOND)
    writer.append_trace(FAST, starts[~late], ends[~late], values[~late])
    writer.seal()
    writer.append_trace(FAST, starts[late], ends[late], values[late])
    writer.finish()
    connection = connect_for_reading(writer.path)
    cells = read_cells(connection, 1, 0, 0, 2**60)
    connection.close()
    expected = summarise(starts + 1, values[:, 0], CELL_NS).filled()
    assert (cells.counts == expected.counts).all()
    assert np.allclose(cells.low, expected.low, rtol=1e-6)
    with Session.open(writer.path) as session:
        assert np.array_equal(
            session.trace("m.P").mean[: values.shape[0]], values[:, 0], equal_nan=True
        )


def test_a_channel_in_two_groups_keeps_one_row(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    starts, ends, values = _trace(FAST, 0.2)
    for turn in range(4):
        shift = turn * (starts[-1] - starts[0] + SECOND)
        channels = FAST if turn % 2 else FAST[:1]
        columns = values[:, : len(channels)]
        writer.append_trace(channels, starts + shift, ends + shift, columns)
        writer.seal()
    writer.finish()
    connection = connect_for_reading(writer.path)
    total = read_cells(connection, 1, 2, 0, 2**60).counts.sum()
    connection.close()
    assert total == 4 * (~np.isnan(values[:, 0])).sum()


def test_ids_keep_a_channel_together() -> None:
    assert row_key(0, 1, 0) < row_key(0, 1, row_ns(0)) < row_key(0, 2, 0)
    assert row_key(0, 2**24 - 1, 2**62) < row_key(1, 1, 0) < 2**63


def test_a_damaged_row_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="overview row"):
        decode_row(b"nonsense")
