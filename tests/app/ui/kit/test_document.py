"""Where a file of the user's is saved."""
# mypy: disallow-untyped-calls=False

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.ui.bench import file as bench_file
from app.ui.campaign import file as campaign_file
from app.ui.kit import document
from app.ui.kit.document import ask_where, file_name
from app.ui.window.main_window import MainWindow
from instruments.files.whole_file import save_file
from tests.app.ui.dialogs import once_open, press


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Rack 3 / bay 2", "rack-3-bay-2.toml"),
        ("--", "bench.toml"),
        ("Prüfstand", "prüfstand.toml"),
    ],
)
def test_a_file_is_called_as_what_it_holds(name: str, found: str) -> None:
    assert file_name(name, "bench") == found


@pytest.mark.parametrize(
    ("chosen", "found"),
    [("", None), ("/x/a", Path("/x/a.toml")), ("/x/a.txt", Path("/x/a.txt"))],
)
def test_a_name_without_an_ending_gets_one(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, chosen: str, found: Path | None
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (chosen, ""))
    assert ask_where(window, "Save", Path("/x"), "Files (*)") == found


def test_benches_and_campaigns_are_read_and_written_by_workers(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at: list[tuple[str, bool]] = []

    def watch(module: object, name: str) -> None:
        act: Callable[..., object] = getattr(module, name)

        def watched(*given: Any) -> object:
            here = threading.current_thread() is threading.main_thread()
            at.append((name, here))
            return act(*given)

        monkeypatch.setattr(module, name, watched)

    bench, campaigns = window.pages.bench, window.pages.campaigns
    bench.file.save(tmp_path / "bench.toml")
    campaigns.file.save(tmp_path / "mine.toml")
    watch(document, "read_text")
    watch(bench_file, "save_bench")
    watch(bench_file, "load_bench")
    watch(campaign_file, "save_file")
    assert bench.dialogs.saving.save()
    assert campaigns.files.saving.save()
    assert at == [
        ("read_text", False),
        ("save_bench", False),
        ("load_bench", False),
        ("read_text", False),
        ("save_file", False),
    ]


def test_a_save_on_a_server_that_hangs_can_be_given_up(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()
    path = tmp_path / "mine.toml"

    def wait(*given: Any) -> None:
        answers.wait()
        save_file(*given)

    file, saving = window.pages.campaigns.file, window.pages.campaigns.files.saving
    file.save(path)
    file.rename("Another")
    monkeypatch.setattr(campaign_file, "save_file", wait)
    told: list[str] = []

    def give_up(box: QDialog) -> None:
        assert isinstance(box, QMessageBox)
        told.append(box.text())
        qtbot.keyClick(box, Qt.Key.Key_Escape)

    once_open(QMessageBox, give_up)
    assert not saving.save()
    assert str(path) in told[0]
    assert file.has_changes
    answers.set()
    qtbot.waitUntil(lambda: "Another" in path.read_text())


def test_a_slow_save_that_ends_takes_its_box_along(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()

    def wait(*given: Any) -> None:
        answers.wait()
        save_file(*given)

    file, saving = window.pages.campaigns.file, window.pages.campaigns.files.saving
    file.save(tmp_path / "mine.toml")
    file.rename("Another")
    monkeypatch.setattr(campaign_file, "save_file", wait)
    once_open(QMessageBox, lambda _: answers.set())
    assert saving.save()
    assert not file.has_changes
    assert not [one for one in window.findChildren(QMessageBox) if one.isVisible()]


def test_a_save_that_was_given_up_and_arrives_is_known(
    window: MainWindow,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only where a later one was written before it, the user is asked."""
    window.navigation.choose("Campaigns")
    view, path = window.pages.campaigns, tmp_path / "mine.toml"
    saving = view.files.saving
    view.file.save(path)
    lets_go, arrived = threading.Event(), threading.Semaphore(0)

    def hang(at: Path, content: bytes) -> None:
        lets_go.wait(60)
        save_file(at, content)
        arrived.release()

    def give_up(runtime: str) -> None:
        view.edits.set([0], ("runtime",), runtime)
        with monkeypatch.context() as slow:
            slow.setattr(campaign_file, "save_file", hang)
            once_open(QDialog, press("Cancel"))
            assert not saving.save()

    told: list[str] = []

    def overwrite(box: QMessageBox) -> None:
        told.append(box.text())
        press("Overwrite it")(box)

    give_up("3s")
    lets_go.set()
    assert arrived.acquire(timeout=60)
    assert '"3s"' in path.read_text()
    assert view.file.has_changes
    assert saving.save(), "nobody is asked of what was written here"
    assert view.file.saved == view.file.text

    lets_go.clear()
    give_up("4s")
    view.edits.set([0], ("runtime",), "5s")
    assert saving.save()
    lets_go.set()
    assert arrived.acquire(timeout=60)
    assert '"4s"' in path.read_text()
    once_open(QMessageBox, overwrite)
    assert saving.save()
    assert "A save that was given up has arrived in mine.toml" in told[0]
    assert '"5s"' in path.read_text()
