"""Errors and questions in the look of the program."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.operations.bench.reaching import UnreachableError
from app.ui.kit.icons import Icons
from app.ui.kit.messages import in_window, make_message
from instruments.errors import BenchError, SourceError


def test_the_way_out_is_that_of_the_window() -> None:
    silent = SourceError("no answer", where="10.0.0.7", way_out="Check the cable.")
    error = UnreachableError("mains", silent)
    assert str(error).endswith("Check the cable. Or run --without mains.")
    assert in_window(error) == (
        "10.0.0.7: mains cannot be recorded: no answer. Check the cable. "
        'Or untick "mains" under Required sources.'
    )


def test_other_errors_stay_as_they_are() -> None:
    error = BenchError("the disk is full", way_out="Make room.")
    assert in_window(error) == "the disk is full. Make room."


def test_a_message_is_plain_text(qtbot: QtBot, icons: Icons) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    box = make_message(icons, "<b>bench.toml</b>: no such file", parent)
    assert box.text() == "<b>bench.toml</b>: no such file"
    assert [button.text() for button in box.buttons()] == ["OK"]
    assert not box.iconPixmap().isNull()
