"""The Campaigns page, used as a person would: clicks, keys, dragging, text."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QStyleOptionViewItem,
)
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.operations.editing.templates import list_templates
from app.ui.campaign.text import CampaignText
from app.ui.campaign.view import COMMANDS, SETTINGS, STEPS, TEXT, CampaignView
from app.ui.kit.theme import Choice, Theme
from app.ui.run.start_dialog import StartDialog
from app.ui.window.main_window import MainWindow
from tests.app.ui.campaign.campaigns_page import IDLE, field
from tests.app.ui.dialogs import once_open


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
    path.write_text(f'name = "Long"\ndescription = "{long}"\n{IDLE}')
    template = next(one for one in list_templates([path]) if one.path == path)
    view.templates.set_templates([*view.templates.templates, template])
    view.templates.mark(template)
    about = view.templates.about
    qtbot.waitUntil(about.isVisible)
    assert about.text().endswith(" ...")
    assert "".join(about.toolTip().split()) == "".join(long.split())
    assert view.templates.view.height() > about.sizeHint().height()
