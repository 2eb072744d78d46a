"""One curve: what it draws, what its legend says."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.report.chart.line import Line
from app.report.chart.maths import Maths, Operation
from app.report.chart.panel import Curve
from app.report.chart.scale import scale_of
from app.ui.chart.plot_curve import NO_LOAD, NO_VALUE, PlotCurve, value_range
from instruments.reading import Channel

POWER = Channel("mains", "P", "W")
READS = Channel("fio", "read_iops", "1/s")


def drawn(channel: Channel, values: list[float], layer: str = "") -> PlotCurve:
    curve = Curve("Power", (channel,), scale_of(channel.unit))
    found = PlotCurve(curve, QColor("#0072b2"), 0, layer)
    value = np.array(values)
    found.set_line(Line(np.arange(len(values), dtype=float), value, value, value))
    return found


@pytest.mark.parametrize(("channel", "said"), [(POWER, NO_VALUE), (READS, NO_LOAD)])
def test_what_is_missing_is_said(qtbot: QtBot, channel: Channel, said: str) -> None:
    one = drawn(channel, [590.0, np.nan, 610.0])
    one.show_value(1.0)
    assert one.entry.value == said
    one.show_value(1.0, {channel.name: np.nan})
    assert one.entry.value == said
    assert one.show_value(2.0).startswith("Power 610")
    one.show_value(2.0, {})
    assert one.entry.value == ""


def test_at_rest_a_curve_without_a_readout_says_its_last_value(qtbot: QtBot) -> None:
    """Slow ones were read a while ago; one that has ended says nothing."""
    one = drawn(POWER, [590.0, 610.0])
    others = {"noise.LAeq": 50.0}
    one.show_value(9.0, others)
    assert one.entry.value == "610.0"
    ended = drawn(POWER, [590.0, np.nan])
    ended.show_value(9.0, others)
    assert ended.entry.value == NO_VALUE


def test_a_sum_at_rest_needs_all_its_parts(qtbot: QtBot) -> None:
    feeds = (POWER, replace(POWER, source="psu2"))
    curve = Curve("Sum", feeds, scale_of("W"), maths=Maths(Operation.SUM, "W"))
    one = PlotCurve(curve, QColor("#0072b2"), 0, "")
    one.show_value(1.0, {"mains.P": 400.0, "psu2.P": 210.0})
    assert one.entry.value == "610.0"
    one.show_value(1.0, {"mains.P": 400.0, "psu2.P": np.nan})
    assert one.entry.value == NO_VALUE


def test_what_is_not_listed_is_not_drawn(qtbot: QtBot) -> None:
    one = drawn(POWER, [590.0, 600.0, 610.0], layer="A")
    assert one.extremes(0, 2) == (590.0, 610.0)
    one.set_listed(False)
    assert not one.is_listed
    assert one.extremes(0, 2) is None


def test_a_load_that_does_nothing_has_no_values(qtbot: QtBot) -> None:
    idle, busy = drawn(READS, [0.0, 0.0, 9.0]), drawn(READS, [0.0, 5.0, 0.0])
    for one in (idle, busy):
        one.look_between(0.5, 1.5)
    assert not idle.has_values
    assert busy.has_values


def test_a_value_axis_does_not_blow_up_noise() -> None:
    low, high = value_range([(600.0, 600.2)], "W")
    assert high - low >= 4
    assert low < 600 < high
    assert value_range([None], "W") == (0.0, 4.0)
    low, _ = value_range([(300.0, 900.0)], "IOPS", from_zero=True)
    assert low == 0


def test_a_mean_of_more_than_its_name_says_is_told_with_the_value(qtbot: QtBot) -> None:
    one = drawn(POWER, [590.0, 610.0])
    assert one.line is not None
    one.set_line(replace(one.line, mean_s=32.0))
    assert one.show_value(1.0).endswith("W (here of 32 s)")
    assert one.entry.value == "610.0 (here of 32 s)"
