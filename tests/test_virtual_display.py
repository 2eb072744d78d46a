import subprocess
import sys
from pathlib import Path

import pytest

from tests.virtual_display import VirtualDisplay

WINDOW = """
from PySide6.QtWidgets import QApplication, QLabel
from PySide6.QtCore import QTimer
app = QApplication([])
label = QLabel("hello")
label.setWindowTitle("a real window")
label.setStyleSheet("background: #ff0000")
label.resize(400, 300)
label.show()
QTimer.singleShot(20_000, app.quit)
app.exec()
"""


@pytest.mark.xvfb
def test_a_program_opens_a_window_that_can_be_found_and_seen(
    display: VirtualDisplay, tmp_path: Path
) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", WINDOW], env=display.environment()
    )
    try:
        found = display.xdotool(
            "search", "--sync", "--onlyvisible", "--name", "a real window"
        )
        display.xdotool("windowactivate", "--sync", found)
        picture = display.screenshot(tmp_path / "shot.png")
    finally:
        program.terminate()
        program.wait(60)
    assert found.isdigit()
    assert picture.size == (1600, 1000)
    assert (tmp_path / "shot.png").stat().st_size > 0
    colours = picture.convert("RGB").getcolors(1 << 24)
    assert colours is not None
    assert {colour: n for n, colour in colours}.get((255, 0, 0), 0) > 50_000


@pytest.mark.xvfb
def test_two_displays_do_not_meet(display: VirtualDisplay) -> None:
    other = VirtualDisplay(800, 600)
    try:
        assert other.name != display.name
        assert other.screenshot().size == (800, 600)
    finally:
        other.stop()
