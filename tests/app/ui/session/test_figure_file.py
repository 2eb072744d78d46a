"""A figure that was copied, until the program has ended."""

import os
import subprocess
import sys

import pytest

COPIES = """
import numpy as np
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.report.figures.figure import Axis, Figure, Series
from app.ui.session.figure_file import copy_figure

app = QApplication([])
axis = Axis("Time [s]")
line = Series("Read", np.array([1.0, 2.0]), np.array([3.0, 4.0]))
svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="7"/>'
for title in ("One", "Two"):
    copy_figure(Figure(title, "", axis, axis, (line,), source="a"), svg)
data = QGuiApplication.clipboard().mimeData()
print(sorted(data.formats()), data.imageData().size().toTuple())
print(data.text())
"""


@pytest.mark.parametrize("platform", ["offscreen", "minimal"])
def test_the_program_ends_in_order_while_the_clipboard_holds_a_figure(
    platform: str,
) -> None:
    """Without a screen Qt keeps the clipboard for longer than there is Python."""
    ended = subprocess.run(
        [sys.executable, "-c", COPIES],
        env={**os.environ, "QT_QPA_PLATFORM": platform},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    formats, *lines = ended.stdout.splitlines()
    assert formats == (
        "['application/x-qt-image', 'image/svg+xml', 'text/plain'] (18, 14)"
    )
    assert lines[0].startswith("series\t")
    assert len(lines) == 3
