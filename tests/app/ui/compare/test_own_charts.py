"""Charts of a lab's own show the same quantity of every session that is compared."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.report.chart.layout import Layout, OwnChart, OwnCurve
from app.report.chart.maths import Operation
from app.ui.chart.layers import Layer
from app.ui.chart.layout.layouts import Layouts
from app.ui.compare.view import CompareView
from app.ui.kit.context import Context

EFFICIENCY = OwnChart(
    "Efficiency",
    curves=(
        OwnCurve(
            ("fio.write_bw",), Operation.RATIO, over=("mains.P",), label="MB/s a W"
        ),
    ),
)
FANS = OwnChart("Fan", curves=(OwnCurve(("enclosure.fan.fan1",)),))


def test_a_chart_of_ones_own_is_shown_of_every_session(
    context: Context, recorded: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    layouts = Layouts(path=tmp_path / "layouts.toml")
    view = CompareView(context, recorded, layouts)
    qtbot.addWidget(view)
    view.resize(1280, 740)
    view.show()
    view.compare(recorded / "first.bayscope", recorded / "second.bayscope")
    box, chart = view.charts.quantity, view.charts.pane.chart

    def layers() -> tuple[Layer, ...]:
        return chart.layers

    qtbot.waitUntil(lambda: len(layers()) == 2)
    qtbot.waitUntil(lambda: view.comparison is not None)
    assert box.findText("Your own charts") < 0
    layouts.show(Layout("", (EFFICIENCY, FANS)))
    place = box.findText("Your own charts")
    assert place > 0
    box.setCurrentIndex(place)
    box.activated.emit(place)

    def titles() -> list[list[str]]:
        return [[row.name for row in layer.rows] for layer in layers()]

    qtbot.waitUntil(lambda: titles() == [["Efficiency", "Fan"]] * 2)
    qtbot.waitUntil(
        lambda: all(one.line is not None for row in chart.rows for one in row.drawn)
    )
    labels = [one.entry.label for one in chart.rows[0].drawn]
    assert [label.rpartition(" ")[2] for label in labels] == ["A", "B"]
    layouts.save("Mine")
    assert box.findText("Layout: Mine") > 0
    assert box.findText("Your own charts") < 0
    box.setCurrentIndex(box.findText("Layout: Mine"))
    box.activated.emit(box.currentIndex())
    layouts.show(Layout("Mine", (FANS,)))  # changed since, and not saved
    assert box.currentText() == "Layout: Mine"
    assert titles() == [["Efficiency", "Fan"]] * 2
    gone = OwnChart("Gone", curves=(OwnCurve(("nobody.P",)),))
    layouts.show(Layout("", (FANS, gone)))
    box.setCurrentIndex(box.findText("Your own charts"))
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: titles() == [["Fan"]] * 2)
    assert view.charts._remarks.text().count("nobody.P") == 2
    view.shut()
