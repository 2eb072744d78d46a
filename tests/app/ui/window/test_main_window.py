"""The window as a whole: pages, shortcuts, errors, names, closing."""
# mypy: disallow-untyped-calls=False

import re
import shutil
import sys
import threading
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import thread_time

import pytest
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QColor, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QInputDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QSlider,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.bench.file import default_bench
from app.record.store import Session
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Choice, Theme
from app.ui.session.view import SessionsView
from app.ui.window.main_window import MainWindow
from instruments.errors import BenchError
from instruments.reading import SECOND
from tests.app.ui.sample import START, open_files

PAGES = ("Bench", "Campaigns", "Live", "Sessions", "Compare", "Calculators")
_BEATS = 20
"""So many beats say something about the slowest of them."""


def test_no_references_to_none_are_lost(window: MainWindow) -> None:
    """A wheel of Qt that drops them aborts on Python 3.11 (PYSIDE-3474)."""
    before = sys.getrefcount(None)
    for _ in range(500):
        window.status.values.setText("x")
    assert sys.getrefcount(None) - before > -100


def test_the_icon_of_every_button_follows_the_theme(
    window: MainWindow, theme: Theme
) -> None:
    def icons() -> dict[str, int]:
        buttons = window.findChildren(QAbstractButton)
        named = {one.text() or one.accessibleName(): one.icon() for one in buttons}
        # Those that Qt adds to fields and bars have no name, and icons of Qt's.
        return {n: i.cacheKey() for n, i in named.items() if n and not i.isNull()}

    theme.choose(Choice.LIGHT)
    for page in PAGES:
        window.navigation.choose(page)
    light = icons()
    theme.choose(Choice.DARK)
    dark = icons()
    theme.choose(Choice.LIGHT)
    assert len(light) > 20
    assert [name for name in light if dark[name] == light[name]] == []


def _shows(sessions: SessionsView, path: Path) -> bool:
    return sessions.record is not None and sessions.record.path == path


