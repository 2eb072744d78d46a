"""Where a file of the user's is saved."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.document import ask_where, file_name


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
