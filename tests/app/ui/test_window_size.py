"""Nothing that comes and goes makes the window larger than its screen."""

from pytestqt.qtbot import QtBot

from app.campaign.phases.steering import Question
from app.ui.window.main_window import MainWindow

LONG = (
    "Pull the drive of slot 7, wait until its light is out, and then put it back. " * 4
)
SMALL = 1272, 690
"""Pixels that a window manager leaves of a screen of 1280 by 720."""


def test_a_question_and_a_verdict_leave_the_window_as_it_is(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(*SMALL)
    window.navigation.choose("Live")
    live = window.pages.live
    live.watch(window.pages.sessions.folder / "first.bayscope")
    qtbot.waitUntil(lambda: len(live.board.pane.chart.rows) > 2)
    live.question.ask(Question(1, LONG, missing="slot 7 is absent"), None)
    live.verdict._show("ERROR", "Clap", LONG, 13)
    window.steering.show()
    qtbot.waitUntil(live.question.isVisible)
    hint = window.minimumSizeHint()
    assert hint.height() <= SMALL[1]
    assert hint.width() <= SMALL[0]
    assert (window.width(), window.height()) == SMALL
