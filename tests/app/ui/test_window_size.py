"""Nothing that comes and goes makes the window larger than its screen."""

import dataclasses
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bench.file import default_bench
from app.bench.model import Bench
from app.campaign.phases.steering import Question
from app.campaign.run.progress import Progress
from app.record.store import StepRow
from app.ui.campaign.chooser import shipped_campaigns
from app.ui.kit.context import Context
from app.ui.kit.messages import make_message
from app.ui.run.standing import standing_of
from app.ui.run.start_dialog import StartDialog
from app.ui.window.main_window import MainWindow
from tests.app.ui.test_plain_text import CHANGES

LONG = (
    "Pull the drive of slot 7, wait until its light is out, and then put it back. " * 4
)
USUAL = 1272, 690
"""Pixels that a window manager leaves of a screen of 1280 by 720."""

SMALL = 952, 575
"""Pixels that a window manager leaves of a screen of 960 by 600."""


@pytest.fixture
def asking(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with a question, a verdict and a run above the charts of Live."""
    window.resize(*USUAL)
    window.navigation.choose("Live")
    live = window.pages.live
    live.watch(window.pages.sessions.folder / "first.bayscope")
    qtbot.waitUntil(lambda: len(live.panel.pane.chart.rows) > 2)
    live.question.ask(Question(1, LONG, missing="slot 7 is absent"), None)
    times = (1, None, None, 2)
    ended = StepRow(1, 1, "Clap", "idle", "", *times, "DONE", "ERROR", LONG)
    live.verdict.show_steps([ended])
    window.steering.show()
    qtbot.waitUntil(live.question.isVisible)
    return window


def test_a_question_and_a_verdict_leave_the_window_as_it_is(
    asking: MainWindow,
) -> None:
    hint = asking.minimumSizeHint()
    assert hint.height() <= USUAL[1]
    assert hint.width() <= SMALL[0]
    assert (asking.width(), asking.height()) == USUAL


class Resizes(QObject):
    """Counts what takes another size."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Resize
        return super().eventFilter(watched, event)


@pytest.mark.parametrize("height", [635, 638, 647, 656, 662])
def test_the_window_comes_to_rest_where_room_is_short(
    asking: MainWindow, qtbot: QtBot, qapp: QApplication, height: int
) -> None:
    resizes = Resizes(asking)
    asking.resize(SMALL[0], height)
    qapp.installEventFilter(resizes)

    def rests() -> bool:
        resizes.count = 0
        qtbot.wait(50)
        return resizes.count == 0

    qtbot.waitUntil(rests)
    qapp.removeEventFilter(resizes)


NAME = "W" * 290
"""No blank at which a line could be broken."""


@pytest.fixture
def named(recorded: Path, tmp_path: Path) -> Path:
    """A session in which everything has the name."""
    path = tmp_path / f"{NAME[:200]}.bayscope"
    shutil.copy(recorded / "first.bayscope", path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for sql in CHANGES:
            connection.execute(sql, (NAME,))
    return path


def long_named_bench() -> Bench:
    bench = default_bench()
    dut = dataclasses.replace(bench.dut, name=NAME, model=NAME)
    return dataclasses.replace(bench, name=NAME, dut=dut)


def test_no_name_makes_the_window_wider_than_a_small_screen(
    window: MainWindow, recorded: Path, named: Path, qtbot: QtBot
) -> None:
    window.resize(*SMALL)
    pages = window.pages
    pages.bench.file.begin(long_named_bench())
    window.steering._standing = standing_of(
        Progress("recording", step=1, steps=2, label=NAME)
    )
    window.steering._write(window.steering._standing)
    window.steering.show()
    window.navigation.choose("Live")
    pages.live.watch(named)
    pages.live.verdict.show_end("ERROR", [], NAME)
    window.navigation.choose("Sessions")
    pages.sessions.open(named)
    window.navigation.choose("Compare")
    pages.compare.compare(named, recorded / "second.bayscope")
    qtbot.waitUntil(lambda: pages.compare.comparison is not None)
    qtbot.waitUntil(lambda: pages.sessions.page.record is not None)
    for name in ("Bench", "Campaigns", "Live", "Sessions", "Compare", "Calculators"):
        window.navigation.choose(name)
        hint = window.minimumSizeHint()
        assert hint.width() <= SMALL[0], name
        assert hint.height() <= SMALL[1], name
    window.navigation.choose("Sessions")
    pages.sessions.browser.as_table.setChecked(True)
    assert window.minimumSizeHint().width() <= SMALL[0]
    assert window.width() == SMALL[0]
    assert NAME in window.status.state.toolTip()
    assert window.status.state.shown.endswith("\N{HORIZONTAL ELLIPSIS}")


def test_a_box_and_the_start_of_a_run_fit_on_a_small_screen(
    context: Context, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    box = make_message(context.icons, f"{NAME}: no answer.", window)
    box.show()
    assert box.text() == f"{NAME}: no answer."
    dialog = StartDialog(
        long_named_bench(), tmp_path, context, campaigns=shipped_campaigns()
    )
    qtbot.addWidget(dialog)
    dialog.show()
    hint = dialog.minimumSizeHint()
    assert max(box.width(), hint.width()) <= SMALL[0]
    assert hint.height() <= SMALL[1]
    box.close()
