"""The limits of a campaign, over the measured windows of the steps that have them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.plan.limits import parse_limit
from app.ui.chart.chart import Chart
from app.ui.chart.data import Request, read
from app.ui.chart.layers import Layer, phases_of
from app.ui.chart.limit_lines import limit_lines
from app.ui.chart.plot_marks import LimitMarks
from app.ui.kit.context import Context
from app.ui.session.record import Record, _limits, open_record

LABEL = "Random write 4k"
TEXTS = ("power_w <= 550", "energy_wh < 3", "read_p99_ms <= 5", "drive_max_c <= 50")
CAMPAIGN = """
name = "Mine"
[[step]]
label = "Write"
engine = "fio"
runtime = "5s"
limits = ["power_w <= 700", "iops >= 100"]
[step.fio]
rw = "randwrite"
[step.sweep]
bs = ["4k", "1m"]
[[step]]
label = "Rest"
engine = "idle"
runtime = "1s"
"""


@pytest.fixture
def record(recorded: Path) -> Iterator[Record]:
    found = open_record(recorded / "second.bayscope")
    yield found
    found.session.close()


@pytest.fixture
def layer(record: Record) -> Layer:
    limits = tuple(parse_limit(text) for text in TEXTS)
    return replace(record.layer, limits=((LABEL, limits),))


def test_each_limit_stands_where_its_result_is_measured(layer: Layer) -> None:
    phases = phases_of(layer)
    [window] = [one.window for one in phases if one.label == LABEL]
    assert window is not None
    found = list(limit_lines(layer, phases))
    assert [one.text for one in found] == [TEXTS[0], *TEXTS[2:]], (
        "no chart has energies"
    )
    assert {(one.start, one.end) for one in found} == {window}
    assert [one.panel[0] for one in found] == [
        "Active power",
        "p99 latency",
        "Temperature",
    ]
    panels = [panel for row in layer.rows for panel in row.panels]
    titles = [panel.title for panel in panels if found[0].is_in(panel)]
    assert titles == ["Active power"]


def test_several_sessions_have_no_limits_of_one(layer: Layer) -> None:
    request = Request((layer,), (), (0.0, 60.0), None, 100)
    assert read(request).limits
    other = replace(layer, name="B")
    assert not read(replace(request, layers=(layer, other))).limits


def test_limits_are_those_of_each_row_that_is_swept() -> None:
    found = {label: [str(one) for one in limits] for label, limits in _limits(CAMPAIGN)}
    limits = ["power_w <= 700", "iops >= 100"]
    assert found == {"Write 4k": limits, "Write 1m": limits}
    assert _limits(CAMPAIGN.replace("idle", "of a newer version")) == ()


def test_a_limit_is_drawn_and_says_what_it_is(
    layer: Layer, context: Context, qtbot: QtBot
) -> None:
    chart = Chart(context)
    qtbot.addWidget(chart)
    chart.resize(900, 700)
    chart.show()
    chart.set_layers([layer])
    row = chart.rows[1]
    marks = row.marks.limits
    qtbot.waitUntil(lambda: bool(marks._lines))
    assert [one.text for one in marks._lines] == [TEXTS[0]]
    error = QColor(context.theme.tokens.error)

    def reds() -> int:
        image: QImage = row._plot.grab().toImage()
        pixels = ((x, y) for x in range(image.width()) for y in range(image.height()))
        return sum(image.pixelColor(*at) == error for at in pixels)

    qtbot.waitUntil(lambda: reds() > 20)
    line = marks._lines[0]
    chart.zoom.zoom_to(line.end + 1, line.end + 3)
    qtbot.waitUntil(lambda: reds() == 0)


@pytest.mark.parametrize(
    ("x", "y", "beside"),
    [
        (100, 50, (104, 47)),  # above its line
        (100, 3, (104, None)),  # at the top below it
        (290, 50, (None, 47)),  # one that has only begun
        (-50, 50, (4, 47)),
    ],
)
def test_what_a_limit_says_stays_inside_its_plot(
    qtbot: QtBot, x: int, y: int, beside: tuple[int | None, int | None]
) -> None:
    image = QImage(300, 100, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    try:
        metrics = painter.fontMetrics()
        text = "power_w <= 700"
        room = QRectF(0, 0, 300, 100)
        found = LimitMarks._beside(QPointF(x, y), text, room, painter)
    finally:
        painter.end()
    told = QRectF(
        found.x(), found.y() - metrics.ascent(), metrics.horizontalAdvance(text), 1
    )
    assert room.contains(told)
    wanted = zip(beside, (found.x(), found.y()), strict=True)
    assert all(want is None or want == have for want, have in wanted)
