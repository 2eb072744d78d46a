"""Another folder: nothing of the old one stays, and the list fills as it is read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.record.store.library import stamps
from app.ui.kit.background import Background
from app.ui.session import folder as folder_module
from app.ui.session import opener as opener_module
from app.ui.session.list import FACTS_ROLE
from app.ui.session.record import Record, open_record
from app.ui.session.view import SessionsView
from app.ui.window.main_window import MainWindow
from tests.app.ui.sample import changed_copy, write_sample


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> SessionsView:
    window.navigation.choose("Sessions")
    found = window.pages.sessions
    qtbot.waitUntil(lambda: found.record is not None)
    return found


@contextmanager
def busy(background: Background) -> Iterator[None]:
    """Keep all workers busy, as a slow disk does."""
    go = threading.Event()
    for _ in range(8):
        background.run(go.wait, lambda _: None)
    try:
        yield
    finally:
        go.set()


def test_the_old_list_goes_at_once(
    view: SessionsView, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    old = view.folder
    broken = old / "broken.bayscope"
    broken.write_text("no session")
    view.open(broken)
    qtbot.waitUntil(lambda: "broken.bayscope" in view._empty.text)
    write_sample(tmp_path / "new.bayscope", step_s=2, name="New")
    with busy(window.background):
        view.open(old / "first.bayscope")  # on its way while the folder is left
        view.set_folder(tmp_path)
        assert view.model.rowCount() == 0
        assert str(tmp_path) in view.browser.place.text()
        assert "broken.bayscope" not in view._empty.text
    qtbot.waitUntil(lambda: view.record is not None)
    assert view.record is not None
    assert view.record.path == tmp_path / "new.bayscope"


def test_the_list_fills_as_it_is_read(
    view: SessionsView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "_PART_S", 0.0)
    for name in "abc":
        write_sample(tmp_path / f"{name}.bayscope", step_s=2, name=name)
    told: list[tuple[int, str]] = []
    view._listing.reading.connect(
        lambda *_: told.append((view.model.rowCount(), view.browser.place.text()))
    )
    view.set_folder(tmp_path)
    qtbot.waitUntil(lambda: view.model.rowCount() == 3)
    assert [rows for rows, _ in told] == [0, 1, 2]
    assert told[1][1].startswith("Read 1 of 3")
    qtbot.waitUntil(lambda: view.browser.place.text() == str(tmp_path))


def test_a_changed_file_is_marked_after_it_was_listed(
    view: SessionsView, qtbot: QtBot, tmp_path: Path
) -> None:
    path = changed_copy(view.folder / "first.bayscope", tmp_path / "x.bayscope")
    view.set_folder(tmp_path)
    qtbot.waitUntil(lambda: view.model.row_of(path) == 0)
    qtbot.waitUntil(
        lambda: view.model.index(0).data(FACTS_ROLE).startswith("changed since")
    )


def test_compare_offers_nothing_of_the_old_folder(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.navigation.choose("Compare")
    compare = window.pages.compare
    qtbot.waitUntil(lambda: compare.picker.count > 0)
    with busy(window.background):
        compare.set_folder(tmp_path)
        assert compare.picker.paths == ()
        assert compare.lanes.records == ()
    qtbot.waitUntil(lambda: str(tmp_path) in compare._empty.text)


def test_a_session_of_the_old_folder_is_closed(
    view: SessionsView, qtbot: QtBot, tmp_path: Path
) -> None:
    with qtbot.waitSignal(view.session_closed):
        view.set_folder(tmp_path)
    assert view.record is None
    qtbot.waitUntil(lambda: str(tmp_path) in view.browser.place.text())


def test_a_folder_that_cannot_be_read_says_so_until_it_can(
    window: MainWindow,
    view: SessionsView,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(folder_module, "_FOLLOW_MS", 20)
    compare = window.pages.compare
    place = tmp_path / "sessions"
    place.symlink_to(place)  # what it leads to cannot be found out
    view.set_folder(place)
    qtbot.waitUntil(lambda: str(place) in view._empty.text)
    assert str(place) in view.browser.search.mistake.text()
    compare.set_folder(place)
    qtbot.waitUntil(lambda: "symbolic links" in compare._empty.text)
    place.unlink()
    place.mkdir()
    write_sample(place / "new.bayscope", step_s=2)
    qtbot.waitUntil(lambda: view.model.rowCount() == 1)
    assert view.browser.search.mistake.text() == ""


def test_a_folder_that_does_not_answer_is_asked_once_and_listed_when_it_does(
    view: SessionsView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "_FOLLOW_MS", 10)
    monkeypatch.setattr(folder_module, "_PATIENCE_S", 0.05)
    answers, asked = threading.Event(), []
    look = stamps

    def slow(folder: Path) -> object:
        asked.append(folder)
        answers.wait(60)
        return look(folder)

    write_sample(tmp_path / "new.bayscope", step_s=2)
    with monkeypatch.context() as patch:
        patch.setattr("app.operations.sessions.library.stamps", slow)
        view.set_folder(tmp_path)
        qtbot.waitUntil(lambda: str(tmp_path) in view._empty.text)
        qtbot.waitUntil(lambda: len(asked) == 2)  # one with a deadline, one without
        for _ in range(3):
            view.refresh()
            qtbot.wait(30)
        assert len(asked) == 2
        monkeypatch.setattr(folder_module, "_PATIENCE_S", 60.0)
        answers.set()
        qtbot.waitUntil(lambda: view.model.rowCount() == 1)


def test_one_that_is_long_in_opening_is_not_taken_for_the_one_shown(
    view: SessionsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()

    def slow(path: Path) -> Record:
        answers.wait(60)
        return open_record(path)

    monkeypatch.setattr(opener_module, "open_record", slow)
    view._opener._later.setInterval(10)
    view.open(view.folder / "first.bayscope")
    qtbot.waitUntil(lambda: view.record is None)
    answers.set()
    qtbot.waitUntil(lambda: view.record is not None)
    assert view.record is not None
    assert view.record.path.name == "first.bayscope"
