"""The first page: one click for each task, and the sessions that came last."""
# mypy: disallow-untyped-calls=False

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QMessageBox
from pytestqt.qtbot import QtBot

from app.plan.limits import FOREIGN
from app.plan.phases import is_open_ended
from app.ui.run.control import RunPlan
from app.ui.window.help import HelpButton
from app.ui.window.home import BENCH, COMPARE, DEMO, READINGS
from app.ui.window.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton


def test_the_window_opens_with_what_can_be_done(
    window: MainWindow, qtbot: QtBot
) -> None:
    home = window.pages.home
    assert window.pages.currentWidget() is home
    assert window.focusWidget() is home._tasks[DEMO]
    assert "Simulated bench" in home._bench.text()
    qtbot.waitUntil(lambda: home._sessions.count() > 0)
    names = {home._sessions.item(n).text() for n in range(home._sessions.count())}
    assert any("First run" in name and "PASS" in name for name in names)


def test_what_is_not_clean_is_no_plain_pass_and_an_unread_folder_has_none(
    window: MainWindow, qtbot: QtBot, recorded: Path, tmp_path: Path
) -> None:
    copy = shutil.copy(recorded / "first.bayscope", tmp_path / "foreign.bayscope")
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute(
            "INSERT INTO result (step_id, name, value, unit, start_ns, end_ns) "
            f"SELECT id, '{FOREIGN}', 50, '%', 0, 1 FROM step "
            "WHERE engine = 'fio'"
        )
    home = window.pages.home
    qtbot.waitUntil(lambda: home._sessions.count() == 2)
    window.navigation.choose("Bench")
    window.pages._take_folder(tmp_path)
    window.navigation.choose("Home")
    assert home._sessions.count() == 0  # and none of the folder before
    qtbot.waitUntil(lambda: home._sessions.count() == 1)
    assert "PASS, not clean" in home._sessions.item(0).text()
    window.navigation.choose("Bench")
    window.pages._take_folder(tmp_path / "gone")
    window.navigation.choose("Home")
    assert home._sessions.count() == 0


def test_what_another_program_records_appears_by_itself(
    window: MainWindow, qtbot: QtBot, recorded: Path, tmp_path: Path
) -> None:
    shutil.copy(recorded / "first.bayscope", tmp_path)
    home = window.pages.home
    window.navigation.choose("Bench")
    window.pages._take_folder(tmp_path)
    window.navigation.choose("Home")
    rows = home._sessions
    qtbot.waitUntil(lambda: rows.count() == 1)
    rows.setCurrentRow(0)
    chosen = rows.item(0).text()
    shutil.copy(recorded / "second.bayscope", tmp_path)
    qtbot.waitUntil(lambda: rows.count() == 2)
    assert rows.currentItem().text() == chosen


def test_a_click_opens_a_session(window: MainWindow, qtbot: QtBot) -> None:
    rows = window.pages.home._sessions
    qtbot.waitUntil(lambda: rows.count() > 0)
    rows.setFocus()
    rows.setCurrentRow(0)
    with qtbot.waitSignal(window.pages.sessions.session_opened):
        qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert window.pages.currentWidget() is window.pages.sessions


@pytest.mark.parametrize(("task", "page"), [(BENCH, "Bench"), (COMPARE, "Compare")])
def test_tasks_lead_to_their_pages(
    window: MainWindow, qtbot: QtBot, task: object, page: str
) -> None:
    button = next(b for t, b in window.pages.home._tasks.items() if t is task)
    qtbot.mouseClick(button, LEFT)
    assert window.pages.currentWidget() is window.pages.made[page]


def test_one_click_begins_the_demo(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[RunPlan] = []
    monkeypatch.setattr(window.starter, "begin", plans.append)
    qtbot.mouseClick(window.pages.home._tasks[DEMO], LEFT)
    qtbot.waitUntil(lambda: len(plans) == 1)
    assert plans[0].bench.is_simulated
    assert plans[0].campaign.name == "Demo: five workloads"
    assert plans[0].out == window.pages.folder


def test_readings_are_watched_until_they_are_stopped(
    window: MainWindow, qtbot: QtBot
) -> None:
    """A real run: the simulated bench without a load, ended by Stop, has passed."""
    home = window.pages.home
    qtbot.mouseClick(home._tasks[READINGS], LEFT)
    qtbot.waitUntil(lambda: window.run.has_begun, timeout=60_000)
    assert not home._tasks[DEMO].isEnabled()
    plan = window.run.plan
    assert plan is not None
    assert is_open_ended(plan.campaign.steps[0].options)
    readouts = window.pages.live.panel.readouts
    qtbot.waitUntil(
        lambda: any(card.caption == "Power" for card in readouts.cards), timeout=60_000
    )
    qtbot.waitUntil(lambda: window.windowTitle().startswith("Running"), timeout=60_000)
    with qtbot.waitSignal(window.run.finished, timeout=60_000) as ended:
        window.run.stop()
    result = ended.args[0]
    assert result.verdict == "PASS"
    qtbot.waitUntil(lambda: window.windowTitle() == "Bayscope")
    assert home._tasks[DEMO].isEnabled()
    result.session.unlink()  # the folder is that of all tests of this process


def help_button(window: MainWindow) -> HelpButton:
    return window.status.help


def test_f1_opens_the_manual(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F1)
    manual = help_button(window)._manual
    assert manual is not None
    assert manual.isVisible()
    count = manual.headings.count()
    assert count > 5
    titles = [manual.headings.item(n).text().strip() for n in range(count)]
    assert "The table" in titles
    manual.search.setText("HMC8015")
    qtbot.keyClick(manual.search, Qt.Key.Key_Return)
    assert manual.text.textCursor().selectedText().lower() == "hmc8015"
    qtbot.keyClick(window, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    shown = manual.text.textCursor().block().text()
    assert shown == "The window"
    manual.close()


def test_about_tells_the_version(window: MainWindow) -> None:
    box: QMessageBox = help_button(window).show_about()
    assert "Apache" in box.text()
    assert all(isinstance(each, QAbstractButton) for each in box.buttons())
    box.close()
