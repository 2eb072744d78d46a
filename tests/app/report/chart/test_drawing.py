"""The charts of a report: which there are, and that curves are really drawn."""

import io
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from app.record.store import Session, Writer
from app.report.chart.drawing import _draw_steps, draw_session, panels
from instruments.reading import SECOND, Channel, Identity
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


def test_panels_are_those_that_have_channels(path: Path) -> None:
    with Session.open(path) as session:
        found = panels(session)
    assert [(panel.title, panel.unit) for panel in found] == [
        ("Throughput", "MB/s"),
        ("Active power", "W"),
        ("Temperature", "°C"),
    ]
    assert [curve.label for curve in found[0].curves] == ["Read", "Write"]
    (drives,) = found[2].curves
    assert drives.is_band
    assert [c.location for c in drives.parts] == ["slot00", "slot01", "slot02"]


def test_the_measured_windows_are_shaded_and_no_more(path: Path) -> None:
    axes = Figure().subplots()
    with Session.open(path) as session:
        _draw_steps(axes, session.steps(), START, label=True)
    (shades,) = axes.collections
    (shade,) = shades.get_paths()
    extent = shade.get_extents()
    assert (extent.x0, extent.x1) == pytest.approx((10, 20))


@pytest.mark.parametrize("name", ["$\\frac{1}{$", "_x", "a\0b", "<b>&", "\u202e"])
def test_a_name_is_text_and_never_a_formula(tmp_path: Path, name: str) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info(name=name))
    times = START + np.arange(20) * SECOND
    channel = Channel(name, "P", "W")
    writer.append_trace((channel,), times, times, np.ones((20, 1)))
    step = writer.add_step(1, name, "idle", "")
    writer.update_step(step, start_ns=START, end_ns=START + SECOND)
    writer.finish()
    with Session.open(writer.path) as session:
        assert draw_session(session, "svg")


def test_curves_are_drawn_in_the_trace_colours(path: Path) -> None:
    with Session.open(path) as session:
        picture = draw_session(session, "png")
    with Image.open(io.BytesIO(picture)) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    for colour in ((0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)):
        near = np.abs(pixels - np.array(colour)).max(axis=2) < 30
        assert near.sum() > 300


def test_a_picture_says_that_it_is_simulated(path: Path) -> None:
    with Session.open(path) as session:
        text = draw_session(session, "svg", title="Mine").decode()
    assert "<!-- Mine (simulated) -->" in text
    assert "<!-- A step -->" in text
