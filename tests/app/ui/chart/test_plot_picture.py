"""The picture of the curves: drawn in slices, right at the end, gone in order."""
# mypy: disallow-untyped-calls=False

import time
from collections.abc import Iterator

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.report.chart.line import Line
from app.ui.chart.plot_picture import Draw, PlotPicture
from app.ui.chart.strokes import Frame, draw_band, draw_line

RED = QColor("#ff0000")
FRAME = Frame(QRectF(0, 0, 10, 100), 100, 50)


def line(values: list[float], spread: float = 0.0) -> Line:
    mean = np.array(values)
    return Line(np.arange(len(mean), dtype=float), mean - spread, mean + spread, mean)


def canvas() -> QImage:
    image = QImage(100, 50, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor("white"))
    return image


def reds(image: QImage) -> list[tuple[int, int]]:
    return [
        (x, y)
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).green() < 200
    ]


@pytest.fixture
def plot(qtbot: QtBot) -> Iterator[pg.PlotWidget]:
    widget = pg.PlotWidget(viewBox=pg.ViewBox(enableMenu=False))
    qtbot.addWidget(widget)
    widget.resize(400, 300)
    widget.getViewBox().setRange(xRange=(0, 10), yRange=(0, 100), padding=0)
    widget.show()
    qtbot.waitExposed(widget)
    yield widget
    widget.hide()


@pytest.mark.parametrize(
    ("count", "is_exact", "marked"),
    [(11, True, 11), (21, True, 21), (41, True, 0), (11, False, 0)],
)
def test_samples_that_are_few_enough_are_marked_one_by_one(
    qtbot: QtBot, count: int, is_exact: bool, marked: int
) -> None:
    image = canvas()
    painter = QPainter(image)
    x, y = np.linspace(0, 10, count), np.full(count, 50.0)
    draw_line(painter, Line(x, y, y, y, is_exact), pg.mkPen(RED, width=1), FRAME)
    painter.end()
    # A dot reaches above and below the line.
    above = sorted({x for x, y in reds(image) if y == 24})
    starts = [x for x in above if x - 1 not in above]
    assert len(starts) == marked


def test_a_line_breaks_where_a_value_is_missing(qtbot: QtBot) -> None:
    image = canvas()
    painter = QPainter(image)
    nan = float("nan")
    values = [50.0, 50.0, 50.0, nan, nan, nan, nan, 50.0, 50.0, 50.0, 50.0]
    draw_line(painter, line(values), pg.mkPen(RED, width=1), FRAME)
    painter.end()
    found = reds(image)
    assert {y for _, y in found} <= {24, 25, 26}
    columns = {x for x, _ in found}
    assert {5, 15, 75, 95} <= columns
    assert not columns & set(range(23, 68))


@pytest.mark.parametrize("values", [[50.0], [float("nan"), 50.0, float("nan")]])
def test_a_value_alone_is_a_dot(qtbot: QtBot, values: list[float]) -> None:
    image = canvas()
    painter = QPainter(image)
    draw_line(painter, line(values), pg.mkPen(RED, width=1), FRAME)
    painter.end()
    at = 10 * values.index(50.0)
    found = reds(image)
    assert found
    assert all(abs(x - at) <= 3 and abs(y - 25) <= 3 for x, y in found)


def test_a_band_reaches_from_lowest_to_highest(qtbot: QtBot) -> None:
    image = canvas()
    painter = QPainter(image)
    draw_band(painter, line([50.0] * 11, spread=20.0), QBrush(RED), FRAME)
    painter.end()
    rows = {y for _, y in reds(image)}
    assert (min(rows), max(rows)) == (15, 34)


def test_only_what_can_be_seen_is_drawn() -> None:
    long = line([float(n) for n in range(1000)])
    seen = Frame(QRectF(100, 0, 10, 100), 100, 50).seen(long)
    assert (seen.x[0], seen.x[-1]) == (99, 111)


def test_a_heavy_picture_is_drawn_in_slices(plot: pg.PlotWidget, qtbot: QtBot) -> None:
    drawn: list[int] = []

    def slow(number: int) -> Draw:
        def draw(painter: QPainter, frame: Frame) -> None:
            drawn.append(number)
            painter.fillRect(QRectF(0, 0, frame.width, frame.height), RED)
            until = time.perf_counter() + 0.009
            while time.perf_counter() < until:
                pass

        return draw

    picture = PlotPicture()
    plot.addItem(picture, ignoreBounds=True)
    picture.set_strokes(lambda: [slow(number) for number in range(5)])
    plot.viewport().repaint()
    assert drawn == [0]
    assert picture.is_busy
    qtbot.waitUntil(lambda: not picture.is_busy)
    assert drawn == [0, 1, 2, 3, 4]
    middle = plot.grab().toImage().pixelColor(200, 150)
    assert middle == RED
    plot.viewport().repaint()
    assert drawn == [0, 1, 2, 3, 4]
    picture.stop()


def test_another_range_is_drawn_anew(plot: pg.PlotWidget, qtbot: QtBot) -> None:
    frames: list[Frame] = []
    picture = PlotPicture()
    plot.addItem(picture, ignoreBounds=True)
    picture.set_strokes(lambda: [lambda _, frame: frames.append(frame)])
    plot.viewport().repaint()
    plot.getViewBox().setXRange(5, 6, padding=0)
    plot.viewport().repaint()
    assert [one.values.left() for one in frames] == [0, 5]
    picture.stop()
