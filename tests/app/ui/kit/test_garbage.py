"""Widgets in reference cycles go in the GUI thread, whoever makes objects."""

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from app.ui.kit.background import collect_here

GARBAGE = 1000


class Cycle(QDialog):
    """A dialog that knows itself."""

    def __init__(self, gone_in: list[threading.Thread]) -> None:
        super().__init__()
        self.itself = self
        self.destroyed.connect(
            lambda: gone_in.append(threading.current_thread()),
            Qt.ConnectionType.DirectConnection,
        )


@pytest.fixture(autouse=True)
def _as_python_begins() -> Iterator[None]:
    before = gc.get_threshold()
    gc.enable()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)
    gc.disable()


def test_a_dialog_in_a_cycle_is_not_destroyed_by_a_thread_that_makes_objects(
    qtbot: QtBot,
) -> None:
    parent = QObject()
    collect_here(parent)
    gone_in: list[threading.Thread] = []
    Cycle(gone_in)

    def make() -> None:
        made = [[[one]] for one in range(100 * GARBAGE)]
        made.clear()

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    assert gone_in == []
    gc.collect(1)  # as if many more had been made
    for _ in range(GARBAGE):
        made: list[object] = []
        made.append(made)
    qtbot.waitUntil(lambda: bool(gone_in))
    assert gone_in == [threading.main_thread()]
    assert not gc.isenabled()