def each_page(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """Choose one page after the other, a session open in that of the sessions."""
    for page in ("Home", *PAGES):
        window.navigation.choose(page)
        if page == "Sessions":
            sessions = window.pages.sessions
            path = sessions.folder / "first.bayscope"
            sessions.open(path)
            # The newest one may just be opened by itself.
            qtbot.waitUntil(partial(_shows, sessions, path))
        yield page


def test_ctrl_and_a_number_choose_the_page(window: MainWindow, qtbot: QtBot) -> None:
    for number, page in enumerate(PAGES, 1):
        button, _ = window.navigation._buttons[page]
        assert button.shortcut() == QKeySequence(f"Ctrl+{number}")
        button.click()
        assert window.pages.currentWidget() is window.pages.made[page]


def test_values_at_the_crosshair_are_told_until_another_page_is_chosen(
    window: MainWindow,
) -> None:
    pages = window.pages
    for name, pane in (
        ("Live", lambda: pages.live.panel.pane),
        ("Sessions", lambda: pages.sessions.page.pane),
        ("Compare", lambda: pages.compare.charts.pane),
    ):
        window.navigation.choose(name)
        pane().chart.cursor_text.emit("Power 7 W")
        assert window.status.values.text() == "Power 7 W"
        window.navigation.choose("Bench")
        assert not window.status.values.text()


def test_live_without_a_session_says_what_to_do(window: MainWindow) -> None:
    window.navigation.choose("Live")
    empty = window.pages.live._empty
    assert empty.isVisible()
    assert empty._title.text() == "Nothing is being recorded"
    assert empty._button.isVisible()


def test_tools_are_offered_when_they_make_sense(
    window: MainWindow, qtbot: QtBot
) -> None:
    tools = window.tools
    assert tools.start.isEnabled()
    assert not tools.stop.isEnabled()
    assert not tools.mark.isEnabled()
    window.navigation.choose("Sessions")
    with qtbot.waitSignal(window.pages.sessions.session_opened):
        window.pages.sessions.open(window.pages.sessions.folder / "first.bayscope")
    assert tools.mark.isEnabled()
    tools.report.trigger()
    page = window.pages.sessions.page
    assert page.tabs.currentWidget() is page.report


def test_every_action_has_shortcut_and_tool_tip(window: MainWindow) -> None:
    tools = window.tools
    for action in (tools.start, tools.stop, tools.mark, tools.report):
        keys = action.shortcut().toString()
        assert keys
        assert keys in action.toolTip()
    shortcuts = [one.shortcut().toString() for one in tools.actions()]
    shortcuts += [f"Ctrl+{number}" for number in range(1, len(PAGES) + 1)]
    known = [shortcut for shortcut in shortcuts if shortcut]
    assert len(known) == len(set(known))


def _is_inner(widget: QWidget) -> bool:
    """Tell whether it is a part that Qt makes by itself."""
    return widget.objectName().startswith("qt_") or isinstance(
        widget.parentWidget(), QComboBox | QTableView
    )


def test_whatever_takes_the_focus_has_a_name(window: MainWindow, qtbot: QtBot) -> None:
    kinds = (QAbstractButton, QComboBox, QLineEdit, QSlider, QTableView)
    for page in each_page(window, qtbot):
        nameless = []
        for widget in window.findChildren(QWidget):
            focusable = widget.focusPolicy() != Qt.FocusPolicy.NoFocus
            if not (widget.isVisible() and focusable) or _is_inner(widget):
                continue
            own = widget.text().strip() if isinstance(widget, QAbstractButton) else ""
            if isinstance(widget, kinds) and not (widget.accessibleName() or own):
                nameless.append(widget)
        assert nameless == [], page


def test_what_a_label_says_is_read_out(window: MainWindow, qtbot: QtBot) -> None:
    for page in each_page(window, qtbot):
        labels = [one for one in window.findChildren(QLabel) if one.text()]
        assert len(labels) > 8
        hidden = [
            (one.accessibleName(), one.text())
            for one in labels
            if one.accessibleName() and one.text() not in one.accessibleName()
        ]
        assert hidden == [], page


def test_every_button_tells_what_it_does_and_by_which_key(
    window: MainWindow, qtbot: QtBot
) -> None:
    for page in each_page(window, qtbot):
        buttons = [b for b in window.findChildren(QAbstractButton) if b.isVisible()]
        assert len(buttons) > 8
        silent = [
            button.accessibleName() or button.text()
            for button in buttons
            if not (_is_inner(button) or re.search(r"\(\S.*\)$", button.toolTip()))
        ]
        assert silent == [], page


def test_tab_goes_round_without_a_trap(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for page in each_page(window, qtbot):
        seen: list[QWidget | None] = []
        for _ in range(60):
            focused = QApplication.focusWidget()
            if focused in seen and focused is seen[0]:
                break
            seen.append(focused)
            qtbot.keyClick(focused or window, Qt.Key.Key_Tab)
        assert len(set(map(id, seen))) >= 4, page


@pytest.mark.parametrize("page", PAGES)
def test_all_of_a_page_is_in_the_one_ring_of_tab(
    window: MainWindow, qtbot: QtBot, page: str
) -> None:
    window.navigation.choose(page)
    shown = window.pages.currentWidget()
    ring: set[QWidget] = set()
    here: QWidget | None = window
    while here is not None and here not in ring:
        ring.add(here)
        here = here.nextInFocusChain()
    every = [] if shown is None else shown.findChildren(QWidget)
    assert len(every) > 10
    inside = [one for one in every if one.window() is window]  # no popup of a box
    assert [one for one in inside if one not in ring] == []


def test_one_line_goes_all_along_below_tabs_and_none_above(
    window: MainWindow, theme: Theme, qtbot: QtBot
) -> None:
    window.navigation.choose("Sessions")
    tabs = window.pages.sessions.page.tabs
    qtbot.waitUntil(tabs.isVisible)
    picture = tabs.grab().toImage()
    colour = QColor(theme.tokens.border)
    widths = [
        sum(picture.pixelColor(x, y) == colour for x in range(tabs.width()))
        for y in range(tabs.tabBar().height() + 4)
    ]
    [line] = [width for width in widths if width > tabs.width() // 4]
    assert line > 0.98 * (tabs.width() - tabs.tabBar().tabRect(0).width())


def test_an_error_of_the_bench_is_one_sentence(
    window: MainWindow, qtbot: QtBot
) -> None:
    error = BenchError("the meter is gone", where="mains", way_out="Plug it in.")
    window.errors.show(error)
    window.errors.show(BenchError("so is the other"))
    dialog = window.errors.dialog
    assert dialog is not None
    assert dialog.text().startswith("mains: the meter is gone. Plug it in.")
    assert "so is the other" in dialog.text()
    assert len(window.findChildren(QMessageBox)) == 1
    dialog.accept()
    qtbot.waitUntil(lambda: window.errors.dialog is None)


def test_a_mistake_of_ours_is_logged_with_its_traceback(
    window: MainWindow, caplog: pytest.LogCaptureFixture
) -> None:
    window.errors.show(ZeroDivisionError("division by zero"))
    assert window.errors.dialog is not None
    assert "ZeroDivisionError" in window.errors.dialog.text()
    assert "internal error" in caplog.text
    window.errors.dialog.accept()


def test_every_page_takes_the_theme(window: MainWindow, theme: Theme) -> None:
    for page in PAGES:
        window.navigation.choose(page)
    theme.choose(Choice.DARK)
    shot = window.grab().toImage()
    assert shot.pixelColor(shot.width() // 2, 20).name() == theme.tokens.surface
    theme.choose(Choice.LIGHT)
    shot = window.grab().toImage()
    assert shot.pixelColor(shot.width() // 2, 20).name() == theme.tokens.surface


def test_a_mark_is_stored_at_the_playhead(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.bayscope"
    shutil.copy(window.pages.sessions.folder / "first.bayscope", copy)
    window.navigation.choose("Sessions")
    with qtbot.waitSignal(window.pages.sessions.session_opened):
        window.pages.sessions.open(copy)
    record = window.pages.sessions.record
    assert record is not None
    window.work.mark(record, record.layer.start + 5, "fan swapped")
    qtbot.waitUntil(
        lambda: window.statusBar().currentMessage() == "Marked: fan swapped"
    )
    with Session.open(copy) as session:
        (note,) = session.annotations()
    assert (note.text, note.kind) == ("fan swapped", "mark")
    assert note.start_ns == record.layer.start + 5


def test_a_mark_is_set_where_the_cursor_is(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the mouse in a chart; where it is not in one, by the playhead."""
    copy = tmp_path / "copy.bayscope"
    shutil.copy(window.pages.sessions.folder / "first.bayscope", copy)
    window.navigation.choose("Sessions")
    with qtbot.waitSignal(window.pages.sessions.session_opened):
        window.pages.sessions.open(copy)
    page = window.pages.sessions.page
    chart, start = page.pane.chart, START
    qtbot.waitUntil(lambda: all(c.line for row in chart.rows for c in row.drawn))
    asked: list[str] = []

    def answer(dialog: QInputDialog) -> int:
        asked.append(dialog.labelText())
        dialog.setTextValue(f"note {len(asked)}")
        return 1

    monkeypatch.setattr(QInputDialog, "exec", answer)
    view = chart.rows[1]._plot
    middle = view.viewport().rect().center()
    view.scene().sigMouseMoved.emit(view.mapToScene(middle))
    at = chart.crosshair.at
    assert at is not None
    assert 20 < at < 70
    window.tools.mark.trigger()
    qtbot.waitUntil(lambda: len(page.happenings.log.model.records) > 0)
    qtbot.waitUntil(lambda: chart.rows[1].marks.at(at, 0.01) is not None)
    view.mouse_left.emit()
    assert chart.crosshair.at is None
    chart.clicked.emit(33.0)
    window.tools.mark.trigger()

    def notes() -> list[int | None]:
        with Session.open(copy) as session:
            return [note.start_ns for note in session.annotations()]

    qtbot.waitUntil(lambda: len(notes()) == 2)
    assert notes() == [start + round(at * SECOND), start + 33 * SECOND]
    qtbot.waitUntil(
        lambda: (
            {"note 1", "note 2"}
            <= {row.message for row in page.happenings.log.model.records}
        )
    )


def test_no_key_has_two_meanings(window: MainWindow, qtbot: QtBot) -> None:
    """Qt does neither of them then."""
    for page in each_page(window, qtbot):
        found = window.findChildren(QAction)
        actions = [a for a in found if not a.shortcut().isEmpty()]
        buttons = [
            button
            for button in window.findChildren(QAbstractButton)
            if button.isVisible() and not button.shortcut().isEmpty()
        ]
        owners: dict[str, set[str]] = {}
        named = [(a.shortcut(), a.text()) for a in actions if _is_window_wide(a)]
        named += [(button.shortcut(), button.text()) for button in buttons]
        for keys, text in named:
            owners.setdefault(keys.toString(), set()).add(text.strip(" &."))
        assert {keys: own for keys, own in owners.items() if len(own) > 1} == {}, page


def _is_window_wide(action: QAction) -> bool:
    visible = any(
        isinstance(each, QWidget) and each.isVisible()
        for each in action.associatedObjects()
    )
    return visible and action.shortcutContext() == Qt.ShortcutContext.WindowShortcut


class ShownWindows(QObject):
    """Notes every widget that becomes a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        shown = event.type() == QEvent.Type.Show and isinstance(watched, QWidget)
        if shown and isinstance(watched, QWidget) and watched.isWindow():
            self.names.append(type(watched).__name__)
        return False


def test_no_other_window_ever_flashes_up(
    qapp: QApplication, window: MainWindow, qtbot: QtBot
) -> None:
    watcher = ShownWindows()
    qapp.installEventFilter(watcher)
    for page in PAGES:
        window.navigation.choose(page)
    with qtbot.waitSignal(window.pages.sessions.session_opened):
        window.navigation.choose("Sessions")
        window.pages.sessions.open(window.pages.sessions.folder / "first.bayscope")
    chart = window.pages.sessions.page.pane.chart
    qtbot.waitUntil(
        lambda: any(line is not None for row in chart.rows for _, line in row.curves)
    )
    qapp.removeEventFilter(watcher)
    assert watcher.names == []


def test_closing_joins_every_thread(
    qtbot: QtBot, theme: Theme, settings: Settings, recorded: Path
) -> None:
    window = MainWindow(default_bench(), recorded, theme, settings)
    window.show()
    for page in PAGES:
        window.navigation.choose(page)
    window.pages.sessions.open(recorded / "first.bayscope")
    window.close()
    assert not window.isVisible()
    assert open_files(recorded) == []
    alive = [one.name for one in threading.enumerate()]
    assert not [name for name in alive if name.startswith("bayscope-")]
    window.deleteLater()
    stored = Settings(settings.path).get("window")
    assert stored


def test_a_setting_that_cannot_be_kept_keeps_nothing_open(
    qapp: QApplication, qtbot: QtBot, recorded: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    settings = Settings(blocked / "settings.toml")
    theme = Theme(qapp, settings)
    theme.choose(Choice.LIGHT)
    window = MainWindow(default_bench(), recorded, theme, settings)
    window.show()
    window.navigation.choose("Sessions")
    with qtbot.waitSignal(window.pages.sessions.session_opened):
        window.pages.sessions.open(recorded / "first.bayscope")
    assert window.close()
    alive = [one.name for one in threading.enumerate()]
    assert not [name for name in alive if name.startswith("bayscope-")]
    assert open_files(recorded) == []
    window.deleteLater()


def test_messages_have_icons_of_ours_and_no_others(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.errors.show(BenchError("the meter is gone"))
    dialog = window.errors.dialog
    assert dialog is not None
    assert dialog.icon() == QMessageBox.Icon.NoIcon
    assert not dialog.iconPixmap().isNull()
    (button,) = dialog.buttons()
    assert button.text() == "OK"
    assert button.icon().isNull()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.errors.dialog is None)


def test_the_window_comes_back_where_it_was(
    qtbot: QtBot, theme: Theme, settings: Settings, tmp_path: Path
) -> None:
    first = MainWindow(default_bench(), tmp_path, theme, settings)
    first.resize(900, 540)
    first.show()
    first.close()
    first.deleteLater()
    second = MainWindow(default_bench(), tmp_path, theme, settings)
    assert second.size().height() == 540  # the screen here is 800 wide
    second.close()
    second.deleteLater()


def test_nothing_blocks_the_window_for_long(window: MainWindow, qtbot: QtBot) -> None:
    """The heartbeat of the GUI thread goes on while pages are opened and drawn.

    What counts is the time that the thread itself takes between two beats; what the
    machine gives to others says nothing about the window.
    """
    for page in PAGES:  # imports and first layouts are paid before
        window.navigation.choose(page)
    beats = [thread_time()]
    timer = QTimer()
    timer.timeout.connect(lambda: beats.append(thread_time()))
    timer.start(10)
    window.navigation.choose("Sessions")
    with qtbot.waitSignal(window.pages.sessions.session_opened):
        window.pages.sessions.open(window.pages.sessions.folder / "first.bayscope")
    head = window.pages.sessions.page.playhead
    head.set_speed(20)
    head.play()
    there = head.start + 25 * SECOND
    qtbot.waitUntil(lambda: head.position > there and len(beats) > _BEATS)
    timer.stop()
    gaps = sorted(b - a for a, b in pairwise(beats))
    # The same work takes several times as long on a core that is shared.
    assert gaps[int(len(gaps) * 0.95)] < 0.4
    assert gaps[-1] < 2.0


def test_a_page_has_the_keyboard_when_it_is_chosen(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for name, wanted in (
        ("Bench", window.pages.bench.table),
        ("Sessions", window.pages.sessions.list),
        ("Compare", window.pages.compare.picker.sessions),
    ):
        window.navigation.choose(name)
        assert QApplication.focusWidget() is wanted
