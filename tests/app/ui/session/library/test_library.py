"""The library in the window: searched, sorted, labelled and compared."""
# mypy: disallow-untyped-calls=False

import shutil
import threading
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QInputDialog, QLineEdit
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.operations.sessions.labels import Change, relabel
from app.record.store import Session, SessionSummary, Writer, summary
from app.ui.kit.context import Context
from app.ui.session import folder as folder_module
from app.ui.session.library import actions as actions_module
from app.ui.session.library.actions import to_bin
from app.ui.session.library.table import COLUMNS, LibraryTable
from app.ui.session.list import length_of, started_of
from app.ui.session.view import SessionsView
from app.ui.window.main_window import MainWindow
from instruments.errors import BadInput
from tests.app.ui.dialogs import once_open
from tests.app.ui.sample import write_sample
from tests.session_info import session_info

_PADDING = 20
"""Pixels beside the text of a cell."""

# What is offered pops up, and the offscreen platform has no window manager.
pops_up = pytest.mark.qt_log_ignore("does not support")


@pytest.fixture
def folder(recorded: Path, tmp_path: Path) -> Path:
    place = Path(shutil.copytree(recorded, tmp_path / "lab"))
    (place / "broken.bayscope").write_text("no session")
    relabel(place / "first.bayscope", Change(tags=("good",), note="fan 3"))
    return place


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot, folder: Path) -> SessionsView:
    window.navigation.choose("Sessions")
    found = window.pages.sessions
    found.set_folder(folder)
    found.browser.as_table.click()
    qtbot.waitUntil(lambda: len(names(found)) == 3)
    return found


def names(view: SessionsView) -> list[str]:
    return [one.path.stem for one in view.browser.table.shown]


def search(view: SessionsView, text: str, qtbot: QtBot) -> None:
    field = view.browser.search.field
    field.clear()
    with qtbot.waitSignal(view._listing.matched):
        qtbot.keyClicks(field, text)


def choose(view: SessionsView, *stems: str) -> None:
    view.browser.table.choose({view.folder / f"{stem}.bayscope" for stem in stems})


def test_the_model_keeps_the_rules(
    context: Context, recorded: Path, qtmodeltester: ModelTester, qtbot: QtBot
) -> None:
    table = LibraryTable(context)
    qtbot.addWidget(table)
    table.show_sessions([summary(path) for path in recorded.iterdir()])
    qtmodeltester.check(table.model())


@pops_up
def test_a_query_narrows_table_and_list(view: SessionsView, qtbot: QtBot) -> None:
    search(view, "tag:good", qtbot)
    qtbot.waitUntil(lambda: names(view) == ["first"])
    assert view.model.rowCount() == 1
    assert view.browser.place.text().startswith("1 of 3")
    search(view, "verdict:unreadable", qtbot)
    qtbot.waitUntil(lambda: names(view) == ["broken"])
    qtbot.keyClick(view.browser.search.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(names(view)) == 3)


@pops_up
def test_a_mistake_is_said_below_the_field_and_hides_nothing(
    view: SessionsView, qtbot: QtBot
) -> None:
    qtbot.keyClicks(view.browser.search.field, "devise:x")
    mistake = view.browser.search.mistake
    qtbot.waitUntil(mistake.isVisible)
    assert "device" in mistake.text()
    assert len(names(view)) == 3
    search(view, "jbod", qtbot)
    assert not mistake.isVisible()


@pops_up
def test_what_can_be_written_is_offered(view: SessionsView, qtbot: QtBot) -> None:
    field = view.browser.search.field
    field.setText("power_")
    assert "power_w>" in field.offers()
    qtbot.keyClicks(field, " tag:g")
    qtbot.waitUntil(lambda: field.offers() == ["tag:good"])
    field._complete("tag:good")
    assert field.text() == "power_ tag:good "
    field.setText('-device:"sim')
    qtbot.waitUntil(lambda: field.offers() == ['-device:"Simulated 60-bay JBOD"'])


@pytest.mark.parametrize("column", range(len(COLUMNS)))
def test_every_column_sorts_whatever_the_sessions_are(
    column: int, context: Context, qtbot: QtBot
) -> None:
    odd = [
        SessionSummary(Path("a.bayscope"), error="broken"),
        SessionSummary(Path("b.bayscope"), "<b>", started=5, tags=("x",), steps=3),
        SessionSummary(Path("c.bayscope"), state="recording", starred=True, size=9),
    ]
    table = LibraryTable(context)
    qtbot.addWidget(table)
    table.show_sessions(odd)
    head = table.horizontalHeader()
    head.setSortIndicator(column, Qt.SortOrder.AscendingOrder)
    up = table.shown
    head.setSortIndicator(column, Qt.SortOrder.DescendingOrder)
    key = COLUMNS[column].key
    assert [key(one) for one in table.shown] == [key(one) for one in reversed(up)]


