"""fio jobs of the Campaigns page: steps of a text join a campaign, steps are saved."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QMessageBox
from pytestqt.qtbot import QtBot

from app.operations.editing.fio_jobs import import_fio_file
from app.plan.blocks import items
from app.ui.campaign.fio_jobs.actions import FioExportDialog
from app.ui.campaign.fio_jobs.dialog import FioJobsDialog
from app.ui.campaign.view import TEXT, CampaignView
from tests.app.ui.dialogs import once_open

LINE = "fio --name=one --rw=randrw --rwmix=30 --bs=8k --runtime=20 --time_based"


@pytest.fixture
def view(campaigns: CampaignView) -> CampaignView:
    return campaigns


def labels(view: CampaignView) -> list[object]:
    return [step["label"] for step in items(view.file.values, "step")]


def when_read(act: Callable[[FioJobsDialog], object]) -> None:
    """Act on the dialog once it has read its text."""
    once_open(FioJobsDialog, act, ready=lambda dialog: dialog.found is not None)


def test_steps_join_the_campaign_in_hand_and_can_be_undone(view: CampaignView) -> None:
    before = labels(view)
    view.table.choose_rows([1])
    when_read(lambda d: d.add_button.click())
    view.fio.ask_about(LINE)
    after = labels(view)
    assert len(after) == len(before) + 1
    assert view.table.rows() == [2]
    assert view.model.records[2]["fio"] == {
        "rw": "randrw",
        "rwmixread": "30",
        "bs": "8k",
        "ioengine": "psync",
        "direct": "0",
    }
    view.file.stack.undo()
    assert labels(view) == before


def test_a_new_campaign_keeps_what_is_to_be_known(view: CampaignView) -> None:
    when_read(lambda d: d.new_button.click())
    view.fio.ask_about(LINE)
    assert len(labels(view)) == 1
    assert view.file.name == "Pasted fio jobs"
    assert "# - line 1: `--rwmix=30`" in view.file.text
    assert view.campaign is not None


def test_a_dialog_that_is_closed_changes_nothing(view: CampaignView) -> None:
    before = view.file.text
    when_read(lambda d: d.reject())
    view.fio.ask_about(LINE)
    assert view.file.text == before


def test_the_menu_opens_the_dialog_by_its_keys(
    view: CampaignView, qtbot: QtBot
) -> None:
    menu = view.bar.buttons["fio"].menu()
    names = [action.text().replace("&", "") for action in menu.actions()]
    assert names == ["Paste or open fio jobs...", "Save as fio jobs..."]
    seen: list[FioJobsDialog] = []

    def close(dialog: FioJobsDialog) -> None:
        seen.append(dialog)
        dialog.reject()

    once_open(FioJobsDialog, close)
    menu.actions()[0].trigger()
    assert seen


def test_steps_are_saved_as_jobs_that_come_back_the_same(
    view: CampaignView, qtbot: QtBot, tmp_path: Path
) -> None:
    to = tmp_path / "jobs"

    def fill(dialog: FioExportDialog) -> None:
        assert not dialog.warning.isVisible()
        dialog.target.setText("/scratch/file")
        assert dialog.warning.isVisible()
        dialog.target.clear()
        dialog.amount.setText("much")
        dialog.folder.setText("~nobody-knows-me/x")
        dialog.accept()
        assert "unknown user" in dialog.trouble.text()
        dialog.folder.setText(str(to))
        dialog.accept()
        qtbot.waitUntil(dialog.trouble.isVisible)
        assert 'size is "much"' in dialog.trouble.text()
        assert not to.exists()
        dialog.amount.clear()
        dialog.accept()

    once_open(FioExportDialog, fill)
    view.fio.save()
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    assert "5 job files" in box.text()
    assert "Idle" in box.text()
    box.close()
    files = sorted(to.glob("*.fio"))
    assert len(files) == 5
    back = import_fio_file(files[0]).campaign.steps[0]
    campaign = view.campaign
    assert campaign is not None
    first = next(step for step in campaign.steps if step.engine == "fio")
    assert back.options["rw"] == first.options["rw"]


def test_a_command_line_pasted_on_the_steps_is_shown_first(view: CampaignView) -> None:
    before = labels(view)
    QApplication.clipboard().setText(LINE)
    when_read(lambda d: d.add_button.click())
    view.table.pasted.emit()
    assert len(labels(view)) == len(before) + 1


def test_a_file_that_is_no_campaign_is_shown_first(
    view: CampaignView, tmp_path: Path
) -> None:
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\n{LINE}\n")
    when_read(lambda d: d.new_button.click())
    view.files.open(script)
    assert view.file.name == "run"
    assert "# Made of run.sh." in view.file.text


def test_what_fio_would_do_stands_beside_the_field(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.edits.set([1, 2], ("fio", "ioengine"), "psync")
    view.table.choose_rows([1])
    depth = view.form.fields[("fio", "iodepth")]
    qtbot.waitUntil(lambda: "psync waits" in depth.advice.text())
    assert depth.advice.isVisibleTo(view)
    label = view.model.index(2, 1)
    assert "psync waits" in label.data(Qt.ItemDataRole.ToolTipRole)
    view.table.choose_rows([0])
    assert not view.form.page.advice.text()
    view.edits.set([1, 2], ("fio", "ioengine"), None)
    qtbot.waitUntil(lambda: not view.controller.advice.rows)


def test_groups_fold_and_open_where_an_option_of_them_is_used(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.table.choose_rows([1])
    rate = view.form.fields[("fio", "rate")]
    assert not rate.isVisibleTo(view.form)
    view.edits.set([2], ("fio", "rate_process"), "poisson")
    view.table.choose_rows([2])
    assert view.form.fields[("fio", "rate")].isVisibleTo(view.form)
    field = view.form.fields[("fio", "norandommap")]
    editor = field.editor
    assert isinstance(editor, QCheckBox)
    field.show_value("1")  # as fio itself writes it
    assert editor.isChecked()
    field.show_value("0")
    assert not editor.isChecked()
    view.tabs.setCurrentIndex(TEXT)
    qtbot.waitUntil(lambda: view.text.width() > 900)  # the form gives its room away
    view.help._explain(None, view.form.fields[("fio", "rwmixread")].editor)
    assert view.help.text().startswith("rwmixread: Share of reads")
