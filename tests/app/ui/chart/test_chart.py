"""The stacked plots: what is drawn, crosshair, zoom, limits, theme."""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from app.ui.chart.chart import Chart
from app.ui.chart.data import Answer
from app.ui.chart.plot_curve import NO_VALUE
from app.ui.chart.plot_row import PlotRow
from app.ui.kit.context import Context
from app.ui.kit.theme import Choice, Theme
from app.ui.session.record import Record, open_record
from instruments.reading import SECOND
from tests.app.ui.sample import START


@pytest.fixture
def record(recorded: Path) -> Iterator[Record]:
    found = open_record(recorded / "first.bayscope")
    yield found
    found.session.close()


@pytest.fixture
def chart(qtbot: QtBot, context: Context, record: Record) -> Iterator[Chart]:
    found = Chart(context)
    qtbot.addWidget(found)
    found.resize(900, 640)
    found.show()
    qtbot.waitExposed(found)
    found.set_layers([record.layer])
    qtbot.waitUntil(lambda: drawn(found))
    yield found
    found.close_plots()


def drawn(chart: Chart) -> bool:
    rows = chart.rows
    return bool(rows) and all(line is not None for r in rows for _, line in r.curves)


def last_x(row: PlotRow) -> float:
    lines = [line for _, line in row.curves if line is not None]
    return max(float(line.x.max()) for line in lines)


def inside(row: PlotRow) -> QPoint:
    """A point in the middle of the plot, in the coordinates of its viewport."""
    plot = row._plot
    box = plot.getViewBox().sceneBoundingRect()
    return plot.mapFromScene(box.center())  # type: ignore[no-any-return]


def test_four_rows_share_one_time_axis(chart: Chart) -> None:
    names = ["Performance", "Power", "Temperature", "Noise"]
    assert [row.row.name for row in chart.rows] == names
    assert chart.visible_range == pytest.approx((0, 84), abs=0.1)
    lefts = {round(row.plot_left) for row in chart.rows}
    widths = {row.plot_width for row in chart.rows}
    assert len(lefts) == len(widths) == 1


def has_times(row: PlotRow) -> bool:
    return bool(row._plot.getAxis("bottom").style["showValues"])


@pytest.mark.parametrize("height", [150, 300, 400])
def test_low_charts_are_scrolled_with_the_times_in_sight(
    chart: Chart, qtbot: QtBot, height: int
) -> None:
    chart.resize(700, height)
    area = chart.findChild(QScrollArea)
    assert area is not None
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    for value in (0, 60, bar.maximum()):
        bar.setValue(value)
        boxes = [row._plot.getViewBox().height() for row in chart.rows]
        assert min(boxes) >= 50, "a course is seen in it"
        seen = area.viewport().height() + bar.value()
        whole = [row for row in chart.rows if row.geometry().bottom() < seen]
        wanted = {whole[-1] if whole else chart.rows[-1], chart.rows[-1]}
        assert {row for row in chart.rows if has_times(row)} == wanted
    chart.resize(700, 900)
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    assert [has_times(row) for row in chart.rows] == [False] * 3 + [True]


def test_never_more_points_than_pixels_can_show(chart: Chart) -> None:
    for row in chart.rows:
        for _, line in row.curves:
            assert line is not None
            assert len(line.polyline()[0]) <= 5000


def test_pens_are_one_pixel_wide_cosmetic_and_antialiased(chart: Chart) -> None:
    for row in chart.rows:
        for one in row.drawn:
            assert one.pen.width() == 1
            assert one.pen.isCosmetic()


def test_the_crosshair_reads_every_curve(chart: Chart, qtbot: QtBot) -> None:
    row = chart.rows[1]
    with qtbot.waitSignal(chart.cursor_text) as said:
        QTest.mouseMove(row._plot.viewport(), inside(row))
    text = said.args[0]
    assert text.startswith("Cursor 0:42")
    for label in ("Read", "Write", "Power", "Drives", "Inlet", "LAeq"):
        assert label in text
    assert "Power 5" in text
    assert " W" in text
    with qtbot.waitSignal(chart.cursor_text) as said:
        row._plot.mouse_left.emit()
    assert said.args[0] == ""


