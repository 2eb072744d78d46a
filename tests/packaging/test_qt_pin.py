import sys

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot


def test_qt_calls_keep_their_references(qtbot: QtBot) -> None:
    """PySide6 6.12.0 drops one None a call on Python 3.11 and aborts in the end."""
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for _ in range(500):
        label.setText("x")
    assert sys.getrefcount(None) - before > -100
