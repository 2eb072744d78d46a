"""The charts of a report: which there are, and that curves are really drawn."""

import io
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from app.record.store import Session, Writer
from app.report.chart.plot import Plot, clock, plots_of, range_of, ticks, time_ticks
from app.report.chart.svg import WIDTH, chart_svg, stacked_height, stacked_svg
from app.report.pages.pdf import pictures_of
from instruments.reading import SECOND, Channel, Identity, Status
from tests.session_info import session_info

START = 50 * SECOND


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session of a minute: power, two slots and a load with a pause."""
    place = tmp_path / "x.bayscope"
    info = session_info(name="Charts <&>", monotonic_ns=START, realtime_ns=START)
    writer = Writer.create(place, info)
    identity = Identity("m", "m", "s", "f", "a", simulated=True)
    writer.add_source("mains", "power", "hmc8015", identity, "")
    times = START + np.arange(60) * SECOND
    slots = [
        Channel("ses", "temperature", "degC", f"slot{n:02}", SECOND) for n in range(3)
    ]
    loads = [Channel("fio", f"{way}_bw", "B/s") for way in ("read", "write")]
    for number, channel in enumerate([Channel("mains", "P", "W"), *slots, *loads]):
        values = 500.0 + 10 * number + np.sin(np.arange(60) / 4)
        writer.append_trace((channel,), times, times, values.reshape(-1, 1))
    step = writer.add_step(1, "A step", "idle", "")
    writer.update_step(step, start_ns=START, end_ns=START + 30 * SECOND)
    window = (START + 10 * SECOND, START + 20 * SECOND)
    writer.update_step(step, window_start_ns=window[0], window_end_ns=window[1])
    writer.finish()
    return place


def plots(path: Path, points: int = 500) -> list[Plot]:
    with Session.open(path) as session:
        return plots_of(session, points)


def test_charts_are_those_that_have_channels(path: Path) -> None:
    found = plots(path)
    assert [plot.heading for plot in found] == [
        "Throughput (MB/s)",
        "Active power (W)",
        "Temperature (°C)",
    ]
    assert [curve.label for curve in found[0].curves] == ["Read", "Write"]
    (drives,) = found[2].curves
    assert drives.is_band
    with Session.open(path) as session:
        only = plots_of(session, 500, ["Active power"])
        assert len(plots_of(session, 500, ["all"])) >= len(found)
    assert [plot.title for plot in only] == ["Active power"]


def test_the_measured_windows_are_shaded_and_no_more(path: Path) -> None:
    for plot in plots(path):
        assert plot.windows == ((10.0, 20.0),)
        assert plot.steps == (("A step", 0.0, 30.0),)


def test_a_range_has_all_that_is_drawn(path: Path) -> None:
    power = plots(path)[1]
    low, high = range_of(power)
    assert low < power.curves[0].line.mean.min()
    assert high > power.curves[0].line.mean.max()
    rate = plots(path)[0]
    assert rate.from_zero
    assert range_of(rate)[0] == 0.0


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [(0, 1000, [0, 500, 1000]), (0.2, 0.31, [0.2, 0.25, 0.3]), (-1e-9, 1e-9, [0])],
)
def test_ticks_are_round_numbers(low: float, high: float, found: list[float]) -> None:
    assert set(np.round(found, 12)) <= set(np.round(ticks(low, high, 4), 12))
    assert len(ticks(low, high, 4)) < 9


def test_a_tick_at_zero_has_no_sign() -> None:
    assert "-0" not in [f"{tick:g}" for tick in ticks(-1800.0, 50000.0, 6)]


@pytest.mark.parametrize(
    ("seconds", "first"), [(120, "0:00"), (7200, "0:00"), (400 * 86400, "0:00")]
)
def test_times_are_of_a_clock(seconds: float, first: str) -> None:
    found = time_ticks((0.0, seconds), 9)
    assert 4 <= len(found) <= 10
    assert clock(found[0]) == first
    assert clock(3661) == "1:01:01"


@pytest.mark.parametrize("name", ["$\\frac{1}{$", "_x", "a\0b", "<b>&\"'", "\u202e"])
def test_a_name_is_text_whatever_stands_in_it(tmp_path: Path, name: str) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info(name=name))
    times = START + np.arange(20) * SECOND
    channel = Channel(name, "P", "W")
    writer.append_trace((channel,), times, times, np.ones((20, 1)))
    other = Channel("b", "P", "W")
    writer.append_trace((other,), times, times, np.ones((20, 1)))
    step = writer.add_step(1, name, "idle", "")
    writer.update_step(step, start_ns=START, end_ns=START + SECOND)
    writer.finish()
    text = stacked_svg(plots(writer.path), name)
    root = ET.fromstring(text)
    kinds = {element.tag.partition("}")[2] for element in root.iter()}
    assert kinds <= {"svg", "g", "text", "title", "rect", "path", "clipPath"}


def test_a_gap_breaks_the_line_and_a_lone_point_is_a_dot(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    channel = Channel("mains", "P", "W", period_ns=SECOND)
    seconds = np.r_[np.arange(10), 30, np.arange(50, 60)]
    times = START + seconds * SECOND
    writer.append_trace((channel,), times, times, np.ones((len(times), 1)))
    writer.finish()
    (plot,) = plots(writer.path)
    curves = chart_svg(plot).partition('class="curves"')[2]
    assert curves.count("M") == 3
    assert curves.count("h0.01") == 1


def test_curves_are_drawn_in_the_trace_colours(path: Path) -> None:
    found = plots(path)
    drawing = stacked_svg(found, "Mine")
    assert "simulated" in drawing
    assert ">A step<" in drawing
    height = stacked_height(found)
    (picture,) = pictures_of([(drawing, WIDTH, height)])
    with Image.open(io.BytesIO(picture)) as image:
        assert image.width == 2 * WIDTH
        pixels = np.asarray(image.convert("RGB")).astype(int)
    for colour in ((0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)):
        near = np.abs(pixels - np.array(colour)).max(axis=2) < 30
        assert near.sum() > 300


def test_of_many_curves_each_has_fewer_points(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    times = START + np.arange(4000) * SECOND
    values = np.random.default_rng(1).normal(30, 1, (4000, 40))
    fans = [Channel("ses", "fan", "1/min", f"fan{n}", SECOND) for n in range(40)]
    writer.append_trace(tuple(fans), times, times, values)
    writer.finish()
    (plot,) = plots(writer.path, 2400)
    assert len(plot.curves) == 40
    assert sum(len(curve.line.x) for curve in plot.curves) < 40 * 1300
    assert not any(curve.is_band for curve in plot.curves)


def test_gaps_that_overlap_are_shaded_once(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info(monotonic_ns=START))
    channel = Channel("mains", "P", "W", period_ns=SECOND)
    times = START + np.arange(60) * SECOND
    writer.append_trace((channel,), times, times, np.ones((60, 1)))
    for start, end, why in ((20, 26, Status.MISSED), (21, 25, Status.TIMEOUT)):
        ends = START + start * SECOND, START + end * SECOND
        writer.gap((channel,), *ends, why, "gone")
    writer.finish()
    [plot] = plots(writer.path)
    assert plot.gaps == ((20.0, 26.0),)


def test_a_load_that_rests_is_no_gap(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info(monotonic_ns=START))
    writer.add_source("fio", "load", "fio", Identity(*"mmsfa"), "")
    channel = Channel("fio", "read_iops", "1/s", period_ns=SECOND)
    times = START + np.r_[np.arange(20), np.arange(40, 60)] * SECOND
    writer.append_trace((channel,), times, times, np.ones((40, 1)))
    for start, end, why in ((20, 40, Status.STANDBY), (50, 52, Status.TIMEOUT)):
        ends = START + start * SECOND, START + end * SECOND
        writer.gap((channel,), *ends, why, "")
    writer.finish()
    [plot] = plots(writer.path)
    assert plot.gaps == ((50.0, 52.0),)
