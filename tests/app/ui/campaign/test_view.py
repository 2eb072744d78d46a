"""The Campaigns page, used as a person would: clicks, keys, dragging, text."""
# mypy: disallow-untyped-calls=False

import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QStyleOptionViewItem,
)
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.operations.editing.drafts import (
    Draft,
    DraftKeeper,
    has_left_behind,
    left_behind,
)
from app.operations.editing.templates import list_templates, own_folder
from app.plan.blocks import items
from app.plan.campaign import parse_campaign
from app.plan.edit import NEW, value_at
from app.ui.campaign.form.limits import LimitsEditor
from app.ui.campaign.form.sweep import SweepEditor, format_values, parse_values
from app.ui.campaign.form.tables import TableRow
from app.ui.campaign.text import CampaignText
from app.ui.campaign.view import COMMANDS, SETTINGS, STEPS, TEXT, CampaignView
from app.ui.kit.marks import without_marks
from app.ui.kit.option_field import OptionField
from app.ui.kit.theme import Choice, Theme
from app.ui.run.start_dialog import StartDialog
from app.ui.window.main_window import MainWindow
from instruments.errors import printable
from instruments.files.foreign_text import parsed_toml
from tests.app.ui.dialogs import once_open, press


@pytest.fixture
def view(campaigns: CampaignView) -> CampaignView:
    return campaigns


@pytest.fixture
def in_window(window: MainWindow, qtbot: QtBot) -> CampaignView:
    """The page in its window, with the demo in hand."""
    window.navigation.choose("Campaigns")
    page = window.pages.campaigns
    qtbot.waitUntil(lambda: page.file.name.startswith("Demo"))
    return page


def labels(view: CampaignView) -> list[object]:
    return [step["label"] for step in items(view.file.values, "step")]


def step(view: CampaignView, row: int) -> dict[str, object]:
    return dict(items(view.file.values, "step")[row])


def field(view: CampaignView, *path: str) -> OptionField:
    return view.form.fields[path]


def enter(view: CampaignView, qtbot: QtBot, text: str, *path: str) -> None:
    editor = field(view, *path).editor
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, text)


