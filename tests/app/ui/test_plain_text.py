"""Names from files and devices are shown letter by letter, whatever is in them."""
# mypy: disallow-untyped-calls=False

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QPushButton,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.operations.editing.commands import CommandPreview
from app.operations.sessions.listing import sessions_text
from app.operations.sessions.showing import show_text
from app.ui.campaign.previews import CampaignCommands
from app.ui.chart.legend import LegendEntry
from app.ui.chart.phase_strip import PhaseStrip
from app.ui.chart.plot_area import colour_axis
from app.ui.kit.icons import Icons
from app.ui.kit.messages import make_message
from app.ui.kit.theme import Theme
from app.ui.window.main_window import MainWindow

HOSTILE = '<b>bold</b><img src="/etc/hostname">'
CHANGES = (
    "UPDATE session SET name = ?1, dut = ?1, operator = ?1, note = ?1",
    "UPDATE step SET label = ?1 || label, reason = ?1",
    "UPDATE event SET message = ?1",
    "UPDATE source SET maker = ?1, model = ?1, serial = ?1",
    "UPDATE channel SET location = ?1 || location WHERE quantity = 'fan'",
    "UPDATE gap SET detail = ?1",
)


def labels(root: QWidget) -> list[QLabel]:
    return [one for one in root.findChildren(QLabel) if one.isVisible()]


def all_plain(root: QWidget) -> bool:
    plain = Qt.TextFormat.PlainText
    return all(label.textFormat() == plain for label in labels(root))


@pytest.fixture
def hostile(recorded: Path, tmp_path: Path) -> Path:
    path = tmp_path / "<b>hostile<b>.bayscope"
    shutil.copy(recorded / "first.bayscope", path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for sql in CHANGES:
            connection.execute(sql, (HOSTILE,))
    return path


def test_no_name_in_a_session_is_taken_for_markup(
    window: MainWindow, hostile: Path, recorded: Path, qtbot: QtBot
) -> None:
    window.navigation.choose("Sessions")
    page = window.pages.sessions
    page.open(hostile)
    qtbot.waitUntil(lambda: any(HOSTILE in label.text() for label in labels(page)))
    assert all_plain(window)
    window.navigation.choose("Compare")
    compare = window.pages.compare
    compare.compare(hostile, recorded / "second.bayscope")
    qtbot.waitUntil(lambda: compare.comparison is not None)
    for name in ("Bench", "Campaigns", "Live", "Sessions", "Compare"):
        window.navigation.choose(name)
        assert all_plain(window)


@pytest.mark.qt_log_ignore("does not support")
def test_tool_tips_and_messages_are_plain(window: MainWindow, icons: Icons) -> None:
    QToolTip.showText(QPoint(1, 1), HOSTILE, window)
    tips = [
        toplevelwidget
        for toplevelwidget in QApplication.topLevelWidgets()
        if isinstance(toplevelwidget, QLabel)
    ]
    assert [(tip.text(), tip.textFormat()) for tip in tips if tip.isVisible()] == [
        (HOSTILE, Qt.TextFormat.PlainText)
    ]
    QToolTip.hideText()
    box = make_message(icons, HOSTILE, window)
    box.show()
    assert all_plain(box)
    assert any(label.text() == HOSTILE for label in labels(box))
    box.close()


def test_the_unit_of_an_axis_is_plain(theme: Theme) -> None:
    axis = pg.AxisItem("left")
    colour_axis(axis, theme.tokens, "<b>W</b>")
    assert axis.label.toPlainText().strip() == "<b>W</b>"


TURNED = "a\u202eb\u200f\x1bc"
SHOWN = "a\\u202eb\\u200f\\x1bc"


def test_nothing_turns_the_letters_of_a_label_round(window: MainWindow) -> None:
    for kind in (QLabel, QPushButton):
        turned, plain = kind(TURNED, window), kind(SHOWN, window)
        for one in (turned, plain):
            one.resize(300, 40)
        assert turned.grab().toImage() == plain.grab().toImage()


def test_a_name_is_one_line_in_every_list(
    window: MainWindow, recorded: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    lines = f"{TURNED}\nof two"
    path = tmp_path / f"{lines}.bayscope"
    shutil.copy(recorded / "first.bayscope", path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for sql in CHANGES:
            connection.execute(sql, (lines,))
    text = show_text(path) + sessions_text(tmp_path)
    assert all(mark.isprintable() or mark == "\n" for mark in text)
    assert text.splitlines() == text.split("\n")[:-1]
    window.navigation.choose("Sessions")
    page = window.pages.sessions
    page.open(path)
    shown = f"{SHOWN}\\nof two"
    qtbot.waitUntil(lambda: any(shown in label.text() for label in labels(page)))
    for table in page.findChildren(QAbstractItemView):
        model = table.model()
        for row in range(model.rowCount()):
            cells = (model.index(row, column) for column in range(20))
            said = [str(cell.data() or "") for cell in cells if cell.isValid()]
            assert all(one.isprintable() for one in said), said
    strips = page.findChildren(PhaseStrip)
    qtbot.waitUntil(
        lambda: any(shown in strip.accessibleDescription() for strip in strips)
    )
    assert all(strip.accessibleDescription().isprintable() for strip in strips)
    assert all(one.label.isprintable() for one in page.findChildren(LegendEntry))


def test_a_curve_is_called_by_what_can_be_seen(theme: Theme, qtbot: QtBot) -> None:
    entry = LegendEntry(TURNED, QColor(theme.tokens.text), Qt.PenStyle.SolidLine)
    qtbot.addWidget(entry)
    assert entry.label == SHOWN


@pytest.mark.usefixtures("theme")
def test_commands_show_what_cannot_be_seen(qtbot: QtBot) -> None:
    previews = CampaignCommands()
    qtbot.addWidget(previews)
    previews.show_previews([CommandPreview("a", "fio", f"{TURNED}\nline two")], "bench")
    assert f"{SHOWN}\nline two" in previews.text.toPlainText()
