"""Charts over time as pictures and data."""
# mypy: disallow-untyped-calls=False

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.ui.chart.pane import ChartPane
from app.ui.window.main_window import MainWindow


@pytest.fixture
def pane(window: MainWindow, qtbot: QtBot) -> ChartPane:
    window.navigation.choose("Sessions")
    found = window.pages.sessions
    qtbot.waitUntil(lambda: found.record is not None)
    pane = found.page.pane
    qtbot.waitUntil(
        lambda: (
            bool(pane.chart.rows)
            and all(one.line is not None for r in pane.chart.rows for one in r.drawn)
        )
    )
    return pane


def saved(pane: ChartPane, path: Path, patch: pytest.MonkeyPatch) -> bytes:
    patch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    pane.save()
    while not path.exists():  # a worker writes it, whole
        QTest.qWait(5)
    return path.read_bytes()


def test_a_picture_has_lines_and_says_what_it_is_of(
    pane: ChartPane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pane.chart.layers[0].session.path
    root = ET.fromstring(saved(pane, tmp_path / "a.svg", monkeypatch))
    space = "{http://www.w3.org/2000/svg}"
    assert path.name in (root.findtext(f"{space}desc") or "")
    # Curves are lines, not a picture of them.
    longest = max(len(one.get("d") or "") for one in root.iter(f"{space}path"))
    assert longest > 2000
    saved(pane, tmp_path / "a.png", monkeypatch)
    assert "sha256" in QImage(str(tmp_path / "a.png")).text("Source")


def test_the_data_are_the_points_that_are_shown(
    pane: ChartPane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane.chart.zoom.zoom_to(10.0, 20.0)
    left, right = pane.chart.visible_range
    text = saved(pane, tmp_path / "a.csv", monkeypatch).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    power = [row for row in rows if row["curve"] == "Power"]
    assert power
    assert all(left <= float(row["seconds"]) <= right for row in rows)
    assert all(400 < float(row["mean"]) < 700 for row in power)


def test_a_folder_that_is_a_file_is_said(
    pane: ChartPane,
    tmp_path: Path,
    window: MainWindow,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[Exception] = []
    monkeypatch.setattr(pane._background, "failed", _Signal(heard))
    (tmp_path / "none").touch()
    target = str(tmp_path / "none" / "a.csv")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (target, ""))
    pane.save()
    while not heard:
        QTest.qWait(5)
    assert "cannot be written" in str(heard[0])


class _Signal:
    def __init__(self, heard: list[Exception]) -> None:
        self._heard = heard

    def emit(self, error: Exception) -> None:
        self._heard.append(error)


def test_the_charts_are_copied(pane: ChartPane) -> None:
    pane.copy()
    image = QGuiApplication.clipboard().image()
    assert image.width() == pane.chart.plots.width()
