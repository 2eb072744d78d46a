"""Another folder: nothing of the old one stays, and the list fills as it is read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.ui.kit.background import Background
from app.ui.session import folder as folder_module
from app.ui.session.list import FACTS_ROLE
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
