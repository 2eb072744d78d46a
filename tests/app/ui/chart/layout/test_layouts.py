"""Arranging charts: by the menu, by dragging, by the list; saved and restored."""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.report.chart.layout import OwnChart, OwnCurve
from app.report.chart.layout_file import read_layouts
from app.report.chart.maths import Operation
from app.ui.chart.chart_file import csv_of
from app.ui.chart.layout.bar import LayoutTools
from app.ui.chart.layout.channels import ChannelList
from app.ui.chart.layout.dialog import CurveDialog
from app.ui.chart.layout.drag import drag_of
from app.ui.chart.layout.layouts import Layouts
from app.ui.chart.pane import ChartPane
from app.ui.chart.plot_row import PlotRow
from app.ui.kit.context import Context
from app.ui.kit.settings import Settings
from app.ui.session.record import Record, open_record
from instruments.reading import SECOND
from tests.app.ui.dialogs import once_open, press

POWER, FAN = "mains.P", "enclosure.fan.fan1"


@pytest.fixture
def record(recorded: Path) -> Iterator[Record]:
    found = open_record(recorded / "first.bayscope")
    yield found
    found.session.close()


@pytest.fixture
def layouts(settings: Settings, tmp_path: Path) -> Layouts:
    return Layouts(settings, tmp_path / "layouts.toml")


@pytest.fixture
def pane(
    qtbot: QtBot, context: Context, record: Record, layouts: Layouts
) -> Iterator[ChartPane]:
    found = ChartPane(context, layouts=layouts)
    qtbot.addWidget(found)
    found.resize(1000, 800)
    found.show()
    qtbot.waitExposed(found)
    found.set_layers([record.layer])
    qtbot.waitUntil(lambda: drawn(found))
    yield found
    found.chart.close_plots()


def drawn(pane: ChartPane) -> bool:
    rows = pane.chart.rows
    return bool(rows) and all(line is not None for r in rows for _, line in r.curves)


def tools_of(pane: ChartPane) -> LayoutTools:
    assert pane.tools is not None
    return pane.tools


def titles(pane: ChartPane) -> list[str]:
    return [row.panel.title for row in pane.chart.rows]