def test_the_demo_is_in_hand_from_the_start(
    view: CampaignView, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(view.model)
    assert view.model.rowCount() == 7
    assert view.table.rows() == [0]
    assert field(view, "label").entered() == "Idle"
    assert not view.head.unsaved.isVisible()
    assert view.head.chip.isVisible()
    assert "Template" in view.head.facts.text()


def test_a_click_on_a_template_takes_it(view: CampaignView, qtbot: QtBot) -> None:
    wanted = view.templates.templates[2]
    listed = view.templates.view
    names = [listed.model().index(n, 0).data() for n in range(20)]
    place = listed.visualRect(listed.model().index(names.index(wanted.name), 0))
    qtbot.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    assert view.file.name == wanted.name
    assert view.file.is_shipped
    assert wanted.campaign is not None
    about = " ".join(wanted.campaign.description.split())
    assert view.templates.about.text() == about


def test_three_clicks_lead_from_the_page_to_a_run(
    window: MainWindow, in_window: CampaignView, qtbot: QtBot
) -> None:
    """With the one on the page's button at the left that is four."""
    seen: list[str] = []

    def confirm(dialog: StartDialog) -> None:
        seen.append(dialog.form.campaigns.box.currentText())
        dialog.reject()

    in_window.templates.wanted.emit(in_window.templates.templates[2])
    once_open(StartDialog, confirm)
    window.tools.start.trigger()
    assert seen == [in_window.templates.templates[2].name]


def test_an_edited_campaign_is_what_is_started(
    window: MainWindow, in_window: CampaignView, qtbot: QtBot
) -> None:
    in_window.edits.set([0], ("runtime",), "3s")
    seen: list[object] = []

    def confirm(dialog: StartDialog) -> None:
        seen.append(dialog.form.campaigns.choice.campaign)
        dialog.reject()

    once_open(StartDialog, confirm)
    in_window.start()
    assert seen == [in_window.campaign]


def test_typing_in_the_form_changes_the_text(view: CampaignView, qtbot: QtBot) -> None:
    view.table.choose_rows([1])
    enter(view, qtbot, "64k", "fio", "bs")
    assert step(view, 1)["fio"]["bs"] == "64k"  # type: ignore[index]
    assert 'bs = "64k"' in view.file.text
    assert view.head.unsaved.isVisible()
    assert "64k" in str(view.model.index(1, 3).data())
    view.file.stack.undo()
    assert field(view, "fio", "bs").entered() == "4m"
    assert not view.file.has_changes


def test_a_field_that_was_left_out_keeps_the_cursor(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.edits.set([0], ("engine",), "copy")
    view.table.choose_rows([0])
    for path in (("copy", "bs"), ("repeat",)):
        editor = field(view, *path).editor
        editor.setFocus()
        qtbot.keyClicks(editor, "42")
        assert field(view, *path).editor is editor
        assert field(view, *path).entered() == "42"
    view.table.choose_rows([1])
    editor = field(view, "fio", "rate_iops").editor
    qtbot.keyClicks(editor, "100")
    assert field(view, "fio", "rate_iops").editor is editor
    assert step(view, 1)["fio"]["rate_iops"] == 100  # type: ignore[index]


def test_tables_are_switched_on_and_off_by_a_tick(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.table.choose_rows([1])
    assert ("steady", "method") not in view.form.fields
    view.form.page.checkboxes["steady"].click()
    qtbot.waitUntil(lambda: ("steady", "method") in view.form.fields)
    assert step(view, 1)["steady"] == {"method": "sss-pts"}
    method = field(view, "steady", "method").editor
    assert isinstance(method, QComboBox)
    method.setCurrentText("5x30min")
    enter(view, qtbot, "iops, power", "steady", "quantities")
    assert step(view, 1)["steady"] == {
        "method": "5x30min",
        "quantities": ["iops", "power"],
    }
    assert view.campaign is not None
    view.form.page.checkboxes["steady"].click()
    qtbot.waitUntil(lambda: ("steady", "method") not in view.form.fields)
    assert "steady" not in step(view, 1)
    view.form.page.checkboxes["repeats"].click()
    qtbot.waitUntil(lambda: ("repeats", "of") in view.form.fields)
    assert view.campaign is not None


def test_a_mistake_stands_beside_its_field(view: CampaignView, qtbot: QtBot) -> None:
    view.table.choose_rows([1])
    with qtbot.waitSignal(view.file.checked):
        enter(view, qtbot, "4q", "fio", "bs")
    assert "Expected sizes" in field(view, "fio", "bs").mistake.text()
    assert field(view, "fio", "bs").mistake.isVisible()
    assert view.model.index(1, 1).data(Qt.ItemDataRole.DecorationRole) is not None
    assert view.trouble.isVisible()
    view.table.choose_rows([0])
    assert field(view, "label").mistake.text() == ""
    view.trouble.show_button.click()
    assert view.table.rows() == [1]
    assert view.text.wrong == (17,)
    view.start()  # leads to the mistake, and asks for nothing
    assert QApplication.activeModalWidget() is None
    with qtbot.waitSignal(view.file.checked):
        view.file.stack.undo()
    assert not view.trouble.isVisible()


def test_steps_are_added_copied_switched_moved_and_deleted(
    view: CampaignView, qtbot: QtBot
) -> None:
    menu = view.bar.buttons["add"].menu()
    view.table.choose_rows([0])
    next(action for action in menu.actions() if action.text() == "fio load").trigger()
    assert labels(view)[:3] == ["Idle", "fio load", "Sequential write 4M"]
    assert view.table.rows() == [1]
    qtbot.keyClick(view.table, Qt.Key.Key_Space)
    assert step(view, 1)["enabled"] is False
    qtbot.keyClick(view.table, Qt.Key.Key_Space)
    assert "enabled" not in step(view, 1)
    view.table.choose_rows([0, 1])
    view.bar.buttons["duplicate"].click()
    assert labels(view)[2:4] == ["Idle 2", "fio load 2"]
    assert view.table.rows() == [2, 3]
    view.bar.buttons["up"].click()
    assert labels(view)[:4] == ["Idle", "Idle 2", "fio load 2", "fio load"]
    assert view.table.rows() == [1, 2]
    view.bar.buttons["down"].click()
    view.bar.buttons["delete"].click()
    assert labels(view)[:2] == ["Idle", "fio load"]
    while view.file.stack.canUndo():
        view.bar.buttons["undo"].click()
    assert not view.file.has_changes


def test_steps_are_copied_as_text_and_pasted(view: CampaignView, qtbot: QtBot) -> None:
    view.table.choose_rows([1])
    qtbot.keySequence(view.table, QKeySequence(QKeySequence.StandardKey.Copy))
    assert QApplication.clipboard().text().startswith("[[step]]")
    qtbot.keySequence(view.table, QKeySequence(QKeySequence.StandardKey.Paste))
    qtbot.waitUntil(lambda: len(labels(view)) == 8)
    assert labels(view)[1:3] == ["Sequential write 4M", "Sequential write 4M 2"]
    assert view.table.rows() == [2]
    qtbot.keyClick(view.table, Qt.Key.Key_Delete)
    assert len(labels(view)) == 7


def test_rows_are_dragged_to_another_place(view: CampaignView) -> None:
    model = view.model
    data = model.mimeData([model.index(5, 1), model.index(1, 1), model.index(1, 2)])
    wanted = [labels(view)[n] for n in (1, 5, 0, 2, 3, 4, 6)]
    action = Qt.DropAction.MoveAction
    assert model.dropMimeData(data, action, 0, 0, QModelIndex())
    assert labels(view) == wanted
    assert view.table.rows() == [0, 1]
    data = model.mimeData([model.index(0, 1)])
    assert model.dropMimeData(data, action, -1, -1, model.index(3, 1))
    assert labels(view) == [wanted[n] for n in (1, 2, 0, 3, 4, 5, 6)]
    assert not model.dropMimeData(data, Qt.DropAction.CopyAction, 0, 0, QModelIndex())


def test_what_is_changed_goes_to_all_chosen_steps(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.table.choose_rows([1, 2, 3])
    assert ("label",) not in view.form.fields
    enter(view, qtbot, "7s", "runtime")
    assert [step(view, row)["runtime"] for row in range(5)] == [
        *("10s", "7s", "7s", "7s", "14s")
    ]
    view.file.stack.undo()
    assert not view.file.has_changes


def test_several_steps_say_where_their_values_differ(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.edits.set([1], ("runtime",), "9s")
    view.edits.set([1], ("fio", "norandommap"), False)
    view.edits.set([1], ("limits",), ["power_w < 800"])
    view.table.choose_rows([1, 2])
    runtime = field(view, "runtime").editor
    assert isinstance(runtime, QLineEdit)
    assert (runtime.text(), runtime.placeholderText()) == ("", "several values")
    direction = field(view, "fio", "rw").editor
    assert isinstance(direction, QComboBox)
    assert direction.currentText() == ""
    assert direction.placeholderText() == "several values"
    tick = field(view, "fio", "norandommap").editor
    assert isinstance(tick, QCheckBox)
    assert tick.checkState() == Qt.CheckState.PartiallyChecked
    assert tick.text().endswith(": several values")
    assert view.form.page.limits is not None
    assert view.form.page.limits.limits() is None
    assert "Several values" in view.form.page.limits.note.text()
    tick.click()
    assert [value_at(step(view, row), ("fio", "norandommap")) for row in (1, 2)] == [
        True,
        True,
    ]
    assert not tick.isTristate()
    enter(view, qtbot, "7s", "runtime")
    assert field(view, "runtime").entered() == "7s"
    assert [step(view, row)["runtime"] for row in (1, 2)] == ["7s", "7s"]
    direction = field(view, "fio", "rw").editor
    assert isinstance(direction, QComboBox)
    direction.setCurrentText("randread")
    assert {value_at(step(view, row), ("fio", "rw")) for row in (1, 2)} == {"randread"}
    view.form.page.limits.more.click()
    view.form.page.limits.rows[0].removed.emit()
    assert step(view, 1)["limits"] == ["power_w < 800"]


def test_steps_of_several_engines_have_the_common_fields_only(
    view: CampaignView,
) -> None:
    view.table.choose_rows([0, 1])
    assert ("runtime",) in view.form.fields
    assert not [path for path in view.form.fields if len(path) > 1]
    engine = field(view, "engine").editor
    assert isinstance(engine, QComboBox)
    assert engine.placeholderText() == "several values"
    assert view.form.page.sweep is None


def test_a_table_that_only_some_steps_have_is_half_ticked(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.edits.set([1], ("steady",), {"method": "fio-slope"})
    view.table.choose_rows([1, 2])
    tick = view.form.page.checkboxes["steady"]
    assert tick.checkState() == Qt.CheckState.PartiallyChecked
    assert ("steady", "method") in view.form.fields
    tick.click()
    qtbot.waitUntil(lambda: all("steady" in step(view, row) for row in (1, 2)))
    qtbot.waitUntil(view.form.page.checkboxes["steady"].isChecked)


def test_cells_are_edited_in_the_table(view: CampaignView) -> None:
    model = view.model
    assert model.setData(model.index(0, 1), "Rest")
    assert model.setData(model.index(0, 5), "1m")
    assert model.setData(model.index(0, 6), "3")
    ticked = Qt.ItemDataRole.CheckStateRole
    assert model.setData(model.index(0, 0), Qt.CheckState.Unchecked.value, ticked)
    found = step(view, 0)
    assert (found["label"], found["runtime"], found["repeat"]) == ("Rest", "1m", 3)
    assert found["enabled"] is False
    assert not model.setData(model.index(0, 3), "nothing")


def test_columns_that_are_empty_give_their_room_away(view: CampaignView) -> None:
    hidden = [view.table.isColumnHidden(n) for n in range(view.model.columnCount())]
    assert hidden == [False] * 6 + [True, True]
    view.edits.set([0], ("repeat",), 3)
    view.edits.set([0], ("limits",), ["power_w < 800"])
    assert not view.table.isColumnHidden(6)
    assert view.model.index(0, 7).data() == "1"
    assert not view.table.isColumnHidden(7)


def test_another_engine_brings_its_own_keys(view: CampaignView) -> None:
    view.table.choose_rows([1])
    combo = field(view, "engine").editor
    assert isinstance(combo, QComboBox)
    combo.setCurrentText("idle")
    assert "fio" not in step(view, 1)
    assert "ramp" not in step(view, 1)
    assert view.campaign is not None
    view.file.stack.undo()
    assert not view.file.has_changes


def test_a_sweep_is_made_and_its_runs_are_counted(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.table.choose_rows([4])
    sweep = view.form.page.sweep
    assert isinstance(sweep, SweepEditor)
    qtbot.mouseClick(sweep.more, Qt.MouseButton.LeftButton)
    row = sweep.rows[0]
    row.option.setCurrentText("numjobs")
    with qtbot.waitSignal(view.file.checked):
        qtbot.keyClicks(row.values, "1, 2, 4")
    assert step(view, 4)["sweep"] == {"numjobs": [1, 2, 4]}
    assert "set in the step and swept" in sweep.mistake.text()
    with qtbot.waitSignal(view.file.checked):
        enter(view, qtbot, "", "fio", "numjobs")
        qtbot.keyClick(field(view, "fio", "numjobs").editor, Qt.Key.Key_Backspace)
    assert view.campaign is not None
    assert len(view.campaign.runs) == 9
    assert sweep.note.text() == "3 runs, 48s"
    assert sweep.order.isVisible()
    assert not sweep.seed.isVisible()
    sweep.order.setCurrentText("shuffled")
    assert sweep.seed.isVisible()
    assert view.form.page.sweep is sweep
    qtbot.keyClicks(sweep.seed, "7")
    assert step(view, 4)["sweep"]["seed"] == 7  # type: ignore[index]
    row.removed.emit()
    assert "sweep" not in step(view, 4)


def test_values_with_commas_stand_in_quotes() -> None:
    values: list[object] = ["4k/50:8k/50,1m", 8, "a b"]
    assert format_values(values) == '"4k/50:8k/50,1m", 8, a b'
    assert parse_values(format_values(values)) == values
    assert parse_values(" 1,, 02 ,") == [1, "02"]


def test_limits_are_entered_with_their_unit(view: CampaignView, qtbot: QtBot) -> None:
    view.table.choose_rows([1])
    limits = view.form.page.limits
    assert isinstance(limits, LimitsEditor)
    limits.more.click()
    row = limits.rows[0]
    assert row.unit.text() == "W"
    row.result.setCurrentText("drive_max_c")
    assert "C" in row.unit.text()
    row.result.setCurrentText("iops")
    assert row.sign.currentText() == ">="
    row.result.setCurrentText("drive_max_c")
    assert row.sign.currentText() == "<="
    assert "limits" not in step(view, 1)
    qtbot.keyClicks(row.value, "60")
    assert step(view, 1)["limits"] == ["drive_max_c <= 60"]
    with qtbot.waitSignal(view.file.checked):
        qtbot.keyClicks(row.value, "x")
    assert "is not a limit" in limits.mistake.text()
    row.removed.emit()
    assert "limits" not in step(view, 1)


def test_a_further_option_is_asked_for(view: CampaignView, qtbot: QtBot) -> None:
    view.table.choose_rows([1])
    asker = view.form.page.asker
    assert asker is not None
    asker.setCurrentText("thinktime_spin")
    asker.activated.emit(asker.currentIndex())
    qtbot.waitUntil(lambda: ("fio", "thinktime_spin") in view.form.fields)
    enter(view, qtbot, "500", "fio", "thinktime_spin")
    assert str(step(view, 1)["fio"]["thinktime_spin"]) == "500"  # type: ignore[index]
    view.table.choose_rows([2])
    assert ("fio", "thinktime_spin") not in view.form.fields
    view.table.choose_rows([1])
    assert field(view, "fio", "thinktime_spin").entered() == "500"


def test_a_key_nobody_knows_is_shown(view: CampaignView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.file.checked):
        view.edits.set([0], ("novelty", "depth"), 3)
    assert field(view, "novelty", "depth").entered() == "3"
    assert "unknown key" in view.form.page.general.text().lower()


def test_the_text_is_edited_and_undone_in_place(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.tabs.setCurrentIndex(TEXT)
    assert view.form.isHidden()
    text: CampaignText = view.text
    text.go_to(1)
    qtbot.keyClicks(text, "# mine")
    qtbot.keyClick(text, Qt.Key.Key_Return)
    assert view.file.text.startswith("# mine\nname")
    cursor = text.textCursor().position()
    view.edits.set([0], ("runtime",), "5s")
    assert text.textCursor().position() == cursor
    assert 'runtime = "5s"' in text.toPlainText()
    qtbot.keySequence(text, QKeySequence(QKeySequence.StandardKey.Undo))
    qtbot.keySequence(text, QKeySequence(QKeySequence.StandardKey.Undo))
    assert not view.file.has_changes
    assert text.toPlainText() == view.file.text
    qtbot.keySequence(text, QKeySequence(QKeySequence.StandardKey.Redo))
    assert view.file.text.startswith("# mine")


def test_forms_wait_while_the_text_is_no_toml(view: CampaignView, qtbot: QtBot) -> None:
    view.tabs.setCurrentIndex(TEXT)
    with qtbot.waitSignal(view.file.checked):
        qtbot.keyClicks(view.text, "[")
    assert not view.table.isEnabled()
    assert view.trouble.isVisible()
    view.file.stack.undo()
    assert view.table.isEnabled()


def test_the_campaign_itself_is_edited(view: CampaignView, qtbot: QtBot) -> None:
    view.tabs.setCurrentIndex(SETTINGS)
    fields = view.settings.fields
    name = fields[("name",)].editor
    assert isinstance(name, QLineEdit)
    name.selectAll()
    qtbot.keyClicks(name, "Mine")
    ranging = fields[("ranging", "seconds")].editor
    assert isinstance(ranging, QLineEdit)
    qtbot.keyClicks(ranging, "5")
    assert view.file.values["name"] == "Mine"
    assert view.file.values["ranging"] == {"seconds": 5}
    assert view.head.title.text() == "Mine *"
    grid = view.settings.grids["configuration"]
    grid.more.click()
    lines = grid.rows[0].editors
    for line, text in zip(
        lines,
        ("cache", "on, off", "Set it to {cache}.", "set-it '{cache}'"),
        strict=True,
    ):
        qtbot.keyClicks(line, text)
    assert items(view.file.values, "configuration") == [
        {
            "name": "cache",
            "values": ["on", "off"],
            "prompt": "Set it to {cache}.",
            "command": ["set-it", "{cache}"],
        }
    ]
    qtbot.waitUntil(lambda: "2 configurations" in grid.note.text())
    assert view.campaign is not None
    grid.rows[0].removed.emit()
    assert "configuration" not in view.file.values


def test_interlocks_are_edited_in_a_grid(view: CampaignView, qtbot: QtBot) -> None:
    view.tabs.setCurrentIndex(SETTINGS)
    grid = view.settings.grids["interlock"]
    grid.more.click()
    (table,) = items(view.file.values, "interlock")
    assert (table["name"], table["above"], table["until"]) == ("Drive too hot", 60, 55)
    assert view.campaign is not None
    row = grid.rows[0]
    assert isinstance(row, TableRow)
    above = row._cells["above"][1]
    assert isinstance(above, QLineEdit)
    above.selectAll()
    with qtbot.waitSignal(view.file.checked):
        qtbot.keyClicks(above, "50")
    assert items(view.file.values, "interlock")[0]["above"] == 50
    assert "trips it again" in grid.mistake.text()
    view.edits.set_tables("interlock", [{**table, "novel": 1}], "")
    assert row.table()["novel"] == 1
    row.removed.emit()
    assert "interlock" not in view.file.values


def test_estimate_and_commands_follow(view: CampaignView, qtbot: QtBot) -> None:
    duration = view.forecast.values["Duration"]
    qtbot.waitUntil(lambda: duration.text() == "1m50s")
    view.table.choose_rows([1])
    view.tabs.setCurrentIndex(COMMANDS)
    told = view.commands.text
    qtbot.waitUntil(lambda: "rw=write" in told.toPlainText())
    assert "rw=randread" not in told.toPlainText()
    view.edits.set([1], ("fio", "bs"), "2m")
    qtbot.waitUntil(lambda: "bs=2m" in told.toPlainText())
    view.edits.set([1], ("fio", "bs"), "2q")
    qtbot.waitUntil(lambda: told.toPlainText() == "")
    assert duration.text() != "1m50s"


def test_saving_makes_a_copy_of_ones_own(
    view: CampaignView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = own_folder() / "mine.toml"
    choose = partial(_answer, str(path))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    view.edits.set([0], ("runtime",), "3s")
    view.bar.buttons["save"].click()
    assert parse_campaign(path.read_text(), "mine").steps[0].runtime_s == 3
    assert [view.source] == [path]
    assert view.files.recent.paths == [path]
    qtbot.waitUntil(
        lambda: any(template.path == path for template in view.templates.templates)
    )
    assert view.templates.view.currentIndex().data() == view.file.name
    view.edits.set([0], ("runtime",), "4s")
    assert [view.source] == [None]
    path.write_text("# mine\n" + path.read_text())
    once_open(QDialog, press("Cancel"))
    view.bar.buttons["save"].click()
    assert path.read_text().startswith("# mine")
    once_open(QDialog, press("Overwrite it"))
    view.bar.buttons["save"].click()
    assert parse_campaign(path.read_text(), "mine").steps[0].runtime_s == 4


def test_a_copy_has_a_name_of_its_own(
    view: CampaignView, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposed: list[str] = []

    def choose(stem: str, *asked: object, **_: object) -> tuple[str, str]:
        proposed.append(Path(str(asked[2])).stem)
        return str(own_folder() / f"{stem or proposed[-1]}.toml"), ""

    shipped = view.file.name
    monkeypatch.setattr(QFileDialog, "getSaveFileName", partial(choose, ""))
    assert view.files.saving.save_as()
    assert proposed == ["demo-five-workloads-copy"]
    assert view.file.name == f"{shipped} copy"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", partial(choose, "night"))
    assert view.files.saving.save_as()
    assert view.file.name == "night"
    assert not view.file.has_changes
    view.file.rename("Named by hand")
    assert view.files.saving.save_as()
    assert parse_campaign((own_folder() / "night.toml").read_text(), "").name == (
        "Named by hand"
    )


def _answer(path: str, *_: object, **__: object) -> tuple[str, str]:
    return path, ""


def test_a_file_with_a_mistake_is_opened_to_be_mended(
    view: CampaignView, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(NEW.replace('"idle"', '"idel"'))
    view.files.open(path)
    qtbot.waitUntil(lambda: "idle" in field(view, "engine").mistake.text())
    assert view.campaign is None


def test_a_large_campaign_is_read_aside_and_laid_out_when_it_is_seen(
    view: CampaignView,
    theme: Theme,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = '[[step]]\nlabel = "S{}"\nengine = "idle"\nruntime = "1s"\n'
    path = tmp_path / "large.toml"
    path.write_text('name = "Large"\n' + "".join(map(step.format, range(300))))
    here: list[threading.Thread] = []

    def parse(text: str, where: str) -> Mapping[str, object]:
        here.append(threading.current_thread())
        return parsed_toml(text, where)

    monkeypatch.setattr("app.plan.blocks.parsed_toml", parse)
    monkeypatch.setattr("app.ui.campaign.file.check_campaign", None)
    view.files.open(path)
    qtbot.waitUntil(lambda: view.file.name == "Large")
    qtbot.waitUntil(lambda: not view.file._later.isActive())
    assert here
    assert threading.main_thread() not in here
    assert view.model.rowCount() == 300
    assert view.text.blockCount() < 300
    theme.choose(Choice.LIGHT)
    theme.choose(Choice.DARK)
    assert not view.file.has_changes
    view.tabs.setCurrentIndex(TEXT)
    assert view.text.toPlainText() == view.file.text


@pytest.mark.parametrize(
    "broken", ['name = "a\u202eb"\n', "name = [\n", "# \U0001f600\nname = 2026-02-30\n"]
)
def test_a_file_that_is_no_toml_takes_the_place_of_the_one_before(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, broken: str
) -> None:
    window.navigation.choose("Campaigns")
    view = window.pages.campaigns
    qtbot.waitUntil(lambda: bool(labels(view)))
    path = tmp_path / "broken.toml"
    path.write_text(broken)
    view.files.open(path)
    qtbot.waitUntil(lambda: view.file.path == path)
    assert view.head.title.text() == "broken"
    assert view.head.facts.text() == str(path)
    assert not labels(view)
    assert without_marks(view.text.toPlainText()) == broken
    [mistake] = view.file.mistakes
    assert mistake.line == broken[: broken.index("name")].count("\n") + 1
    for ask in (view.trouble.show_button.click, window.start_run):
        view.tabs.setCurrentIndex(STEPS)
        ask()
        assert view.tabs.currentIndex() == TEXT
        assert view.text.textCursor().blockNumber() == mistake.line - 1
    assert "Nothing was started" in window.status.currentMessage()
    assert view.files.saving.save()
    assert str(path) in window.status.currentMessage()
    assert path.read_text() == broken


def test_changes_are_asked_about_before_another_is_taken(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.edits.set([0], ("runtime",), "3s")

    once_open(QDialog, press("Cancel"))
    view.templates.wanted.emit(view.templates.templates[2])
    assert view.file.name.startswith("Demo")
    assert view.file.has_changes
    once_open(QDialog, press("Discard changes"))
    view.templates.wanted.emit(view.templates.templates[2])
    assert view.file.name == view.templates.templates[2].name


def test_the_window_asks_before_it_closes(
    window: MainWindow, in_window: CampaignView, qtbot: QtBot
) -> None:
    in_window.edits.set([0], ("runtime",), "3s")
    once_open(QDialog, press("Cancel"))
    window.close()
    assert window.isVisible()
    once_open(QDialog, press("Discard changes"))
    window.close()
    assert not window.isVisible()
    assert not has_left_behind()


def test_a_draft_is_kept_while_one_edits_and_dropped_when_saved(
    view: CampaignView, qtbot: QtBot, tmp_path: Path, home: Path
) -> None:
    drafts = home / ".local" / "state" / "bayscope" / "drafts"
    view.edits.set([0], ("runtime",), "3s")
    qtbot.waitUntil(lambda: len(list(drafts.glob("*.json"))) == 1)
    view.file.save(tmp_path / "mine.toml")
    qtbot.waitUntil(lambda: not list(drafts.glob("*.json")))


def test_a_draft_that_was_left_is_brought_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    keeper = DraftKeeper()
    keeper.keep(Draft("Lost one", NEW.replace("New campaign", "Lost one"), "", 5.0))
    keeper.close()
    window.warm_up()
    page = window.pages.campaigns
    assert window.pages.currentWidget() is page
    qtbot.waitUntil(page.notice.isVisible)
    assert "Lost one" in page.notice.text.text()
    qtbot.waitUntil(lambda: page.file.name.startswith("Demo"))
    page.notice.back.click()
    assert page.file.name == "Lost one"
    assert page.file.has_changes
    assert not page.notice.isVisible()
    assert left_behind() == []  # it is this program's own now


def test_it_is_right_in_both_looks(view: CampaignView, theme: Theme) -> None:
    view.table.choose_rows([2])
    tabs = (STEPS, TEXT, SETTINGS, COMMANDS)
    light = [_ground(view, tab) for tab in tabs]
    theme.choose(Choice.DARK)
    assert min(light) > 200
    assert max(_ground(view, tab) for tab in tabs) < 80


def _ground(view: CampaignView, tab: int) -> int:
    view.tabs.setCurrentIndex(tab)
    return view.grab().toImage().pixelColor(400, 300).lightness()


def test_further_options_are_offered_with_fios_own_help(view: CampaignView) -> None:
    view.table.choose_rows([1])
    assert view.form.page.asker is not None
    told = {one.path[-1]: one.option.help for one in view.form.page.asker.fields}
    assert told["thinktime_spin"].startswith("Start think time by spinning")
    row = view.form.page.asker.findText("thinktime_spin")
    assert view.form.page.asker.itemData(row, Qt.ItemDataRole.ToolTipRole)


def test_undo_chooses_what_was_chosen_before(view: CampaignView) -> None:
    view.table.choose_rows([2, 3])
    view.steps.duplicate()
    assert view.table.rows() == [4, 5]
    view.file.stack.undo()
    assert view.table.rows() == [2, 3]
    view.file.stack.redo()
    assert view.table.rows() == [4, 5]
    view.steps.delete()
    view.file.stack.undo()
    assert view.table.rows() == [4, 5]
    view.steps.move_up()
    view.file.stack.undo()
    assert view.table.rows() == [4, 5]


def test_an_arrow_key_takes_what_it_chooses(view: CampaignView, qtbot: QtBot) -> None:
    listed, templates = view.templates.view, view.templates.templates
    names = [template.name for template in templates]
    row = names.index(view.file.name)
    listed.setFocus()
    qtbot.keyClick(listed, Qt.Key.Key_Down)
    assert view.file.name == names[row + 1]
    qtbot.keyClick(listed, Qt.Key.Key_Up)
    assert view.file.name == names[row]
    view.templates.set_templates(templates)
    assert view.file.name == names[row]


@pytest.mark.parametrize(("button", "steps"), [("Read it again", 1), ("Cancel", 7)])
def test_a_file_that_was_changed_elsewhere_is_not_started_unseen(
    view: CampaignView, qtbot: QtBot, tmp_path: Path, button: str, steps: int
) -> None:
    path = tmp_path / "mine.toml"
    view.file.save(path)
    started: list[bool] = []
    view.start_wanted.connect(lambda: started.append(True))
    view.start()
    assert started == [True]
    path.write_text(
        'name = "Other"\n[[step]]\nlabel = "Rest"\nengine = "idle"\nruntime = "1s"\n'
    )

    once_open(QMessageBox, press(button))
    view.start()
    qtbot.waitUntil(lambda: view.model.rowCount() == steps)
    assert started == [True]


def test_icons_of_a_form_follow_the_theme(view: CampaignView, theme: Theme) -> None:
    theme.choose(Choice.LIGHT)
    limits = view.form.findChild(LimitsEditor)
    assert limits is not None
    limits.add_row()

    def colours() -> list[int]:
        buttons = (limits.more, limits.rows[0]._remove)
        icons = [button.icon().pixmap(16, 16).toImage() for button in buttons]
        return [
            max(
                image.pixelColor(x, y).lightness()
                for x in range(image.width())
                for y in range(image.height())
                if image.pixelColor(x, y).alpha() > 200
            )
            for image in icons
        ]

    light = colours()
    theme.choose(Choice.DARK)
    assert all(b > a for a, b in zip(light, colours(), strict=True))


def test_the_estimate_is_made_again_after_a_run(
    window: MainWindow, in_window: CampaignView, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: not in_window.controller._timer.isActive())
    window.pages.refresh_lists()
    assert in_window.controller._timer.isActive()


def test_names_have_room_where_a_scroll_bar_comes(
    window: MainWindow, in_window: CampaignView, qtbot: QtBot
) -> None:
    listed = in_window.templates.view
    window.resize(1280, 1600)
    in_window.templates.set_templates(in_window.templates.templates)
    qtbot.waitUntil(lambda: not listed.verticalScrollBar().isVisible())
    window.resize(1280, 500)
    qtbot.waitUntil(listed.verticalScrollBar().isVisible)
    delegate = listed.itemDelegate()
    option = QStyleOptionViewItem()
    listed.initViewItemOption(option)

    def all_fit() -> bool:
        indexes = [listed.model().index(n, 0) for n in range(listed.model().rowCount())]
        return all(
            listed.visualRect(index).height()
            == delegate.sizeHint(option, index).height()
            for index in indexes
        )

    qtbot.waitUntil(all_fit)


def test_a_long_description_leaves_the_list_its_room(
    campaigns: CampaignView, tmp_path: Path, qtbot: QtBot
) -> None:
    long = "A sentence of the description. " * 200
    view, path = campaigns, tmp_path / "long.toml"
    path.write_text(f'name = "Long"\ndescription = "{long}"\n{_IDLE}')
    template = next(one for one in list_templates([path]) if one.path == path)
    view.templates.set_templates([*view.templates.templates, template])
    view.templates.mark(template)
    about = view.templates.about
    qtbot.waitUntil(about.isVisible)
    assert about.text().endswith(" ...")
    assert "".join(about.toolTip().split()) == "".join(long.split())
    assert view.templates.view.height() > about.sizeHint().height()


def test_no_label_of_the_form_shows_an_escape(
    campaigns: CampaignView, qtbot: QtBot
) -> None:
    """A label that breaks at "_" has nothing in it that the style writes out."""
    text = _IDLE.replace('"idle"', '"fio"')
    options = 'rw = "randread"\nio_submit_mode = "offload"\n'
    campaigns.file.begin(f'name = "Up"\n{text}[step.fio]\n{options}')
    qtbot.waitUntil(lambda: campaigns.model.rowCount() == 1)
    labels = [label.text() for label in campaigns.form.findChildren(QLabel)]
    assert any("_" in text for text in labels)
    assert [text for text in labels if printable(text, "\n") != text] == []


_IDLE = '[[step]]\nlabel = "Idle"\nengine = "idle"\nruntime = "1s"\n'
