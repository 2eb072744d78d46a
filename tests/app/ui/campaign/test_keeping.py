"""A campaign as a file: saved, copied, opened, brought back, changed elsewhere."""
# mypy: disallow-untyped-calls=False

import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QMessageBox,
)
from pytestqt.qtbot import QtBot

from app.operations.editing.drafts import (
    Draft,
    DraftKeeper,
    has_left_behind,
    left_behind,
)
from app.operations.editing.templates import own_folder
from app.plan.campaign import parse_campaign
from app.plan.edit import NEW
from app.ui.campaign.view import STEPS, TEXT, CampaignView
from app.ui.kit.marks import without_marks
from app.ui.kit.theme import Choice, Theme
from app.ui.window.main_window import MainWindow
from instruments.files.foreign_text import parsed_toml
from tests.app.ui.campaign.campaigns_page import field, labels
from tests.app.ui.dialogs import once_open, press


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


def test_no_end_of_the_program_cuts_off_a_draft(
    view: CampaignView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = threading.Event(), threading.Event()
    by: list[threading.Thread] = []

    def keep(_: DraftKeeper, __: Draft) -> None:
        by.append(threading.current_thread())
        begun.set()
        go.wait(60)

    with monkeypatch.context() as patch:
        patch.setattr(DraftKeeper, "keep", keep)
        view.edits.set([0], ("runtime",), "3s")
        qtbot.waitUntil(begun.is_set)
        go.set()
    assert [one.daemon for one in by] == [False]


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
