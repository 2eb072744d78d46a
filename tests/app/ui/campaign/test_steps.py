"""Steps in their table: added, copied, switched, dragged, edited together."""
# mypy: disallow-untyped-calls=False

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
)
from pytestqt.qtbot import QtBot

from app.plan.edit import value_at
from app.ui.campaign.view import CampaignView
from tests.app.ui.campaign.campaigns_page import enter, field, labels, step


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
