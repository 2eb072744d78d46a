"""Doing something in a dialog as soon as it is open, on a slow machine too."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog
from pytestqt.qtbot import QtBot

from app.ui.run.start_dialog import StartDialog
from tests.app.ui.patient_bot import PATIENCE_MS

_LOOK_MS = 10

D = TypeVar("D", bound=QDialog)


def once_open(
    kind: type[D],
    act: Callable[[D], object],
    ready: Callable[[D], object] = lambda _: True,
) -> None:
    """Act on the next modal dialog of a kind as soon as it is there.

    A modal dialog holds up the test that opens it, so this comes before. One that
    does not come, or does not get ready, fails the test, and what is open is closed.

    Args:
        kind: Its class.
        act: What is done, once, in the dialog's own event loop.
        ready: What has to hold of the dialog before.
    """
    give_up = time.monotonic() + PATIENCE_MS / 1000

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, kind) and ready(dialog):
            act(dialog)
        elif time.monotonic() < give_up:
            QTimer.singleShot(_LOOK_MS, look)
        else:
            if isinstance(dialog, QDialog):
                dialog.reject()
            raise AssertionError(f"{kind.__name__} did not get ready")

    QTimer.singleShot(0, look)


def press(text: str) -> Callable[[QDialog], None]:
    """Make what presses the button of a dialog that has this text."""

    def act(dialog: QDialog) -> None:
        buttons = dialog.findChildren(QAbstractButton)
        next(b for b in buttons if b.text().replace("&", "").strip() == text).click()

    return act


def knows_campaign(dialog: StartDialog) -> bool:
    """Tell whether the chosen file was read: the window never waits for a folder."""
    return not dialog.form.campaigns.choice.is_being_read


def choose_campaign(dialog: StartDialog, file: Path, qtbot: QtBot) -> None:
    """Choose a campaign file as the button does, and wait until it was read."""
    dialog.form.campaigns.add(file)
    qtbot.waitUntil(lambda: knows_campaign(dialog))
