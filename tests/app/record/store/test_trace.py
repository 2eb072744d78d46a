"""The one read call: exact where there is room, extremes and means elsewhere."""

from pathlib import Path

import numpy as np
import pytest

from app.record.store import Session, Writer
from instruments.errors import BadInput
from instruments.reading import SECOND, Status
from tests.app.record.recording import (
    INFO,
    NOISE,
    POWER,
    START,
    TENTH,
    reading,
    readings,
)

HOURS = 6


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six hours at 10 Hz: sealed, with a pause of ten minutes after two hours."""
    path = tmp_path_factory.mktemp("long") / "long.bayscope"
    writer = Writer.create(path, INFO)
    for first, last in ((0, 2 * 3600), (2 * 3600 + 600, HOURS * 3600)):
        beats = np.arange(first * 10, last * 10) * TENTH
        values = np.sin(beats / SECOND / 700) * 50 + 300 + beats % 7
        columns = np.stack([values, values], axis=1).astype(np.float64)
        writer.append_trace(POWER, START + beats, START + beats + 20, columns)
    writer.finish()
    return path


def _spans(long: Path) -> list[tuple[int, int] | None]:
    end = START + HOURS * 3600 * SECOND
    hour = 3600 * SECOND
    return [
        None,
        (START, end),
        (START + 17, START + 3 * hour + 4711),
        (START + 2 * hour + 300 * SECOND, START + 4 * hour),
        (START + 5 * hour, end + 10 * hour),
        (START - hour, START + 700 * SECOND),
    ]


@pytest.mark.parametrize("points", [50, 400, 2000])
@pytest.mark.parametrize("span", range(6))
def test_rows_are_few_and_tell_the_truth(long: Path, span: int, points: int) -> None:
    window = _spans(long)[span]
    with Session.open(long) as session:
        exact = session.trace("mains.P", window)
        rough = session.trace("mains.P", window, points)
    values = exact.mean[~np.isnan(exact.mean)]
    assert exact.exact
    assert not rough.exact
    breaks = int(np.isnan(rough.mean).sum())
    assert points // 2 <= len(rough) <= 2 * points + 2 + breaks
    assert (np.diff(rough.times) >= 0).all()
    assert rough.times[0] >= exact.times[0]
    assert rough.times[-1] <= (window[1] if window else exact.times[-1])
    assert np.isclose(np.nanmin(rough.low), values.min(), rtol=1e-6)
    assert np.isclose(np.nanmax(rough.high), values.max(), rtol=1e-6)
    known = ~np.isnan(rough.mean)
    assert (rough.low[known] <= rough.mean[known] * (1 + 1e-6)).all()
    assert (rough.mean[known] <= rough.high[known] * (1 + 1e-6)).all()


def test_a_pause_breaks_the_line_in_every_zoom(long: Path) -> None:
    pause = START + 2 * 3600 * SECOND
    with Session.open(long) as session:
        for points in (None, 60, 1000, 20_000):
            found = session.trace("mains.P", None, points)
            inside = (found.times >= pause) & (found.times <= pause + 600 * SECOND)
            assert np.isnan(found.mean[inside]).any(), points


def test_nothing_beyond_the_window_shows(long: Path) -> None:
    """A replay must not know the future, however coarse the overview is."""
    with Session.open(long) as session:
        for seconds in (5000, 5001, 5003.3, 6143, 6144):
            end = START + round(seconds * SECOND)
            window = (START, end)
            exact = session.trace("mains.P", window)
            rough = session.trace("mains.P", window, 100)
            assert exact.times[-1] <= end
            assert rough.times[-1] <= end
            assert np.isclose(np.nanmax(rough.high), np.nanmax(exact.mean), rtol=1e-6)


def test_cells_stand_still_while_the_window_moves(long: Path) -> None:
    hour = 3600 * SECOND
    with Session.open(long) as session:
        one = session.trace("mains.P", (START + hour, START + 2 * hour), 300)
        two = session.trace("mains.P", (START + hour + 7, START + 2 * hour + 7), 300)
    assert len(set(one.times[1:-1]) & set(two.times[1:-1])) >= len(one) - 4


def test_live_and_sealed_give_the_same_trace(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    with Session.open(writer.path) as live:
        for place, taken in enumerate(readings(POWER, 12_000)):
            writer.append([taken])
            if place % 1000 == 0:
                writer.commit()
                live.trace("mains.P", None, 100)
        writer.commit()
        before = [live.trace("mains.P", None, points) for points in (None, 100, 900)]
    writer.finish()
    with Session.open(writer.path) as done:
        after = [done.trace("mains.P", None, points) for points in (None, 100, 900)]
    for one, two in zip(before, after, strict=True):
        assert (one.times == two.times).all()
        assert np.allclose(one.mean, two.mean, rtol=1e-6)
        assert np.allclose(one.low, two.low, rtol=1e-6)


def test_few_samples_are_given_exactly(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 20))
    writer.finish()
    with Session.open(writer.path) as session:
        found = session.trace(POWER[0], None, 10)
    assert found.exact
    assert found.mean.tolist() == [float(number) for number in range(20)]
    assert found.times[0] == START + 10_000_000
    assert found.channel == POWER[0]


def test_an_offset_moves_a_source_later(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 20))
    writer.offset("mains", 7, 1, "first guess")
    writer.offset("mains", 2 * SECOND, 1, "read burst")
    writer.finish()
    with Session.open(writer.path) as session:
        found = session.trace("mains.P")
        assert found.times[0] == START + 10_000_000 + 2 * SECOND
        window = (START + 2 * SECOND, START + 2 * SECOND + TENTH)
        assert session.trace("mains.P", window).mean.tolist() == [0.0]
        assert not len(session.trace("mains.P", (START, START + SECOND)))
        assert [row.offset_ns for row in session.offsets()] == [7, 2 * SECOND]


def test_an_offset_moves_the_gaps_of_a_source_along(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 2))
    writer.append(readings(NOISE, 2))
    for channels in (POWER[:1], NOISE):
        writer.gap(channels, START + SECOND, START + 3 * SECOND, Status.TIMEOUT, "")
    writer.offset("mains", 2 * SECOND, 1, "read burst")
    writer.finish()
    with Session.open(writer.path) as session:
        found = {gap.channel_name: gap.start_ns for gap in session.gaps()}
        assert found == {"mains.P": START + 3 * SECOND, "noise.LAeq": START + SECOND}
        window = (START + 4 * SECOND, START + 5 * SECOND)
        assert [gap.channel_name for gap in session.gaps(None, window)] == ["mains.P"]


def test_a_value_without_worth_is_a_row_of_nan(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    rows = readings(POWER, 5)
    bad = [Status.OVERRANGE, Status.OK]
    rows[2] = reading(POWER, rows[2].start_ns, 999.0, 230.0, statuses=bad)
    writer.append(rows)
    writer.finish()
    with Session.open(writer.path) as session:
        found = session.trace("mains.P")
    assert np.isnan(found.mean[2])
    assert np.isnan(found.low[2])
    assert len(found) == 5


def test_a_gap_after_the_last_sample_ends_the_line(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 5))
    end = START + 5 * TENTH
    writer.gap(POWER, end, end + 3 * SECOND, Status.TIMEOUT, "no answer")
    writer.commit()
    with Session.open(writer.path) as session:
        assert np.isnan(session.trace("mains.P").mean[-1])
        assert not np.isnan(session.trace("mains.P", (START, end - 1)).mean[-1])
    writer.finish()


def test_a_channel_that_changed_groups_is_one_trace(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 10))
    writer.append(readings(POWER[:1], 10, START + 10 * TENTH))
    writer.finish()
    with Session.open(writer.path) as session:
        assert len(session.trace("mains.P")) == 20
        assert len(session.trace("mains.U")) == 10


def test_an_unknown_channel_is_said(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.finish()
    with (
        Session.open(writer.path) as session,
        pytest.raises(BadInput, match=r"no channel mains\.Q"),
    ):
        session.trace("mains.Q")