def test_columns_up_to_the_note_are_seen_whole_in_a_small_window(
    window: MainWindow, view: SessionsView, qtbot: QtBot
) -> None:
    window.resize(1280, 720)
    table = view.findChild(LibraryTable)
    assert table is not None
    qtbot.waitUntil(lambda: table.isVisible() and table.viewport().width() < 900)
    titles = [one.column.title for one in COLUMNS]
    note = titles.index("Note")
    right = table.columnViewportPosition(note) + table.columnWidth(note)
    assert right <= table.viewport().width()
    assert {"Started", "Session", "Device", "Verdict"} < set(titles[:note])
    for title, text in (
        ("Started", "2026-11-23 11:17:52"),
        ("Session", "Demo: five workloads"),
    ):
        wanted = table.fontMetrics().horizontalAdvance(text)
        assert wanted + _PADDING <= table.columnWidth(titles.index(title))
    assert table.textElideMode() is Qt.TextElideMode.ElideMiddle, "names end unlike"
    broken = SessionSummary(Path("a.bayscope"), error="a.bayscope: it is cut short")
    assert COLUMNS[note].column.text(broken) == "it is cut short"


def test_a_verdict_that_is_not_clean_is_whole(qtbot: QtBot, context: Context) -> None:
    table = LibraryTable(context)
    qtbot.addWidget(table)
    names = ("PASS", "FAIL", "ERROR", "ABORTED")
    table.show_sessions(
        [SessionSummary(Path(n), state="finished", verdict=n, unclean=2) for n in names]
    )
    verdict = [one.column.title for one in COLUMNS].index("Verdict")
    assert table.sizeHintForColumn(verdict) > 100
    assert table.columnWidth(verdict) >= table.sizeHintForColumn(verdict)


def test_what_is_cut_gets_the_room_that_is_left(qtbot: QtBot, context: Context) -> None:
    table = LibraryTable(context)
    qtbot.addWidget(table)
    table.resize(1900, 400)
    table.show()
    device = [one.column.title for one in COLUMNS].index("Device")
    one = SessionSummary(Path("a.bayscope"), "Demo", dut="Simulated 60-bay JBOD")
    table.show_sessions([one])
    assert table.columnWidth(device) >= table.sizeHintForColumn(device) > 108
    table.setColumnWidth(device, 50)
    table.show_sessions([one, SessionSummary(Path("b.bayscope"), "Demo")])
    assert table.columnWidth(device) == 50, "as the user made it"


def test_one_that_is_chosen_is_previewed_and_opened(
    view: SessionsView, qtbot: QtBot
) -> None:
    choose(view, "first")
    qtbot.waitUntil(view.preview._table.isVisible)
    assert view.preview.title.text() == "First run"
    assert view.preview._lines[0].isVisible()
    choose(view, "broken")
    assert "not a Bayscope session" in view.preview._trouble.text()
    choose(view, "second")
    with qtbot.waitSignal(view.session_opened):
        qtbot.keyClick(view.browser.table, Qt.Key.Key_Return)
    assert view.record is not None
    assert view.record.path.name == "second.bayscope"
    assert not view.preview.isVisible()


def test_labels_are_stored_in_the_files(view: SessionsView, qtbot: QtBot) -> None:
    choose(view, "first", "second")
    assert view.tools.tags.text() == ""
    qtbot.keyClicks(view.tools.tags, "new, fw-7")
    with qtbot.waitSignal(view.tools.changed):
        qtbot.keyClick(view.tools.tags, Qt.Key.Key_Return)
    assert summary(view.folder / "first.bayscope").tags == ("fw-7", "good", "new")
    assert summary(view.folder / "second.bayscope").tags == ("fw-7", "new")
    choose(view, "first")
    qtbot.waitUntil(lambda: view.tools.tags.text() == "fw-7 good new")
    assert view.tools.note.text() == "fan 3"
    with qtbot.waitSignal(view.tools.changed):
        view.tools._star()
    assert summary(view.folder / "first.bayscope").starred
    qtbot.waitUntil(lambda: view.browser.table.chosen[0].starred)
    assert [one.path.stem for one in view.browser.table.chosen] == ["first"]


def test_a_file_is_renamed(view: SessionsView, qtbot: QtBot) -> None:
    choose(view, "first")
    typed: list[str] = []

    def name(dialog: QInputDialog, text: str) -> None:
        typed.append(dialog.textValue())
        dialog.setTextValue(text)
        dialog.accept()

    once_open(QInputDialog, partial(name, text="own/name"))
    view.tools._rename()
    once_open(QInputDialog, partial(name, text="other"))
    qtbot.waitUntil(lambda: typed == ["first", "own/name"])
    qtbot.waitUntil(lambda: "other" in names(view))
    assert "first" not in names(view)


