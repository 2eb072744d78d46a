"""Means over time beside an independent computation, of logs that nobody tidied."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from app.analysis.results import step_results
from app.analysis.statistics import Statistics
from app.analysis.steady.rounds import POWER as ROUND_POWER
from app.analysis.steady.rounds import Rounds
from app.analysis.trapezoid import trapezoids
from app.record.store import Result, Session, Window, Writer
from app.report.chart.maths import Operation, maths_of
from app.report.chart.panel import Curve
from app.report.chart.scale import scale_of
from app.report.chart.statistics import curve_statistics
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

START = 1_000 * SECOND
NOBODY = Identity("", "", "", "", "")
Log = list[tuple[int, float]]


def random_log(random: np.random.Generator, period_ns: int, *, gaps: int) -> Log:
    """Draw half a minute before to after START + 60 s, off its beat, with gaps."""
    beats = START - 30 * SECOND + np.arange(120 * SECOND // period_ns) * period_ns
    jitter = random.uniform(-0.45, 0.45, beats.size) * period_ns
    times = (beats + jitter).astype(np.int64)
    kept = random.random(times.size) > 0.05
    for _ in range(gaps):
        first = int(random.integers(0, times.size))
        kept[first : first + int(random.integers(2, 12))] = False
    watts = 500 + random.normal(0, 0.5, times.size).cumsum() / 20
    return list(zip(times[kept].tolist(), watts[kept].tolist(), strict=True))


def by_hand(log: Log, window: Window, period_ns: int) -> tuple[Fraction, Fraction]:
    """Integrate in fractions of ns, piece by piece; get the mean and the time known."""
    start, end = window
    area, known = Fraction(0), Fraction(0)
    for (begin, low), (stop, high) in pairwise(log):
        if stop - begin > 2.5 * period_ns:
            continue
        first, last = max(begin, start), min(stop, end)
        if first >= last:
            continue
        rise = (Fraction(high) - Fraction(low)) / (stop - begin)
        edges = [Fraction(low) + rise * (at - begin) for at in (first, last)]
        area += (edges[0] + edges[1]) / 2 * (last - first)
        known += last - first
    times = [-(2**62), *(at for at, _ in log), 2**62]
    for before, (at, watts), after in zip(times, log, times[2:], strict=False):
        is_alone = min(at - before, after - at) > 2.5 * period_ns
        if is_alone and start <= at < end:
            area += Fraction(watts) * period_ns
            known += period_ns
    return area / known, known


def stored(folder: Path, channel: Channel, log: Log) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.bayscope"
    writer = Writer.create(path, session_info(monotonic_ns=START))
    writer.add_source("mains", "power", "test", NOBODY, "")
    times = np.array([at for at, _ in log], dtype=np.int64)
    values = np.array([watts for _, watts in log]).reshape(-1, 1)
    writer.append_trace((channel,), times, times, values)
    writer.finish()
    return path


def results_of(session: Session, window: Window) -> dict[str, Result]:
    return {result.name: result for result in step_results(session, window)}


def statistics(session: Session, channel: Channel, window: Window) -> Statistics:
    curve = Curve("Power", (channel,), scale_of("W"))
    found = curve_statistics(session, curve, window)
    assert found is not None
    return found


@pytest.mark.parametrize("hertz", [1, 2, 5, 10])
@pytest.mark.parametrize("gaps", [0, 4])
def test_every_mean_is_the_trapezoid_over_what_is_known(
    tmp_path: Path, hertz: int, gaps: int
) -> None:
    random = np.random.default_rng(17 * hertz + gaps)
    channel = Channel("mains", "P", "W", period_ns=SECOND // hertz)
    for _ in range(6):
        log = random_log(random, channel.period_ns, gaps=gaps)
        start = START + int(random.integers(0, SECOND))
        window = start, start + int(random.integers(10 * SECOND, 60 * SECOND))
        mean, known = by_hand(log, window, channel.period_ns)
        with Session.open(stored(tmp_path, channel, log)) as session:
            power = results_of(session, window)["power_w"]
            shown = statistics(session, channel, window)
            rounds = Rounds(session).means(window)
            divided, scale = maths_of(Operation.PER_TB, (channel,), divisor=8)
            curve = Curve("Each", (channel,), scale, maths=divided)
            each = curve_statistics(session, curve, window)
        assert power.value == pytest.approx(float(mean), rel=1e-12)
        assert rounds[ROUND_POWER] == power.value
        assert shown.mean == pytest.approx(power.value, rel=1e-12)
        assert shown.total == pytest.approx(float(mean * known / SECOND), rel=1e-12)
        assert each is not None
        assert each.mean == pytest.approx(float(mean) / 8, rel=1e-12)


def test_a_rise_at_one_hertz_has_the_mean_of_its_window(tmp_path: Path) -> None:
    """Two watts a second from 500 W at the begin of a window of 25 s: 525 W."""
    channel = Channel("mains", "P", "W")
    for late in (0, 300_000_000):
        at = [START + number * SECOND + late for number in range(-2, 30)]
        log = [(one, 500 + 2 * (one - START) / SECOND) for one in at]
        window = START, START + 25 * SECOND
        with Session.open(stored(tmp_path, channel, log)) as session:
            found = results_of(session, window)
        assert found["power_w"].value == pytest.approx(525, rel=1e-12)
        assert found["energy_wh"].value == pytest.approx(525 * 25 / 3600, rel=1e-12)


def test_statistics_do_not_depend_on_the_pieces_that_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = Channel("mains", "P", "W", period_ns=SECOND // 5)
    log = random_log(np.random.default_rng(5), channel.period_ns, gaps=3)
    window = START + 123_456_789, START + 55 * SECOND
    with Session.open(stored(tmp_path, channel, log)) as session:
        whole = statistics(session, channel, window)
        monkeypatch.setattr("app.analysis.statistics._CHUNK", 16)
        pieces = statistics(session, channel, window)
    for name in ("mean", "sigma", "slope", "total", "low", "high", "n_valid"):
        assert getattr(pieces, name) == pytest.approx(getattr(whole, name), rel=1e-9)


def test_one_reading_and_none(tmp_path: Path) -> None:
    channel = Channel("mains", "P", "W")
    alone = [(START + SECOND // 2, 321.0)]
    window = START, START + 5 * SECOND
    with Session.open(stored(tmp_path, channel, alone)) as session:
        assert results_of(session, window)["power_w"].value == 321
        none = results_of(session, (START + SECOND, START + 5 * SECOND))["power_w"]
    assert (none.value, none.note) == (None, "no reading of mains.P in the window")
    beside = [(START - SECOND // 2, 300.0), *alone, (START + 3 * SECOND // 2, 400.0)]
    with Session.open(stored(tmp_path, channel, beside)) as session:
        short = results_of(session, (START, START + SECOND))["power_w"]
        between = results_of(session, (START, START + SECOND // 4))["power_w"]
    # From 310.5 W over 321 W to 360.5 W, half a second each.
    assert short.value == pytest.approx((310.5 + 321) / 4 + (321 + 360.5) / 4)
    # What is only known from beside it has no reading of its own.
    assert between.value is None


def test_weights_are_how_long_is_known() -> None:
    times = np.array([0, 10, 20, 60, 100, 110, 150], dtype=np.int64)
    weights = trapezoids(times, (5, 105), 10)
    # From 5 to 20 and from 100 to 105; at 60 one with a gap on both sides.
    assert weights.sum() == pytest.approx(15 + 10 + 5)
    assert weights == pytest.approx([1.25, 8.75, 5, 10, 3.75, 1.25, 0])
    bridged = trapezoids(times, (5, 105), 10, bridged=True)
    assert bridged.sum() == pytest.approx(100)


@pytest.mark.parametrize("seconds", [(-0.1, 0.0, 20.0), (-0.2, -0.1, 0.0)])
def test_a_reading_at_the_begin_of_a_gap_counts_for_its_period(
    seconds: tuple[float, ...],
) -> None:
    """It ends a stretch that is known, which lies before the window."""
    times = np.array([round(at * SECOND) for at in seconds])
    window = (0, 10 * SECOND)
    for bridged in (False, True):
        weights = trapezoids(times, window, SECOND // 10, bridged=bridged)
        assert weights.sum() > 0
    known = trapezoids(times, window, SECOND // 10)
    assert known.tolist() == [SECOND / 10 if not at else 0 for at in seconds]
