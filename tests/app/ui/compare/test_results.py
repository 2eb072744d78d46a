"""Results over what was swept, and the other figures, on the page."""
# mypy: disallow-untyped-calls=False

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.record.store import Session
from app.report.figures.cases import cases_of
from app.report.figures.figure import Figure
from app.report.figures.kinds import ALL
from app.report.figures.svg import levels_of
from app.ui.compare.results import FigureChoosers
from app.ui.compare.view import CompareView
from app.ui.kit.widgets import row
from app.ui.window.main_window import MainWindow
from tests.app.report.figures.test_kinds import write


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> CompareView:
    write(tmp_path / "a.bayscope", (100, 200, 300, 400))
    write(tmp_path / "b.bayscope", (50, 150, 350, 600))
    window.resize(1280, 720)
    window.navigation.choose("Compare")
    found = window.pages.compare
    found.set_folder(tmp_path)
    qtbot.waitUntil(lambda: found.picker.count == 2)
    return found


def shown(view: CompareView) -> Figure | None:
    return view.results.view.figure


def choose(view: CompareView, key: str) -> None:
    keys = [kind.key for kind in ALL]
    view.results.choosers.kind.setCurrentIndex(keys.index(key))
    view.results.choosers.kind.activated.emit(keys.index(key))


@pytest.mark.qt_log_ignore("does not support raise")  # of tips, offscreen
def test_the_pointer_shows_a_value(
    view: CompareView, window: MainWindow, qtbot: QtBot
) -> None:
    ticks = view.picker.sessions
    ticks.setCurrentRow(0)
    qtbot.keyClick(ticks, Qt.Key.Key_Space)
    view.tabs.setCurrentWidget(view.results)
    qtbot.waitUntil(lambda: shown(view) is not None)
    picture, figure = view.results.view, shown(view)
    assert figure is not None
    [level] = levels_of(figure, picture.width(), picture.height())
    one = figure.series[0]
    x, y = level.across.at(one.x)[1], level.up.at(one.y)[1]
    qtbot.mouseMove(picture, QPoint(round(x) + 3, round(y) - 3))
    assert picture.spot is not None
    assert f"{one.y[1]:g}" in picture.spot.text
    qtbot.mouseMove(picture, QPoint(2, 2))
    assert picture.spot is None


def test_a_sweep_is_drawn_with_three_clicks(
    view: CompareView, window: MainWindow, qtbot: QtBot
) -> None:
    """On any page: Compare, a tick, another one; Results come by themselves."""
    ticks = view.picker.sessions
    ticks.setCurrentRow(0)
    qtbot.keyClick(ticks, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: shown(view) is not None)
    assert view.tabs.currentWidget() is view.results
    figure = shown(view)
    assert figure is not None
    assert figure.x.title == "bs"
    assert [len(one.x) for one in figure.series] == [4]
    assert window.width() == 1280, "no choice of figures widens the window"
    qtbot.keyClick(ticks, Qt.Key.Key_Down)
    qtbot.keyClick(ticks, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len((shown(view) or figure).series) == 2)
    assert view.tabs.currentWidget() is view.results
    view.tabs.setCurrentWidget(view.charts)
    qtbot.keyClick(ticks, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len((shown(view) or figure).series) == 1)
    assert view.tabs.currentWidget() is view.charts, "as it was chosen"


def test_another_kind_and_another_result_are_chosen(
    view: CompareView, qtbot: QtBot
) -> None:
    view.compare(*sorted(view.folder.glob("*.bayscope")))
    qtbot.waitUntil(lambda: shown(view) is not None)
    choose(view, "bars")
    up = view.results.choosers.up
    up.setCurrentIndex(up.findData("power_w"))
    up.activated.emit(up.currentIndex())
    qtbot.waitUntil(
        lambda: (one := shown(view)) is not None and one.y.title == "Power (W)"
    )
    choose(view, "slots")
    qtbot.waitUntil(lambda: shown(view) is None)
    assert "slot temperatures" in view.results._empty.text
    assert not view.results._save.isEnabled()


@pytest.mark.parametrize("suffix", [".svg", ".png", ".csv"])
def test_a_figure_is_saved_with_the_sessions_it_is_of(
    view: CompareView,
    qtbot: QtBot,
    tmp_path: Path,
    suffix: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view.compare(*sorted(view.folder.glob("*.bayscope")))
    qtbot.waitUntil(lambda: shown(view) is not None)
    target = tmp_path / f"figure{suffix}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    view.results._save.click()
    qtbot.waitUntil(target.exists)
    figure = shown(view)
    assert figure is not None
    readers: dict[str, Callable[[], str]] = {
        ".svg": lambda: target.read_text(encoding="utf-8"),
        ".png": lambda: QImage(str(target)).text("Source"),
        ".csv": lambda: target.read_text(encoding="utf-8"),
    }
    wanted = "A,4096,1000" if suffix == ".csv" else "a.bayscope"
    assert wanted in readers[suffix]()
    assert "sha256" in figure.source


def test_a_figure_is_copied_as_picture_and_as_text(
    view: CompareView, qtbot: QtBot
) -> None:
    view.compare(*sorted(view.folder.glob("*.bayscope")))
    qtbot.waitUntil(lambda: shown(view) is not None)
    view.results._copy.click()
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    assert data.text().startswith("series\tbs\t")


def test_a_box_shows_all_of_what_is_chosen_where_there_is_room(
    qtbot: QtBot, tmp_path: Path
) -> None:
    bar = QWidget()
    qtbot.addWidget(bar)
    choosers = FigureChoosers(bar)
    row(*choosers.widgets, None, of=bar)
    with Session.open(write(tmp_path / "a.bayscope", (100, 200, 300, 400))) as one:
        choosers.offer(cases_of([one]))
    bar.resize(1900, 60)
    bar.show()
    for box in (choosers.up, choosers.below, choosers.kind):
        longest = max(range(box.count()), key=lambda n: len(box.itemText(n)))
        box.setCurrentIndex(longest)
        box.activated.emit(longest)
        text = box.fontMetrics().horizontalAdvance(box.currentText())
        qtbot.waitUntil(lambda box=box, text=text: _room(box) >= text)  # type: ignore[misc]


def _room(box: QComboBox) -> int:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    part = QStyle.SubControl.SC_ComboBoxEditField
    control = QStyle.ComplexControl.CC_ComboBox
    return box.style().subControlRect(control, option, part, box).width()