def test_the_crosshair_stays_under_a_mouse_that_rests(
    chart: Chart, qtbot: QtBot
) -> None:
    row = chart.rows[1]
    with qtbot.waitSignal(chart.cursor_text):
        QTest.mouseMove(row._plot.viewport(), inside(row) + QPoint(40, 0))
    before = chart.crosshair.at
    assert before is not None
    left, right = chart.visible_range
    where = (before - left) / (right - left)
    chart.zoom.zoom_in()
    left, right = chart.visible_range
    assert chart.crosshair.at == pytest.approx(left + where * (right - left), abs=0.2)
    assert chart.crosshair.at != before
    row._plot.mouse_left.emit()
    chart.zoom.zoom_in()
    assert chart.crosshair.at is None


def test_rows_are_remade_under_the_mouse(
    chart: Chart, record: Record, qtbot: QtBot
) -> None:
    old = chart.rows[1]
    QTest.mouseMove(old._plot.viewport(), inside(old))
    QTest.mouseMove(old._plot.viewport(), inside(old) + QPoint(3, 3))
    assert old._plot.scene().hoverItems
    layer = replace(record.layer, rows=record.layer.rows[1:])
    chart.set_layers([layer])
    # What Qt does when a window goes from under the mouse.
    QApplication.sendEvent(old._plot.viewport(), QEvent(QEvent.Type.Leave))
    old._plot.scene().leaveEvent(QEvent(QEvent.Type.Leave))
    chart.set_layers([record.layer])
    qtbot.waitUntil(lambda: drawn(chart))
    assert len(chart.rows) == 4


def test_in_a_gap_the_crosshair_shows_no_value(chart: Chart) -> None:
    chart.crosshair.hover(24 + 5.5)
    assert chart.rows[1].legend == [f"Power {NO_VALUE}"]
    chart.crosshair.hover(24 + 3.0)
    assert chart.rows[1].legend[0].startswith("Power 5")


def test_a_gap_tells_its_reason(chart: Chart) -> None:
    gap = chart.rows[1].marks._gaps.at(24 + 5.0, 0)
    assert gap is not None
    assert "mains: timeout" in gap.text
    assert chart.rows[3].marks._gaps.at(24 + 5.0, 0) is None


def test_the_wheel_zooms_every_row_and_a_double_click_resets(
    chart: Chart, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(chart.zoom.zoomed) as zoomed:
        chart.zoom.zoom_in()
    assert zoomed.args == [True]
    assert chart.visible_range == pytest.approx((21, 63), abs=0.1)
    for row in chart.rows:
        shown = row._plot.getViewBox().viewRange()[0]
        assert shown == pytest.approx(list(chart.visible_range))
    viewport = chart.rows[2]._plot.viewport()
    where = inside(chart.rows[2])
    with qtbot.waitSignal(chart.zoom.zoomed, check_params_cb=lambda on: not on):
        qtbot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=where)
        qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=where)
    assert not chart.zoom.is_zoomed
    assert chart.visible_range == pytest.approx((0, 84), abs=0.1)


def test_dragging_pans(chart: Chart, qtbot: QtBot) -> None:
    viewport = chart.rows[0]._plot.viewport()
    where = inside(chart.rows[0])
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=where)
    for step in range(1, 6):
        qtbot.mouseMove(viewport, where + QPoint(-20 * step, 0))
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=where + QPoint(-100, 0))
    assert chart.zoom.is_zoomed
    left, right = chart.visible_range
    assert right - left == pytest.approx(84, rel=0.01)
    assert left > 3


def test_zooming_asks_the_store_for_finer_samples(chart: Chart, qtbot: QtBot) -> None:
    chart.zoom.zoom_to(40, 44)
    row = chart.rows[1]
    qtbot.waitUntil(lambda: last_x(row) < 60)
    line = row.curves[0][1]
    assert line is not None
    assert line.exact
    assert line.x.min() > 35


def test_nothing_later_than_the_limit_is_drawn(chart: Chart, qtbot: QtBot) -> None:
    chart.set_limit(START + 30 * SECOND)
    chart.set_playhead(START + 30 * SECOND)
    qtbot.waitUntil(lambda: last_x(chart.rows[1]) <= 30.2)
    assert chart.visible_range == pytest.approx((0, 84), abs=0.1)
    assert chart.rows[0].marks._playhead.value() == 30
    chart.set_limit(None)
    qtbot.waitUntil(lambda: last_x(chart.rows[1]) > 80)