def drop(row: PlotRow, *names: str) -> None:
    """Drop channels in the middle of a row, as a person does."""
    data, at = drag_of(names), QPoint(row.width() // 2, row.height() // 2)
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    action = Qt.DropAction.CopyAction
    QApplication.sendEvent(row, QDragEnterEvent(at, action, data, buttons, keys))
    QApplication.sendEvent(row, QDropEvent(at, action, data, buttons, keys))


def menu_of(row: PlotRow) -> QMenu:
    menu = row.findChild(QMenu)
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    return menu


def act(menu: QMenu, text: str) -> None:
    actions = {one.text().replace("&", ""): one for one in menu.actions()}
    actions[text].trigger()


def choose(channels: ChannelList, name: str) -> int:
    """Search for a channel and choose it; get how many were listed then."""
    channels.search.setText(name)
    model = channels.table.model()
    rows = range(model.rowCount())
    tip = Qt.ItemDataRole.ToolTipRole
    row = next(row for row in rows if model.index(row, 0).data(tip) == name)
    channels.table.selectRow(row)
    return len(rows)


def test_a_channel_dropped_on_a_chart_gets_the_axis_at_the_right(
    qtbot: QtBot, pane: ChartPane
) -> None:
    assert tools_of(pane).restore.isHidden()
    left = pane.chart.rows[1].plot_width
    drop(pane.chart.rows[1], FAN)
    assert titles(pane)[1] == "Active power"
    panel = pane.chart.rows[1].panel
    assert (panel.unit, panel.right_unit) == ("W", "1/min")
    qtbot.waitUntil(lambda: drawn(pane))
    fan = pane.chart.rows[1].drawn[-1]
    assert fan.entry.label == "Fans: Fan 1 (right)"
    # Both are drawn over the whole height, each by its own axis.
    axis = pane.chart.rows[1]._plot.getAxis("right")
    assert axis.range[0] < 5000 < axis.range[1]
    low, high = pane.chart.rows[1]._plot.getViewBox().viewRange()[1]
    assert 300 < low < high < 800
    assert fan._stretch[0] > 0
    # All plots are as wide as this one.
    assert len({row.plot_width for row in pane.chart.rows}) == 1
    assert pane.chart.rows[0].plot_width < left
    text = csv_of(pane.chart).decode()
    assert "Active power,1/min,Fans: Fan 1 (right)," in text
    assert not tools_of(pane).restore.isHidden()


def test_a_third_unit_is_refused_with_a_sentence(
    qtbot: QtBot, pane: ChartPane, context: Context
) -> None:
    drop(pane.chart.rows[1], FAN)
    before = pane.chart.rows[1].panel
    context.background.failed.disconnect()
    with qtbot.waitSignal(context.background.failed) as said:
        drop(pane.chart.rows[1], "noise.LAeq")
    assert "third axis" in str(said.args[0])
    assert pane.chart.rows[1].panel == before


def test_standard_charts_are_back_with_one_click(pane: ChartPane) -> None:
    usual = titles(pane)
    drop(pane.chart.rows[0], FAN)
    tools_of(pane).editor.delete(3)
    assert len(titles(pane)) == len(usual) - 1
    tools_of(pane).restore.click()
    assert titles(pane) == usual
    assert tools_of(pane).restore.isHidden()


def test_the_menu_of_a_chart_changes_it(qtbot: QtBot, pane: ChartPane) -> None:
    first, second, *_ = titles(pane)
    act(menu_of(pane.chart.rows[0]), "Move down")
    assert titles(pane)[:2] == [second, first]
    act(menu_of(pane.chart.rows[1]), "Delete chart")
    assert first not in titles(pane)
    row = next(r for r in pane.chart.rows if r.panel.title == "Noise")
    qtbot.waitUntil(lambda: drawn(pane))
    removing = next(
        m for m in menu_of(row).findChildren(QMenu) if m.title() == "&Remove curve"
    )
    act(removing, "LAFmax")
    noise = next(r for r in pane.chart.rows if r.panel.title == "Noise")
    assert [curve.label for curve in noise.panel.curves] == ["LAeq"]


def test_the_list_makes_charts_by_keys(qtbot: QtBot, pane: ChartPane) -> None:
    tools = tools_of(pane)
    tools.toggle.trigger()
    channels = tools.channels.list
    assert channels.isVisible()
    channels.search.setText("fan 1/min")
    table = channels.table
    assert table.model().rowCount() == 6
    table.setFocus()
    table.selectRow(0)
    assert [one.name for one in channels.chosen] == [FAN]
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert titles(pane)[-1] == "Fans: Fan 1"
    tools.channels.list.search.setText("nothing has this name")
    assert [one.name for one in channels.chosen] == [FAN]  # it stays in sight
    assert table.model().rowCount() == 1


def test_a_dialog_adds_what_is_computed(qtbot: QtBot, pane: ChartPane) -> None:
    def fill(dialog: CurveDialog) -> None:
        dialog.operation.setCurrentIndex(dialog.operation.findData(Operation.RATIO))
        assert choose(dialog.channels, POWER) == 1
        assert not dialog._buttons.yes.isEnabled()  # nothing to divide by yet
        choose(dialog.over, "noise.LAeq")
        assert not dialog._buttons.yes.isEnabled()
        # What is chosen stays in sight while another one is searched.
        assert choose(dialog.over, "fio.read_bw") == 2
        assert "J/GB" in dialog._outcome.text()
        dialog.label.setText("Energy per data")
        press("Add")(dialog)

    def fill_or_leave(dialog: CurveDialog) -> None:
        try:
            fill(dialog)
        finally:
            dialog.done(dialog.result())  # a mistake must not leave it open

    once_open(CurveDialog, fill_or_leave)
    act(menu_of(pane.chart.rows[1]), "New chart...")
    assert titles(pane)[-1] == "Energy per data"
    qtbot.waitUntil(lambda: drawn(pane))
    (shown,) = pane.chart.rows[-1].drawn
    assert shown.curve.scale.unit == "J/GB"
    assert shown.line is not None
    assert shown.extremes(0, 100) is not None
    # It follows the mouse as what was measured does.
    (text,) = pane.chart.rows[-1].set_cursor(34.0, 34.0, None)
    assert text.endswith("J/GB")


def test_statistics_are_of_computed_curves_too(qtbot: QtBot, pane: ChartPane) -> None:
    curve = OwnCurve((POWER,), Operation.RATIO, ("fio.read_bw",), label="E")
    tools_of(pane).editor.add([curve], len(pane.chart.rows))
    qtbot.waitUntil(lambda: drawn(pane))
    pane.show_statistics()
    model = pane.statistics.model
    qtbot.waitUntil(lambda: any(line.name == "E, J/GB" for line in model.records))
    line = next(one for one in model.records if one.name == "E, J/GB")
    assert line.statistics.found is not None


def test_layouts_are_saved_chosen_and_deleted(
    pane: ChartPane, layouts: Layouts, settings: Settings, tmp_path: Path
) -> None:
    drop(pane.chart.rows[1], FAN)
    arranged = titles(pane)
    layouts.save("Mine")
    [saved] = read_layouts(tmp_path / "layouts.toml")
    assert saved.name == "Mine"
    assert saved == layouts.current
    tools_of(pane).restore.click()
    layouts.choose("Mine")
    assert titles(pane) == arranged
    menu = tools_of(pane).menu_button.menu()
    menu.aboutToShow.emit()
    ticked = [one.text() for one in menu.actions() if one.isChecked()]
    assert ticked == ["Mine"]
    # The next time the program begins with it.
    again = Layouts(settings, tmp_path / "layouts.toml")
    again.begin()
    assert again.current == layouts.current
    layouts.delete("Mine")
    assert read_layouts(tmp_path / "layouts.toml") == []
    assert titles(pane) == arranged


def test_what_the_session_lacks_is_said_and_the_rest_shown(
    pane: ChartPane, layouts: Layouts, record: Record
) -> None:
    drop(pane.chart.rows[1], FAN)
    current = layouts.current
    assert current is not None
    away = OwnChart("Other", curves=(OwnCurve(("psu9.P",)),))
    layouts.show(current.with_chart(9, away))
    note = tools_of(pane).note
    assert not note.isHidden()
    assert "psu9.P" in note.text()
    assert len(titles(pane)) == 4
    # What is changed then keeps what this session does not have.
    tools_of(pane).editor.move(0, 1)
    assert layouts.current is not None
    assert away in layouts.current.charts
    layouts.show(None)
    assert note.isHidden()


def test_a_damaged_file_is_said_and_not_written_over(
    qtbot: QtBot, pane: ChartPane, context: Context, layouts: Layouts, tmp_path: Path
) -> None:
    file = tmp_path / "layouts.toml"
    file.write_text("[[layout")
    drop(pane.chart.rows[1], FAN)
    context.background.failed.disconnect()
    with qtbot.waitSignal(context.background.failed) as failed:
        tools_of(pane).editor.attempt(lambda: layouts.save("x"))
    assert file.read_text() == "[[layout"
    told = str(failed.args[0])
    assert told.startswith(f"{file}, line 1")
    assert "the saved layouts of charts cannot be read" in told
    assert told.endswith("Until then the standard charts are shown.")


def test_an_odd_name_of_a_layout_is_text(pane: ChartPane, layouts: Layouts) -> None:
    drop(pane.chart.rows[1], FAN)
    layouts.save("<b>&x</b>")
    menu = tools_of(pane).menu_button.menu()
    menu.aboutToShow.emit()
    assert "<b>&&x</b>" in [one.text() for one in menu.actions()]


def test_a_layout_goes_on_in_live_and_in_replay(
    qtbot: QtBot, pane: ChartPane, record: Record
) -> None:
    total = OwnCurve((POWER,), Operation.INTEGRAL, label="Total")
    tools_of(pane).editor.add([total], len(pane.chart.rows))
    arranged = titles(pane)
    # A run brings the same session again, longer, with the rows that all have.
    longer = replace(record.layer, end=record.layer.end + 5 * SECOND)
    pane.advance([longer], longer.end)
    assert titles(pane) == arranged
    qtbot.waitUntil(lambda: drawn(pane))
    # A replay shows nothing beyond its playhead.
    middle = record.layer.origin + 40 * SECOND
    pane.chart.set_limit(middle)
    (shown,) = pane.chart.rows[-1].drawn
    assert shown.line is not None
    assert shown.whole is not None
    assert float(shown.line.x.max()) <= 40.0
    assert float(shown.whole.x.max()) > 80.0


def test_a_curve_per_terabyte_needs_the_capacity_of_the_device(
    qtbot: QtBot, pane: ChartPane, record: Record, context: Context
) -> None:
    assert record.layer.arranger is not None
    dialog = CurveDialog(record.layer.arranger, [], 0, context, pane)
    qtbot.addWidget(dialog)
    dialog.operation.setCurrentIndex(dialog.operation.findData(Operation.PER_TB))
    choose(dialog.channels, POWER)
    assert not dialog._buttons.yes.isEnabled()
    assert dialog._outcome.text().startswith(
        "The bench does not say how many terabytes"
    )
    [curve] = dialog.curves
    assert isinstance(curve.operation, Operation)


def test_compute_begins_with_what_is_chosen_in_the_list(pane: ChartPane) -> None:
    tools_of(pane).toggle.trigger()
    bar = tools_of(pane).channels
    choose(bar.list, POWER)
    seen: list[tuple[object, list[str]]] = []

    def look(dialog: CurveDialog) -> None:
        chosen = [one.name for one in dialog.channels.chosen]
        seen.append((dialog.operation.currentData(), chosen))
        dialog.reject()

    once_open(CurveDialog, look)
    bar._ask()
    assert seen == [(Operation.SUM, [POWER])]


def test_a_computed_curve_without_any_value_says_why(
    qtbot: QtBot, pane: ChartPane
) -> None:
    means = [
        OwnCurve((POWER,), Operation.MEAN, seconds=seconds) for seconds in (4.0, 9e5)
    ]
    editor = tools_of(pane).editor
    for mean in means:
        editor.add([mean], len(pane.chart.rows))
    qtbot.waitUntil(lambda: drawn(pane))
    shown = [not row._why_empty.isHidden() for row in pane.chart.rows]
    assert shown == [False] * (len(shown) - 1) + [True]
