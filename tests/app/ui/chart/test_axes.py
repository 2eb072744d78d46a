"""Ticks of the axes."""

import math

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.ui.chart.plot_area import PlotArea, TimeAxis, ValueAxis


@pytest.mark.parametrize(
    ("seconds", "step"),
    [(5, 1), (100, 15), (600, 120), (7200, 900), (1e6, 172800), (4e7, 4838400)],
)
def test_time_ticks_stand_on_round_times(
    qtbot: QtBot, seconds: float, step: float
) -> None:
    axis = TimeAxis(labelled=True)
    assert axis.tickSpacing(0, seconds, 700) == [(step, 0.0)]


def test_time_ticks_are_written_as_clock(qtbot: QtBot) -> None:
    axis = TimeAxis(labelled=True)
    assert axis.tickStrings([0, 60, 3600], 1, 60) == ["0:00", "1:00", "1:00:00"]
    assert axis.tickStrings([1.5], 1, 0.5) == ["0:01.5"]
    assert axis.tickStrings([-604800, 0], 1, 604800) == ["-7 d", "0 d"]


def test_value_ticks_get_si_letters(qtbot: QtBot) -> None:
    axis = ValueAxis()
    assert axis.tickStrings([0, 100_000], 1, 50_000) == ["0", "100 k"]
    assert axis.tickStrings([0, 2_500_000], 1, 500_000) == ["0", "2.5 M"]
    assert axis.tickStrings([22.5, 25.0], 1, 2.5) == ["22.5", "25.0"]
    assert axis.tickStrings([400, 600], 1, 200) == ["400", "600"]
    assert axis.tickStrings([], 1, 1) == []


def test_axes_are_equally_wide(qtbot: QtBot) -> None:
    assert ValueAxis().fixedWidth == ValueAxis().fixedWidth
    assert TimeAxis(labelled=True).height() > TimeAxis(labelled=False).height()


@pytest.mark.parametrize("height", [48, 70, 130, 400])
@pytest.mark.parametrize("span", [(0, 4150), (570, 785), (25.9, 44.0), (0.95, 0.98)])
def test_grid_lines_never_crowd(
    qtbot: QtBot, height: int, span: tuple[float, float]
) -> None:
    [(step, _)] = ValueAxis().tickSpacing(*span, height)
    apart = step / (span[1] - span[0]) * height
    assert (17.9 if height > 70 else 9) <= apart < 46


@pytest.mark.parametrize("height", [41, 48, 70, 400])
def test_every_axis_has_two_numbers_away_from_its_ends(
    qtbot: QtBot, height: int
) -> None:
    axis = ValueAxis()
    for hundredths in range(100, 1000):
        for low in (0.0, 3.7, 26.4):
            high = low + hundredths / 100
            [(step, _)] = axis.tickSpacing(low, high, height)
            room = 7 / height * (high - low)
            first = math.ceil((low + room) / step)
            last = math.floor((high - room) / step)
            assert last > first, (low, high, step)


def test_the_unit_of_time_is_that_of_the_numbers(qtbot: QtBot) -> None:
    plot = PlotArea(last=True)
    qtbot.addWidget(plot)
    unit = plot.findChild(QLabel)
    assert unit.text() == "min:s"
    plot.getViewBox().setXRange(0, 6 * 3600, padding=0)
    assert unit.text() == "h:min:s"
    plot.getViewBox().setXRange(0, 3599, padding=0)
    assert unit.text() == "min:s"
