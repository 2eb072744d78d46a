"""Curves that are computed of channels: values of real pairs, gaps, long sessions."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from app.record.store import Session, Window, Writer
from app.report.chart import computed
from app.report.chart.line import Line
from app.report.chart.lines import load_line
from app.report.chart.maths import Operation, maths_of
from app.report.chart.panel import Curve
from app.report.chart.scale import channel_scale
from app.report.chart.statistics import CurveStatistics, curve_statistics
from instruments.errors import BadInput
from instruments.reading import SECOND, Channel, Status
from tests.session_info import session_info

START = 5_000 * SECOND
FAST = Channel("mains", "P", "W", period_ns=SECOND // 10)
OTHER = Channel("spare", "P", "W", period_ns=SECOND // 10)
LOAD = Channel("fio", "read_bw", "B/s")
NOISE = Channel("ear", "LAeq", "dB")
WARM, COLD = (Channel("box", "temperature", "degC", at) for at in ("out", "in"))
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def write(path: Path, *traces: tuple[Channel, Floats, Floats]) -> Writer:
    """Begin a session with traces: seconds from its begin, and values."""
    writer = Writer.create(path / "s.bayscope", session_info(monotonic_ns=START))
    for channel, seconds, values in traces:
        times = START + np.round(seconds * SECOND).astype(np.int64)
        writer.append_trace((channel,), times, times, values.reshape(-1, 1))
    return writer


def beat(seconds: float, hertz: float, offset: float = 0.0) -> Floats:
    return np.arange(round(seconds * hertz)) / hertz + offset


def curve(
    operation: Operation,
    parts: Sequence[Channel],
    over: Sequence[Channel] = (),
    seconds: float = 0.0,
    divisor: float = 1.0,
) -> Curve:
    maths, scale = maths_of(operation, parts, over, seconds=seconds, divisor=divisor)
    return Curve("it", tuple(parts), scale, maths=maths)


def line_of(
    writer: Writer, of: Curve, window: Window | None = None, points: int = 1000
) -> Line:
    if not writer.path.with_suffix(".done").exists():
        writer.finish()
        writer.path.with_suffix(".done").touch()
    with Session.open(writer.path) as session:
        return load_line(session, of, window, points, START)


def test_a_faster_channel_is_averaged_over_each_reading_of_the_slower(
    tmp_path: Path,
) -> None:
    fast = beat(60, 10, 0.05)
    writer = write(
        tmp_path,
        (FAST, fast, 100.0 + 10 * np.floor(fast + 0.5)),
        (LOAD, beat(60, 1), np.full(60, 1e9)),
    )
    line = line_of(writer, curve(Operation.RATIO, [FAST], [LOAD]))
    assert line.exact
    # Watt over a gigabyte a second is joule a gigabyte; the mean of ten readings.
    assert line.mean[1:59] == pytest.approx(100.0 + 10 * line.x[1:59])
    assert line.x[:3].tolist() == [0.0, 1.0, 2.0]


def test_a_gap_of_either_stays_a_gap_and_nothing_is_held(tmp_path: Path) -> None:
    fast = beat(60, 10)
    away = (fast > 20.2) & (fast < 25.8)
    writer = write(
        tmp_path,
        (FAST, fast[~away], np.full((~away).sum(), 300.0)),
        (LOAD, beat(60, 1), np.full(60, 1e9)),
    )
    gone = [START + round(s * SECOND) for s in (20.3, 25.7)]
    writer.gap((FAST,), gone[0], gone[1], Status.TIMEOUT, "no answer")
    line = line_of(writer, curve(Operation.RATIO, [FAST], [LOAD]))
    known = np.isfinite(line.mean)
    assert not known[(line.x > 20.4) & (line.x < 25.6)].any()
    assert known[(line.x < 20) | (line.x > 26.5)].all()
    other = line_of(writer, curve(Operation.RATIO, [LOAD], [FAST]))
    assert not np.isfinite(other.mean[(other.x > 20.4) & (other.x < 25.6)]).any()


def test_extremes_of_a_ratio_are_those_of_real_pairs(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    power = rng.uniform(100, 900, 20_000)
    rate = rng.uniform(1e9, 9e9, 20_000)
    seconds = beat(20_000, 1)
    slow = Channel("mains", "P", "W", period_ns=SECOND)
    writer = write(tmp_path, (slow, seconds, power), (LOAD, seconds, rate))
    line = line_of(writer, curve(Operation.RATIO, [slow], [LOAD]), points=100)
    pairs = power / rate * 1e9
    assert not line.exact
    assert line.has_extremes
    assert len(line.x) <= 210
    assert float(line.low.min()) == pytest.approx(pairs.min())
    assert float(line.high.max()) == pytest.approx(pairs.max())
    # What the extremes of both would make is further apart than any pair was.
    assert line.high.max() < power.max() / rate.min() * 1e9
    # The mean of a stretch is energy over bytes.
    first = slice(0, 200)
    assert line.mean[0] == pytest.approx(
        power[first].sum() / rate[first].sum() * 1e9, rel=0.02
    )


def test_more_samples_than_are_paired_come_from_the_overview(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = beat(6_000, 1)
    slow = Channel("mains", "P", "W", period_ns=SECOND)
    power = 300.0 + seconds / 100
    writer = write(tmp_path, (slow, seconds, power), (LOAD, seconds, power * 1e6))
    whole = line_of(writer, curve(Operation.RATIO, [slow], [LOAD]))
    total = line_of(writer, curve(Operation.INTEGRAL, [slow]))
    monkeypatch.setattr(computed, "MOST_PAIRS", 1000)
    line = line_of(writer, curve(Operation.RATIO, [slow], [LOAD]), points=200)
    assert not line.has_extremes
    assert line.low.tolist() == line.mean.tolist()
    assert np.nanmean(line.mean) == pytest.approx(np.nanmean(whole.mean), rel=1e-3)
    coarse = line_of(writer, curve(Operation.INTEGRAL, [slow]), points=200)
    assert coarse.mean[-1] == pytest.approx(total.mean[-1], rel=2e-3)


GONE = ((2000.0, 2600.0), (4000.0, 4013.0))
"""When the second feed of `two_feeds` is not measured, in seconds."""

LENGTH = 6 * 3600


@pytest.fixture(scope="module")
def two_feeds(tmp_path_factory: pytest.TempPathFactory) -> Writer:
    """Power that moves on one feed, and gaps of the other."""
    one, other = beat(LENGTH, 10, 0.05), beat(LENGTH, 10, 0.08)
    values = np.full(other.size, 200.0)
    for start, end in GONE:
        values[(other >= start) & (other < end)] = np.nan
    moving = 100.0 + 50.0 * np.sin(one / 300)
    path = tmp_path_factory.mktemp("feeds")
    return write(path, (FAST, one, moving), (OTHER, other, values))


def joules(x: Floats) -> Floats:
    """Get what both feeds came to until each moment, while both were measured."""

    def all_time(at: Floats) -> Floats:
        return 300.0 * at - 50.0 * 300 * np.cos(at / 300)

    total = all_time(x) - all_time(np.zeros_like(x))
    for start, end in GONE:
        begin = np.minimum(np.full_like(x, start), x)
        total -= all_time(np.minimum(x, end)) - all_time(begin)
    return total


@pytest.mark.parametrize("most", [1_000, 100_000, 10_000_000])
@pytest.mark.parametrize("parts", [(FAST, OTHER), (OTHER, FAST)])
@pytest.mark.parametrize("part", [None, (1900, 2700), (4010, 4070), (20_000, 20_010)])
def test_an_integral_is_true_however_long_the_session_and_near_the_view(
    two_feeds: Writer,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    parts: tuple[Channel, Channel],
    part: tuple[int, int] | None,
) -> None:
    monkeypatch.setattr(computed, "MOST_PAIRS", most)
    window = part and (START + part[0] * SECOND, START + part[1] * SECOND)
    line = line_of(two_feeds, curve(Operation.INTEGRAL, parts), window, 500)
    known = np.isfinite(line.mean)
    begin, end = part or (0, LENGTH)
    # It is drawn over all that is shown, and not by some points of a longer time.
    gone = sum(max(0.0, min(b, end) - max(a, begin)) for a, b in GONE)
    assert known.sum() >= min(100, 10 * (end - begin - gone) - 5)
    # Beside a gap a point is of less than its stretch; half a cell would be 4 kJ.
    assert line.mean[known] * 3600 == pytest.approx(joules(line.x[known]), abs=800)


def test_a_sum_has_no_value_over_means_of_different_times(
    two_feeds: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computed, "MOST_PAIRS", 1_000)
    for parts in ((FAST, OTHER), (OTHER, FAST)):
        line = line_of(two_feeds, curve(Operation.SUM, parts), points=500)
        known = np.isfinite(line.mean)
        truth = 300.0 + 50.0 * np.sin(line.x / 300)
        assert line.mean[known] == pytest.approx(truth[known], abs=2)
        for start, end in GONE:
            touched = (line.x > start - 16) & (line.x < end + 16)
            assert touched.any()
            assert not known[touched].any()
        assert known.sum() > 600


def test_statistics_of_an_integral_go_on_from_piece_to_piece(
    two_feeds: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    line_of(two_feeds, curve(Operation.SUM, [FAST]))  # It is finished.
    of = curve(Operation.INTEGRAL, (FAST, OTHER))
    window = START + 1_000 * SECOND, START + LENGTH * SECOND
    asked: list[int] = []
    paired = computed._paired

    def spied(session: Session, one: Curve, part: Window) -> computed.Pairs | None:
        asked.append(part[1] - part[0])
        return paired(session, one, part)

    monkeypatch.setattr(computed, "_paired", spied)
    with Session.open(two_feeds.path) as session:
        found = curve_statistics(session, of, window)
    assert found is not None
    at = np.array([1_000.0, float(LENGTH)])
    assert (found.low, found.high) == pytest.approx(tuple(joules(at)), abs=60)
    assert sum(asked) <= LENGTH * SECOND  # nothing is read twice


def test_a_moving_mean_is_known_where_all_of_its_time_was_measured(
    tmp_path: Path,
) -> None:
    seconds = beat(60, 1)
    away = (seconds > 30) & (seconds < 33)
    values = np.where(seconds < 20, 100.0, 200.0)
    slow = Channel("mains", "P", "W", period_ns=SECOND)
    writer = write(tmp_path, (slow, seconds[~away], values[~away]))
    writer.gap(
        (slow,), START + 31 * SECOND, START + 32 * SECOND, Status.TIMEOUT, "gone"
    )
    line = line_of(writer, curve(Operation.MEAN, [slow], seconds=5))
    at = dict(zip(line.x.round(3).tolist(), line.mean.tolist(), strict=True))
    assert np.isnan(at[3.0])
    assert at[10.0] == pytest.approx(100)
    assert at[22.0] == pytest.approx(160)  # three of five are 200
    assert np.isnan(at[35.0])
    assert at[40.0] == pytest.approx(200)
    # Of a part that begins later it is the same: it looks further back.
    part = (START + 22 * SECOND, START + 30 * SECOND)
    later = line_of(writer, curve(Operation.MEAN, [slow], seconds=5), part)
    assert later.mean[0] == pytest.approx(160)


def test_a_moving_mean_of_a_whole_cell_says_so(
    two_feeds: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computed, "MOST_PAIRS", 10_000)
    short = curve(Operation.MEAN, [FAST], seconds=10)
    whole = line_of(two_feeds, short, points=500)
    assert whole.mean_s == float(np.median(np.diff(whole.x))) == 32
    assert "32 s" in whole.remark
    # Near it is of what it says, and so is one that is longer than cells.
    near = line_of(two_feeds, short, (START, START + 500 * SECOND), points=500)
    long = line_of(two_feeds, curve(Operation.MEAN, [FAST], seconds=640), points=500)
    assert (near.mean_s, near.remark, long.mean_s) == (0, "", 0)


def test_a_mean_of_sound_levels_is_that_of_their_energy(tmp_path: Path) -> None:
    seconds = beat(60, 1)
    levels = np.where(seconds.astype(int) % 2, 40.0, 60.0)
    writer = write(tmp_path, (NOISE, seconds, levels))
    line = line_of(writer, curve(Operation.MEAN, [NOISE], seconds=10))
    assert line.mean[-1] == pytest.approx(10 * np.log10((1e4 + 1e6) / 2))


def test_an_integral_leaves_out_what_lies_in_a_gap(tmp_path: Path) -> None:
    fast = beat(100, 10)
    away = (fast >= 40) & (fast < 60)
    writer = write(tmp_path, (FAST, fast[~away], np.full((~away).sum(), 360.0)))
    gone = START + 40 * SECOND, START + 60 * SECOND
    writer.gap((FAST,), *gone, Status.TIMEOUT, "gone")
    line = line_of(writer, curve(Operation.INTEGRAL, [FAST]))
    assert line.mean[-1] == pytest.approx(360 * 80 / 3600, rel=0.005)
    # It counts from the begin of the session, whatever part of it is looked at.
    part = (START + 90 * SECOND, START + 95 * SECOND)
    zoomed = line_of(writer, curve(Operation.INTEGRAL, [FAST]), part)
    assert zoomed.mean[0] == pytest.approx(360 * 70 / 3600, rel=0.005)


def test_a_sum_is_known_only_where_every_feed_is(tmp_path: Path) -> None:
    fast = beat(30, 10)
    there = fast < 20
    writer = write(
        tmp_path,
        (FAST, fast, np.full(fast.size, 200.0)),
        (OTHER, fast[there] + 0.03, np.full(there.sum(), 300.0)),
    )
    line = line_of(writer, curve(Operation.SUM, [FAST, OTHER]))
    known = np.isfinite(line.mean)
    assert set(line.mean[known].tolist()) == {500.0}
    assert line.x[known].max() == pytest.approx(19.95, abs=0.15)


def test_statistics_of_a_ratio_have_the_ratio_of_the_means(tmp_path: Path) -> None:
    seconds = beat(100, 1)
    slow = Channel("mains", "P", "W", period_ns=SECOND)
    power = np.where(seconds < 50, 200.0, 600.0)
    rate = np.where(seconds < 50, 1e9, 6e9)
    writer = write(tmp_path, (slow, seconds, power), (LOAD, seconds, rate))
    writer.finish()
    of = curve(Operation.RATIO, [slow], [LOAD])
    with Session.open(writer.path) as session:
        found = curve_statistics(session, of, (START, START + 100 * SECOND))
        assert found is not None
        shown = CurveStatistics(of, "J/GB", found)
    assert found.mean * 1e9 == pytest.approx(400 / 3.5, rel=1e-6)
    assert (found.low * 1e9, found.high * 1e9) == pytest.approx((100, 200))
    assert (found.n_valid, found.n_expected) == (100, 100)
    assert shown.cells[1] == "J/GB"
    assert shown.cells[7] == ""


def test_the_mean_of_a_ratio_lies_among_its_values(tmp_path: Path) -> None:
    seconds = beat(600, 1)
    slow = Channel("mains", "P", "W", period_ns=SECOND)
    power = np.where(seconds < 300, 200.0, 100.0)
    rate = np.where(seconds < 300, 1e9, 0.0)  # nothing over nothing has no ratio
    writer = write(tmp_path, (slow, seconds, power), (LOAD, seconds, rate))
    writer.finish()
    with Session.open(writer.path) as session:
        whole = START, START + 600 * SECOND
        found = curve_statistics(session, curve(Operation.RATIO, [slow], [LOAD]), whole)
    assert found is not None
    assert (found.low, found.mean, found.high) == pytest.approx((2e-7, 2e-7, 2e-7))
    assert (found.n_valid, found.n_expected) == (300, 600)


@pytest.mark.parametrize(
    ("operation", "parts", "over", "unit"),
    [
        (Operation.RATIO, [FAST, OTHER], [LOAD], "J/GB"),
        (Operation.RATIO, [LOAD], [FAST], "MB/s/W"),
        (Operation.RATIO, [FAST], [OTHER], ""),
        (Operation.DIFFERENCE, [WARM], [COLD], "K"),
        (Operation.SUM, [FAST, OTHER], [], "W"),
        (Operation.INTEGRAL, [FAST], [], "Wh"),
        (Operation.INTEGRAL, [LOAD], [], "GB"),
        (Operation.PER_TB, [FAST], [], "W/TB"),
        (Operation.PER_TB, [LOAD], [], "MB/s/TB"),
    ],
)
def test_units_follow_from_the_channels(
    operation: Operation, parts: list[Channel], over: list[Channel], unit: str
) -> None:
    assert curve(operation, parts, over).scale.unit == unit


@pytest.mark.parametrize(
    ("operation", "parts", "over"),
    [
        (Operation.SUM, [FAST, LOAD], []),
        (Operation.SUM, [WARM, COLD], []),
        (Operation.SUM, [NOISE], []),
        (Operation.RATIO, [FAST], []),
        (Operation.RATIO, [WARM], [COLD]),
        (Operation.RATIO, [FAST], [NOISE]),
        (Operation.DIFFERENCE, [FAST], [LOAD]),
        (Operation.INTEGRAL, [WARM], []),
        (Operation.MEAN, [FAST], []),
        (Operation.PER_TB, [WARM], []),
        (Operation.MEAN, [], []),
    ],
)
def test_units_that_mean_nothing_together_are_refused(
    operation: Operation, parts: list[Channel], over: list[Channel]
) -> None:
    with pytest.raises(BadInput):
        curve(operation, parts, over)


def test_a_value_per_terabyte_has_the_statistics_of_its_channel(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info(monotonic_ns=START))
    seconds = beat(60, 10, 0.05)
    values = 500.0 + 5 * seconds
    middles = START + np.round(seconds * SECOND).astype(np.int64)
    # The later ones took longer to read: that says nothing of how long they count.
    took = np.round(seconds * SECOND / 1000).astype(np.int64) // 2 + 1000
    writer.append_trace((FAST,), middles - took, middles + took, values.reshape(-1, 1))
    writer.finish()
    window = START, START + 60 * SECOND
    plain = Curve("P", (FAST,), channel_scale(FAST))
    with Session.open(writer.path) as session:
        own = curve_statistics(session, plain, window)
        per_tb = curve_statistics(
            session, curve(Operation.PER_TB, [FAST], divisor=960.0), window
        )
    assert own is not None
    assert per_tb is not None
    assert own.mean == pytest.approx(650.0, rel=1e-3)
    assert per_tb.mean * 960 == pytest.approx(own.mean)
    assert own.sigma is not None
    assert per_tb.sigma is not None
    assert per_tb.sigma * 960 == pytest.approx(own.sigma)
    assert own.slope is not None
    assert per_tb.slope is not None
    assert per_tb.slope * 960 == pytest.approx(own.slope)