def test_a_span_follows_the_limit(chart: Chart, qtbot: QtBot) -> None:
    chart.set_span(10.0)
    chart.set_limit(START + 50 * SECOND)
    assert chart.visible_range == pytest.approx((40, 50))
    chart.set_limit(START + 52 * SECOND)
    assert chart.visible_range == pytest.approx((42, 52))
    chart.zoom.zoom_to(44, 46)
    kept = chart.visible_range
    chart.set_limit(START + 60 * SECOND)
    assert chart.visible_range == kept


def test_another_quantity_is_read_when_chosen(chart: Chart, qtbot: QtBot) -> None:
    row = chart.rows[1]
    row.show_panel("Power factor λ")
    qtbot.waitUntil(lambda: drawn(chart))
    line = row.curves[0][1]
    assert line is not None
    assert float(np.nanmax(line.mean)) < 1
    chart.set_layers(chart.layers)
    assert chart.rows[1].panel.title == "Power factor λ"


def test_a_step_of_the_strip_zooms_to_it(chart: Chart, qtbot: QtBot) -> None:
    strip = chart._strip
    assert "Random read 4k PASS" in strip.accessibleDescription()
    box = strip._box(strip._phases[4])
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    left, right = chart.visible_range
    assert left == pytest.approx(48, abs=0.5)
    assert right == pytest.approx(60, abs=0.5)


def test_the_theme_reaches_plots_and_curves(chart: Chart, theme: Theme) -> None:
    before = chart.rows[1].drawn[0].pen.color()
    theme.choose(Choice.DARK)
    after = chart.rows[1].drawn[0].pen.color()
    assert after == theme.tokens.trace(0)
    assert after != before
    ground = chart.rows[1]._plot.backgroundBrush().color().name()
    assert ground == theme.tokens.surface
    assert drawn(chart)


def test_two_sessions_are_laid_over_each_other(
    qtbot: QtBot, context: Context, record: Record, recorded: Path
) -> None:
    other = open_record(recorded / "second.bayscope")
    chart = Chart(context)
    qtbot.addWidget(chart)
    chart.resize(900, 640)
    chart.show()
    chart.set_layers([replace(record.layer, name="A"), replace(other.layer, name="B")])
    qtbot.waitUntil(lambda: drawn(chart))
    labels = [entry.split(" · ")[1][0] for entry in chart.rows[1].legend]
    assert labels == ["A", "B"]
    colours = {one.pen.color().name() for one in chart.rows[0].drawn}
    assert colours == {context.theme.tokens.trace(n).name() for n in range(2)}
    styles = [one.pen.style() for one in chart.rows[0].drawn]
    solid, dash = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine
    assert styles == [solid, dash, solid, dash]
    power = chart.rows[1]
    gap = power.marks._bars[0].at(24 + 5.0, 0)
    assert gap is not None
    assert gap.text.startswith("A: Gap")
    assert power.marks._bars[1].at(24 + 5.0, 0) is None
    assert power.marks._gaps.at(24 + 5.0, 0) is None
    chart.close_plots()
    other.session.close()


def test_a_hidden_chart_asks_for_nothing(
    qtbot: QtBot, context: Context, record: Record
) -> None:
    chart = Chart(context)
    qtbot.addWidget(chart)
    chart.set_layers([record.layer])
    qtbot.wait(150)
    assert not drawn(chart)
    chart.show()
    qtbot.waitUntil(lambda: drawn(chart))
    chart.close_plots()


def test_every_row_shows_what_was_read_whatever_comes_meanwhile(
    chart: Chart, qtbot: QtBot
) -> None:
    read: list[Answer] = []
    chart._loader.loaded.connect(read.append)
    chart._loader.forget()
    chart.refresh()
    qtbot.waitUntil(lambda: any(one.lines for one in read))
    qtbot.waitUntil(lambda: chart.plots._answer is None)
    answer = next(one for one in read if one.lines)
    for row in chart.rows:
        row._curves.forget()
    chart._take(answer)
    chart._take(replace(answer, lines={}))  # only the limit has moved
    qtbot.waitUntil(lambda: chart.plots._answer is None)
    assert drawn(chart)
