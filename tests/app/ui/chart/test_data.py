"""From the store to arrays that can be drawn."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.record.store import Session, Writer
from app.report.chart.line import Line
from app.report.chart.lines import load_line
from app.report.chart.panel import Curve
from app.report.chart.panels import rows_of
from app.report.chart.scale import scale_of
from app.ui.chart.data import Request, joint_rows, read
from app.ui.chart.layers import Layer, gap_spans, phases_of
from app.ui.session.record import Record, open_record
from instruments.reading import SECOND, Channel, Status
from tests.app.ui.sample import SLOTS, START, begin_sample
from tests.session_info import session_info


@pytest.fixture
def record(recorded: Path) -> Iterator[Record]:
    found = open_record(recorded / "first.bayscope")
    yield found
    found.session.close()


def write(
    path: Path, channel_values: dict[Channel, tuple[list[float], list[float]]]
) -> Session:
    writer = Writer.create(path, session_info(realtime_ns=0))
    for channel, (seconds, values) in channel_values.items():
        times = (np.array(seconds) * SECOND).astype(np.int64)
        writer.append_trace((channel,), times, times, np.array(values).reshape(-1, 1))
    writer.finish()
    return Session.open(path)


def curve(*channels: Channel, fine: Channel | None = None) -> Curve:
    return Curve("x", channels, scale_of(channels[0].unit), fine=fine)


def test_bytes_become_megabytes_of_ten_to_the_six(record: Record) -> None:
    panel = record.layer.rows[0].panels[0]
    line = load_line(record.session, panel.curves[1], None, 800, START)
    during = (line.x > 13) & (line.x < 23)
    assert np.nanmean(line.mean[during]) == pytest.approx(2100, rel=0.02)
    assert line.exact


def test_the_line_breaks_at_a_gap(record: Record) -> None:
    power = record.layer.rows[1].panels[0].curves[0]
    line = load_line(record.session, power, None, 4000, START)
    assert np.isnan(line.mean).any()
    assert line.at(24 + 5.5) is None
    found = line.at(24 + 2)
    assert found is not None
    assert found[0] == pytest.approx(412 + 185 * 0.8, rel=0.03)


def test_few_points_keep_the_extremes(record: Record) -> None:
    power = record.layer.rows[1].panels[0].curves[0]
    every = load_line(record.session, power, None, 100_000, START)
    few = load_line(record.session, power, None, 40, START)
    assert not few.exact
    assert len(few.x) < 130
    assert np.nanmax(few.high) == np.nanmax(every.high)
    assert np.nanmin(few.low) == np.nanmin(every.low)
    x, y = few.polyline()
    assert len(x) == len(y) == 2 * len(few.x)


def test_the_band_of_sixty_drives_is_their_extremes(record: Record) -> None:
    drives = record.layer.rows[2].panels[0].curves[0]
    band = load_line(record.session, drives, None, 800, START)
    singles = [record.session.trace(slot, None, None).mean for slot in SLOTS]
    assert np.array_equal(band.high, np.max(singles, axis=0))
    assert np.array_equal(band.low, np.min(singles, axis=0))
    assert np.allclose(band.mean, np.mean(singles, axis=0))


def test_channels_with_other_times_are_binned(tmp_path: Path) -> None:
    one = Channel("a", "temperature", "degC", "slot00")
    two = Channel("b", "temperature", "degC", "slot01")
    session = write(
        tmp_path / "t.bayscope",
        {one: ([0, 1, 2, 3], [10, 11, 12, 13]), two: ([0.5, 1.5, 2.5], [20, 21, 22])},
    )
    with session:
        band = load_line(session, curve(one, two), None, 100, 0)
    assert np.nanmin(band.low) == 10
    assert np.nanmax(band.high) == 22
    assert band.mean[0] == 15


def test_a_pause_of_many_periods_is_not_bridged(tmp_path: Path) -> None:
    channel = Channel("fio", "read_bw", "B/s", period_ns=SECOND)
    seconds = [0.0, 1.0, 2.0, 30.0, 31.0, 32.0]
    session = write(tmp_path / "t.bayscope", {channel: (seconds, [1e6] * 6)})
    with session:
        line = load_line(session, curve(channel), None, 500, 0)
    assert line.at(16) is None
    assert np.isnan(line.mean).sum() >= 1


def test_the_finer_log_is_preferred_where_it_has_samples(tmp_path: Path) -> None:
    coarse = Channel("fio", "read_bw", "B/s", period_ns=SECOND)
    fine = Channel("fio_log", "read_bw", "B/s", period_ns=SECOND // 10)
    logged = [3 + number / 10 for number in range(31)]
    session = write(
        tmp_path / "t.bayscope",
        {
            coarse: ([float(n) for n in range(10)], [1e6] * 10),
            fine: (logged, [2e6] * 31),
        },
    )
    with session:
        line = load_line(session, curve(coarse, fine=fine), None, 500, 0)
    inside = (line.x >= 3) & (line.x <= 6)
    assert set(line.mean[inside]) == {2.0}
    assert set(line.mean[~inside]) == {1.0}
    assert np.all(np.diff(line.x) >= 0)


def test_a_line_knows_its_nearest_value() -> None:
    x = np.array([0.0, 1.0, 2.0, 60.0])
    y = np.array([1.0, np.nan, 3.0, 4.0])
    line = Line(x, y, y, y)
    assert line.at(0.2) == (1.0, 1.0, 1.0)
    assert line.at(1.1) is None
    assert line.at(62) is None
    nothing = np.empty(0)
    assert Line(nothing, nothing, nothing, nothing).at(0) is None


def test_a_window_and_a_limit_cut_what_is_read(record: Record) -> None:
    shown = (("Power", "Active power"),)
    limit = START + 20 * SECOND
    answer = read(Request((record.layer,), shown, (10.0, 40.0), limit, 2000))
    (line,) = answer.lines[shown[0]]
    assert line is not None
    assert line.x.min() >= 10 - 1.1
    assert line.x.max() > 39
    assert line.until(20.0).x.max() <= 20.0
    assert line.until(9.0).polyline()[0].size == 0
    assert [phase.label for phase in answer.phases] == ["Idle", "Sequential write 4M"]
    assert answer.phases[1].end == 20


def test_phases_carry_their_measured_window(record: Record) -> None:
    phases = phases_of(record.layer)
    assert len(phases) == 7
    assert phases[1].state == "PASS"
    assert phases[1].window == pytest.approx((12 + 1.44, 24), abs=0.01)


def test_gaps_of_one_source_are_one_span(record: Record) -> None:
    names = ["mains.P", "mains.S", "mains.U"]
    (span,) = gap_spans(record.layer, names)
    assert span.start == pytest.approx(28, abs=0.2)
    assert "mains (3 channels)" in span.text
    assert "timeout" in span.text
    assert gap_spans(record.layer, names, START + 20 * SECOND) == []


def test_a_sensor_that_was_never_there_has_no_gap(tmp_path: Path) -> None:
    path, writer = begin_sample(tmp_path / "bay.bayscope", step_s=6)
    writer.gap((SLOTS[9],), START + 20 * SECOND, START + 30 * SECOND, Status.ABSENT, "")
    empty = replace(SLOTS[9], source="other")
    writer.gap((empty,), START, START + 30 * SECOND, Status.UNSUPPORTED, "")
    writer.finish()
    with closing(open_record(path)) as found:
        assert gap_spans(found.layer, [empty.name]) == []
        assert len(gap_spans(found.layer, [SLOTS[9].name])) == 1  # it was pulled


def test_a_sensor_that_never_tells_hides_no_gap_of_the_others(tmp_path: Path) -> None:
    path, writer = begin_sample(tmp_path / "bay.bayscope", step_s=6)
    broken = replace(SLOTS[9], source="other")
    writer.gap((broken,), START, START + 40 * SECOND, Status.ERROR, "")
    writer.gap((SLOTS[9],), START + 20 * SECOND, START + 25 * SECOND, Status.ERROR, "")
    writer.finish()
    with closing(open_record(path)) as found:
        (span,) = gap_spans(found.layer, [SLOTS[9].name, broken.name])
        assert span.end - span.start == pytest.approx(5)
        (whole,) = gap_spans(found.layer, [broken.name])
        assert whole.end - whole.start == pytest.approx(40)


def test_what_only_one_of_two_has_is_shown_too(record: Record) -> None:
    layer = record.layer
    without = tuple(rows_of([SLOTS[0]]))
    other = Layer(layer.session, without, 0, 0, 1, "B")
    for layers in ([layer, other], [other, layer]):
        rows = {row.name: row for row in joint_rows(layers)}
        assert set(rows) == {"Performance", "Power", "Temperature", "Noise"}
        first, *others = rows["Temperature"].panels
        assert [curve.label for curve in first.curves] == ["Drives", "Inlet", "Exhaust"]
        assert first.curves[0].is_band
        assert [panel.title for panel in others] == ["Single drives", "Fans"]
    assert joint_rows([]) == []


def test_feeds_add_up_only_where_all_of_them_were_read(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "feeds.bayscope", session_info())
    feeds = [Channel(n, "P", "W", period_ns=SECOND // 2) for n in ("psu1", "psu2")]
    times = np.arange(40, dtype=np.int64) * (SECOND // 2)
    for number, channel in enumerate(feeds):
        kept = times[: 30 - 10 * number] + number * SECOND // 7
        values = np.full((len(kept), 1), 200.0 + number)
        writer.append_trace((channel,), kept, kept, values)
    writer.finish()
    with Session.open(writer.path) as session:
        curve = rows_of(session.channels())[0].panels[0].curves[0]
        assert (curve.label, curve.key) == ("Power, sum of 2", "Power")
        line = load_line(session, curve, None, 1000, 0)
        known = np.isfinite(line.mean)
        assert set(line.mean[known]) == {401.0}
        assert line.x[known].max() <= 10.5
        assert np.diff(line.x[known]).max() < 1.5  # no hole where both were read
