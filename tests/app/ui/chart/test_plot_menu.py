"""What a plot can be told: curves hidden, its axis, thresholds, the plot alone."""
# mypy: disallow-untyped-calls=False

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from app.plan.interlocks import Interlock
from app.ui.chart.chart import Chart
from app.ui.chart.plot_head import parse_range
from app.ui.chart.plot_row import PlotRow
from app.ui.session.view import SessionsView
from app.ui.window.main_window import MainWindow


@pytest.fixture
def chart(window: MainWindow, qtbot: QtBot) -> Chart:
    window.navigation.choose("Sessions")
    view: SessionsView = window.pages.sessions
    with qtbot.waitSignal(view.session_opened):
        view.open(view.folder / "first.bayscope")
    found = view.page.pane.chart
    qtbot.waitUntil(lambda: any(any(row.extremes()) for row in found.rows))
    return found


def choose(row: PlotRow, text: str) -> None:
    row._menu.aboutToShow.emit()
    action = next(
        one for one in row._menu.actions() if one.text().replace("&", "") == text
    )
    action.trigger()


def shown(row: PlotRow) -> tuple[float, float]:
    low, high = row._plot.getViewBox().viewRange()[1]
    return float(low), float(high)


def test_a_click_in_the_legend_hides_a_curve_and_shows_it_again(
    chart: Chart, qtbot: QtBot
) -> None:
    row = next(one for one in chart.rows if len([*filter(None, one.extremes())]) > 1)
    curve = next(one for one in row.drawn if one.strokes())
    qtbot.mouseClick(curve.entry, Qt.MouseButton.LeftButton)
    assert (curve.is_hidden, curve.strokes()) == (True, [])
    row._rebuild()  # another theme does
    again = next(one for one in row.drawn if one.entry.label == curve.entry.label)
    assert again.is_hidden
    choose(row, again.entry.label)
    assert not again.is_hidden


def test_the_axis_is_logarithmic_fixed_or_fitted(
    chart: Chart, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = next(one for one in chart.rows if one.panel.title == "Active power")
    before = shown(row)
    choose(row, "Logarithmic axis")
    low, high = shown(row)
    assert math.log10(before[1]) == pytest.approx(high, abs=0.4)
    assert low < high
    ticks = row._plot.getAxis("left").tickStrings([2.0, 2 + math.log10(5)], 1, 1)
    assert ticks == ["100", "500"]
    texts = iter(["0 to 500", "10 to 1000"])
    asked: list[str] = []

    def answer(_parent: object, _title: str, label: str, text: str) -> tuple[str, bool]:
        asked.append(label)
        return next(texts), True

    monkeypatch.setattr(QInputDialog, "getText", answer)
    choose(row, "Range of values...")
    assert shown(row) == pytest.approx((1.0, 3.0))
    assert '"0 to 500" is not a range above 0.' in asked[1]
    choose(row, "Fit to the values")
    choose(row, "Logarithmic axis")
    assert shown(row) == pytest.approx(before)


def test_one_chart_is_shown_alone_with_its_times(chart: Chart) -> None:
    first, *others = chart.rows
    choose(first, "This chart alone")
    assert [row.isVisible() for row in chart.rows] == [True, *[False] * len(others)]
    assert first._plot.getAxis("bottom").style["showValues"]
    choose(first, "This chart alone")
    assert all(row.isVisible() for row in chart.rows)
    assert not first._plot.getAxis("bottom").style["showValues"]


def test_thresholds_of_interlocks_are_lines(chart: Chart) -> None:
    row = next(one for one in chart.rows if one.panel.title == "Active power")
    row.set_interlocks(
        (
            Interlock("Too much", ("*.P",), above=500.0),
            Interlock("Too hot", ("*.temperature.*",), above=60.0),
        )
    )
    [line] = row.marks.thresholds._lines
    assert line.value == 500.0
    choose(row, "Logarithmic axis")
    [line] = row.marks.thresholds._lines
    assert line.value == pytest.approx(math.log10(500))


@pytest.mark.parametrize(
    ("text", "log", "expected"),
    [
        ("0 to 500", False, (0.0, 500.0)),
        ("-5 5", False, (-5.0, 5.0)),
        ("1e2 1e3", True, (100.0, 1000.0)),
        ("0 5", True, None),
        ("5 to 1", False, None),
        ("nan to 5", False, None),
        ("0 to inf", False, None),
        ("many", False, None),
        ("", False, None),
    ],
)
def test_a_range_is_two_values_the_lower_one_first(
    text: str, log: bool, expected: tuple[float, float] | None
) -> None:
    assert parse_range(text, log=log) == expected
