"""Where a file of the user's is saved."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.ui.bench import file as bench_file
from app.ui.campaign import file as campaign_file
from app.ui.kit import document
from app.ui.kit.document import ask_where, file_name
from app.ui.window.main_window import MainWindow


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
