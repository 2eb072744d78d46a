"""A run steered from the window: pause, skip, stop, the panic key, the badge."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from app.campaign.phases.steering import Steering
from app.plan.campaign import parse_campaign
from app.record.store import Session
from app.ui.run.control import RunPlan
from app.ui.window.main_window import MainWindow

REST = """
name = "Rest"
[[step]]
label = "A"
engine = "idle"
runtime = "{first}"
[[step]]
label = "B"
engine = "idle"
runtime = "{second}"
"""


def begin(
    window: MainWindow, folder: Path, first: str = "60s", second: str = "300ms"
) -> None:
    text = REST.format(first=first, second=second)
    campaign = parse_campaign(text, "test.toml")
    window.starter.begin(RunPlan(campaign, window.pages.bench.bench, folder))


def running(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the first step runs."""
    bar = window.steering
    qtbot.waitUntil(bar.skip.isEnabled)


def test_a_step_is_skipped_after_a_pause_was_asked_for(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    bar = window.steering
    assert not bar.isVisible()
    begin(window, tmp_path)
    assert bar.isVisible()
    running(window, qtbot)
    bar.pause.click()
    assert bar.pause.text() == "Resume"
    assert bar.pause.shortcut().toString() == "Ctrl+P"
    qtbot.waitUntil(lambda: bar.word.text() == "Pausing")
    bar.skip.click()
    assert bar.word.text() == "Skip A?"
    qtbot.keyClick(bar.no, Qt.Key.Key_Escape)
    assert not bar.is_asking
    bar.skip.click()
    bar.yes.click()
    qtbot.waitUntil(lambda: bar.word.text() == "Paused")
    with qtbot.waitSignal(window.run.finished) as finished:
        bar.pause.click()
    assert not bar.isVisible()
    assert finished.args is not None
    with Session.open(finished.args[0].session) as session:
        assert [row.outcome for row in session.steps()] == ["SKIPPED", "DONE"]
        told = [row.message for row in session.events() if row.source == "operator"]
    assert told == [
        "paused by the operator; the next step waits",
        "resumed by the operator",
    ]


def test_the_question_goes_with_the_step_that_it_is_about(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    bar = window.steering
    begin(window, tmp_path, first="1s")
    running(window, qtbot)
    bar.skip.click()
    with qtbot.waitSignal(window.run.finished) as finished:
        qtbot.waitUntil(lambda: bar.word.text() != "Skip A?")
        assert not bar.is_asking
        assert not bar.yes.isVisible()
        assert bar.word.text() == "Too late"
        assert bar.text.text().startswith("A ended by itself")
        qtbot.keyClick(bar, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert finished.args is not None
    with Session.open(finished.args[0].session) as session:
        assert [row.outcome for row in session.steps()] == ["DONE", "DONE"]


def test_what_comes_after_the_end_of_a_step_is_said_and_stored(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """A step that is over is not skipped, a closed question is not answered."""
    bar = window.steering
    begin(window, tmp_path, first="300ms", second="60s")
    running(window, qtbot)
    steering = window.run.steering
    assert steering is not None
    qtbot.waitUntil(lambda: bar._progress is not None and bar._progress.label == "B")
    steering.skip(1)
    steering.answer(1, "slot 9 is stiff")
    qtbot.waitUntil(lambda: "slot 9" in bar.text.text())
    bar.skip.click()
    with qtbot.waitSignal(window.run.finished) as finished:
        bar.yes.click()
    assert finished.args is not None
    with Session.open(finished.args[0].session) as session:
        assert [row.outcome for row in session.steps()] == ["DONE", "SKIPPED"]
        said = [row.message for row in session.events() if row.source == "operator"]
    assert said == [
        "A ended before it could be skipped",
        'the answer "slot 9 is stiff" came when its question was closed',
    ]


def test_a_skip_that_ends_nothing_is_missed_but_for_the_end_of_the_run() -> None:
    steering = Steering()
    steering.begin_step(1)
    steering.skip(1)
    steering.end_step(1, "A", by_itself=True)
    steering.begin_step(2)
    steering.skip(2)
    steering.end_step(2, "B", by_itself=False)
    assert steering.missed == ("A ended before it could be skipped",)
    steering.begin_step(3)
    steering.end("the bench is gone")
    steering.skip(3)
    steering.end_step(3, "C", by_itself=True)
    assert len(steering.missed) == 1


def test_a_question_about_the_run_is_closed_with_a_word_at_its_end(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    bar = window.steering
    begin(window, tmp_path, first="300ms")
    running(window, qtbot)
    with qtbot.waitSignal(window.run.finished):
        window.tools.stop.trigger()
        assert bar.word.text() == "Stop the run?"
    assert bar.isVisible()
    assert bar.text.text().startswith("The run ended by itself")
    for button in (bar.yes, bar.panic, bar.pause, bar.skip):
        assert not button.isVisible()
    qtbot.keyClick(bar.no, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_a_stop_is_asked_for_in_the_bar_and_can_be_taken_back(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    bar = window.steering
    begin(window, tmp_path)
    running(window, qtbot)
    window.tools.stop.trigger()
    assert bar.is_asking
    assert bar.no.hasFocus()
    assert bar.panic.isVisible()
    qtbot.keyClick(bar.no, Qt.Key.Key_Return)
    assert window.run.is_running
    assert not window.run.is_stopping
    with qtbot.waitSignal(window.run.finished):
        bar.panic.click()
        assert bar.word.text() == "Stopping"


def test_the_panic_key_works_under_a_dialog(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    begin(window, tmp_path)
    running(window, qtbot)
    dialog = QInputDialog(window)
    dialog.setWindowModality(Qt.WindowModality.ApplicationModal)
    dialog.open()
    qtbot.waitExposed(dialog)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    shift = Qt.KeyboardModifier.ShiftModifier
    with qtbot.waitSignal(window.run.finished):
        QTest.keyClick(dialog.windowHandle(), Qt.Key.Key_Escape, shift)
        assert window.run.is_stopping
    assert dialog.isVisible()
    dialog.close()
    dialog.deleteLater()


@pytest.mark.parametrize("shown", [True, False])
def test_a_page_that_needs_somebody_has_a_badge(
    window: MainWindow, qtbot: QtBot, *, shown: bool
) -> None:
    window.steering.needs_changed.emit(True)
    window.steering.needs_changed.emit(shown)
    button, _ = window.navigation._buttons["Live"]
    assert button.text() == ("Live (!)" if shown else "Live")
    assert button.shortcut().toString() == "Ctrl+3"