def test_the_session_that_is_open_follows_its_file(
    view: SessionsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.open(view.folder / "first.bayscope")
    qtbot.waitUntil(lambda: view.record is not None)
    head = view.page.head
    qtbot.waitUntil(lambda: head.facts.text().endswith("hash checked"))

    def name(dialog: QInputDialog) -> None:
        dialog.setTextValue("other")
        dialog.accept()

    told_in: list[threading.Thread] = []
    view.tools.renamed.connect(
        lambda *_: told_in.append(threading.current_thread()),
        Qt.ConnectionType.DirectConnection,
    )
    view.browser.as_table.setChecked(True)
    choose(view, "first")
    once_open(QInputDialog, name)
    view.tools._rename()
    qtbot.waitUntil(lambda: head.file.text() == "other.bayscope")
    new = view.folder / "other.bayscope"
    assert view.page.record is not None
    assert view.page.record.path == new
    assert view.page.record.session.is_unchanged()  # what is read later is found
    assert told_in == [threading.main_thread()]
    qtbot.waitUntil(lambda: "other" in names(view))
    assert not head.change.isVisibleTo(head)
    away = new.rename(new.with_suffix(".away"))
    asked_in: list[threading.Thread] = []
    exists = Path.exists

    def ask(path: Path) -> bool:
        if path == new:
            asked_in.append(threading.current_thread())
        return exists(path)

    monkeypatch.setattr(Path, "exists", ask)
    view.refresh()
    qtbot.waitUntil(lambda: head.change.isVisibleTo(head))
    assert threading.main_thread() not in asked_in
    gone = head.change.text()
    head.show_check("Its hash is wrong.")
    assert head.change.text() == f"Its hash is wrong. {gone}"
    away.rename(new)
    view.refresh()
    qtbot.waitUntil(lambda: head.change.text() == "Its hash is wrong.")


@pytest.mark.parametrize("agreed", [True, False])
def test_what_is_deleted_goes_to_the_bin_once_that_is_meant(
    view: SessionsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, *, agreed: bool
) -> None:
    monkeypatch.setattr(actions_module, "ask", lambda *_, **__: agreed)
    choose(view, "first", "broken")
    if agreed:
        with qtbot.waitSignal(view.tools.changed):
            view.tools._delete()
        qtbot.waitUntil(lambda: names(view) == ["second"])
        assert not (view.folder / "first.bayscope").exists()
    else:
        view.tools._delete()
        assert (view.folder / "first.bayscope").exists()


def test_one_that_was_cut_off_goes_to_the_bin_only_whole(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "live.bayscope", session_info())
    writer.set_session(verdict="PASS", ended_ns=5)
    writer.commit()
    for end in ("", "-wal"):
        shutil.copy(f"{writer.path}{end}", tmp_path / f"cut.bayscope{end}")
    writer.finish()
    path = tmp_path / "cut.bayscope"
    before = {one.name for one in tmp_path.iterdir()}
    assert "cut.bayscope-wal" in before
    with pytest.raises(BadInput, match="cut off"):
        to_bin([path])
    assert {one.name for one in tmp_path.iterdir()} == before
    Session.open(path).close()
    to_bin([path])
    assert not list(tmp_path.glob("cut*"))


def test_two_that_are_chosen_are_compared(
    view: SessionsView, window: MainWindow, qtbot: QtBot
) -> None:
    choose(view, "first", "second")
    view.tools._compare()
    compare = window.pages.compare
    first, second = (view.folder / f"{name}.bayscope" for name in ("first", "second"))
    qtbot.waitUntil(lambda: set(compare.lanes.paths) == {first, second})
    assert window.pages.currentWidget() is compare


def test_the_folder_is_followed_by_itself(
    view: SessionsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "_FOLLOW_MS", 50)
    view.refresh()
    write_sample(view.folder / "late.bayscope", step_s=2, name="Late")
    qtbot.waitUntil(lambda: "late" in names(view))
    (view.folder / "first.bayscope").unlink()
    qtbot.waitUntil(lambda: "first" not in names(view))


def test_published_results_stand_behind_the_others(
    view: SessionsView, qtbot: QtBot
) -> None:
    # One of the others is broken, which is found out after all are listed.
    listing = view._listing
    with qtbot.waitSignal(listing.looked), qtbot.waitSignal(listing.listed):
        listing.show_published(True)
    found = [one for one in view.browser.table.shown if one.published]
    assert {started_of(one) for one in found} == {"2019", "2020", "2022", "2023"}
    assert {length_of(one) for one in found} == {""}
    assert len(found) > 20
    view.browser.table.choose({found[0].path})
    assert not view.tools._actions["Delete..."].isEnabled()
    assert not view.tools._actions["Star"].isEnabled()
    assert view.tools._actions["Open"].isEnabled()
    view.open(found[0].path)
    page = view.page
    qtbot.waitUntil(lambda: page.tabs.currentWidget() is page.report)
    with qtbot.waitSignal(view._listing.listed):
        view._listing.show_published(False)
    assert len(names(view)) == 3


def test_every_control_has_a_name(view: SessionsView) -> None:
    for place in (view.browser, view.preview):
        buttons = place.findChildren(QAbstractButton)
        # Qt's own button that empties a line has a name of its own.
        own = [one for one in buttons if not isinstance(one.parent(), QLineEdit)]
        for part in (*own, *place.findChildren(QLineEdit)):
            assert part.accessibleName() or not part.isVisible()
