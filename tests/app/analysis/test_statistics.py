"""Statistics of any window, beside an independent computation of the same samples."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.analysis import statistics
from app.analysis.statistics import pooled
from app.record.store import Session, Writer
from app.report.chart.maths import Maths, Operation
from app.report.chart.panel import Curve
from app.report.chart.scale import scale_of
from app.report.chart.statistics import CurveStatistics, curve_statistics
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

START = 1_000 * SECOND
POWER = Channel("mains", "P", "W", period_ns=SECOND // 10)
OTHER = Channel("mains2", "P", "W", period_ns=SECOND // 10)
NOISE = Channel("mic", "LAeq", "dB", period_ns=SECOND)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "one.bayscope"
    writer = Writer.create(path, session_info(monotonic_ns=START, realtime_ns=10**18))
    who = Identity("R&S", "HMC8015", "1", "1.0", "lab", simulated=True)
    for name, section in (("mains", "power"), ("mains2", "power"), ("mic", "noise")):
        writer.add_source(name, section, "simulated", who, "")
    random = np.random.default_rng(3)
    every = START + np.arange(6000, dtype=np.int64) * (SECOND // 10)
    kept = (every < START + 100 * SECOND) | (every >= START + 300 * SECOND)
    times = every[kept]
    seconds = (times - START) / SECOND
    power = 400 + 0.25 * seconds + random.normal(0, 2, times.size)
    writer.append_trace((POWER,), times, times, power[:, None])
    writer.append_trace((OTHER,), times, times, np.full((times.size, 1), 100.0))
    beats = START + np.arange(600, dtype=np.int64) * SECOND
    writer.append_trace((NOISE,), beats, beats, np.tile([[50.0], [60.0]], (300, 1)))
    writer.set_session(ended_ns=START + 600 * SECOND)
    writer.finish()
    with Session.open(path) as found:
        yield found


def of(session: Session, *parts: Channel, is_sum: bool = False) -> CurveStatistics:
    curve = Curve(
        "Power",
        parts,
        scale_of(parts[0].unit),
        maths=Maths(Operation.SUM, parts[0].unit) if is_sum else None,
    )
    window = (START, START + 600 * SECOND)
    return CurveStatistics(curve, "Power", curve_statistics(session, curve, window))


def test_figures_are_those_of_numpy_and_leave_a_gap_out(session: Session) -> None:
    found = of(session, POWER).found
    assert found is not None
    trace = session.trace(POWER, None, None)
    values = trace.mean[np.isfinite(trace.mean)]
    times = trace.times[np.isfinite(trace.mean)] / SECOND
    assert found.mean == pytest.approx(values.mean(), rel=1e-4)
    assert (found.low, found.high) == (values.min(), values.max())
    assert found.sigma == pytest.approx(values.std(ddof=1), rel=1e-3)
    assert found.slope == pytest.approx(np.polyfit(times, values, 1)[0], rel=1e-3)
    # 400 s of 600 were measured: nothing is said of the energy of the gap.
    assert found.total == pytest.approx(values.mean() * 400, rel=1e-3)
    assert (found.n_valid, found.n_expected) == (4000, 6000)
    assert found.slope == pytest.approx(0.25, abs=0.01)


def test_a_long_window_is_read_in_pieces(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = of(session, POWER).found
    monkeypatch.setattr(statistics, "_CHUNK", 512)
    pieces = of(session, POWER).found
    assert whole is not None
    assert pieces is not None
    assert (pieces.n_valid, pieces.low, pieces.high) == (4000, whole.low, whole.high)
    for name in ("mean", "sigma", "slope", "total"):
        assert getattr(pieces, name) == pytest.approx(getattr(whole, name), rel=1e-6)


def test_feeds_add_up_and_levels_are_averaged_by_energy(session: Session) -> None:
    both, alone = of(session, POWER, OTHER, is_sum=True).found, of(session, POWER).found
    assert both is not None
    assert alone is not None
    assert both.mean == pytest.approx(alone.mean + 100)
    noise = of(session, NOISE).found
    assert noise is not None
    assert noise.mean == pytest.approx(10 * np.log10((1e5 + 1e6) / 2))


def test_sensors_are_pooled(session: Session) -> None:
    found = of(session, POWER, OTHER).found
    alone = of(session, POWER).found
    assert found is not None
    assert alone is not None
    assert found.n_valid == 8000
    assert found.mean == pytest.approx((alone.mean + 100) / 2)
    assert found.low == 100
    assert pooled([]) is None


def test_energy_is_shown_in_watt_hours(session: Session) -> None:
    one = of(session, POWER)
    assert one.found is not None
    assert one.as_json()["total"] == pytest.approx(one.found.total / 3600)
    assert one.cells[7].endswith(" Wh")


def test_a_window_without_samples_has_no_figures(session: Session) -> None:
    curve = Curve("Power", (POWER,), scale_of("W"))
    window = (START + 150 * SECOND, START + 200 * SECOND)
    assert curve_statistics(session, curve, window) is None
    assert CurveStatistics(curve, "Power", None).cells[-1] == "no samples"


def test_a_load_counts_by_its_documents_and_finer_logs(tmp_path: Path) -> None:
    """A finer log joins in the middle, and 10 s of the load are told by nothing."""
    coarse = Channel("fio", "read_bw", "B/s", period_ns=SECOND // 2)
    fine = Channel("fio_log", "read_bw", "B/s", period_ns=SECOND // 10)
    path = tmp_path / "load.bayscope"
    writer = Writer.create(path, session_info(monotonic_ns=START, realtime_ns=10**18))
    for source in ("fio", "fio_log"):
        writer.add_source(source, "load", "fio", None, "")
    for channel, first, last in ((coarse, 0, 20), (coarse, 30, 40), (fine, 10, 20)):
        period = channel.period_ns
        starts = START + np.arange(first * SECOND, last * SECOND, period)
        values = np.full((starts.size, 1), 1e8)
        writer.append_trace((channel,), starts, starts + period, values)
    writer.set_session(ended_ns=START + 40 * SECOND)
    writer.finish()
    curve = Curve("Read", (coarse,), scale_of("B/s"), fine=fine)
    with Session.open(path) as session:
        found = curve_statistics(session, curve, (START, START + 40 * SECOND))
    assert found is not None
    assert found.mean == pytest.approx(1e8)
    # 20 documents, 100 windows of the log, 20 documents; 10 s are 100 windows more.
    assert found.total == pytest.approx(1e8 * 30)
    assert (found.n_valid, found.n_expected) == (140, 240)
