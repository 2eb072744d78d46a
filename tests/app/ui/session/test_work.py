"""What is asked of a user about a stored session."""
# mypy: disallow-untyped-calls=False

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.session.work import make_mark_dialog


def test_the_dialog_of_a_mark_has_room_for_its_title(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    dialog = make_mark_dialog(window, "12:00:00")
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.width() >= 400
    assert dialog.labelText() == "Note at 12:00:00:"
    dialog.close()
