"""One option as a field: what it shows, what it gives, what it complains of."""
# mypy: disallow-untyped-calls=False

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.ui.kit.option_field import OptionField
from instruments.errors import BadInput
from instruments.settings import Kind, Option, Value

PORT = Option("port", "TCP port.", Kind.INTEGER, 161, low=1, high=65535)
RANGE = Option("range", "Range.", Kind.NUMBER, 10.0, choices=(5.0, 10.0), unit="A")
FLAG = Option("trust", "Trust it.", Kind.FLAG, default=False)
DISKS = Option("disks", "Which disks.", Kind.TEXTS)
NEEDED = Option("address", "Where it is.", required=True, example="192.0.2.5")


def field(qtbot: QtBot, option: Option, typed: str = "") -> OptionField:
    found = OptionField(option)
    qtbot.addWidget(found)
    if typed and isinstance(found.editor, QLineEdit):
        found.editor.setText(typed)
    found.show()
    return found


@pytest.mark.parametrize(
    ("option", "typed", "value"),
    [
        (PORT, "", None),
        (PORT, "8161", 8161),
        (DISKS, "sda, sdb,", ("sda", "sdb")),
        (NEEDED, " 192.0.2.7 ", "192.0.2.7"),
    ],
)
def test_what_is_typed_is_what_it_gives(
    qtbot: QtBot, option: Option, typed: str, value: Value | None
) -> None:
    assert field(qtbot, option, typed).value() == value


@pytest.mark.parametrize("kind", [Kind.LINES, Kind.TEXT])
def test_what_turns_a_line_round_is_shown_as_a_mark(qtbot: QtBot, kind: Kind) -> None:
    found = field(qtbot, Option("text", "A text.", kind))
    found.show_value("a\u202eb")
    assert isinstance(found.editor, QLineEdit | QPlainTextEdit)
    shown = found.editor
    text = shown.text() if isinstance(shown, QLineEdit) else shown.toPlainText()
    assert "\u202e" not in text
    assert found.entered() == "a\u202eb"


def test_a_choice_that_may_be_left_out_is_left_out_at_first(qtbot: QtBot) -> None:
    """IPMI's cipher is tried where none is given: a form must not choose one."""
    cipher = Option("cipher", "Cipher suite.", Kind.INTEGER, choices=(17, 3))
    found = field(qtbot, cipher)
    assert found.value() is None
    found.set_value(3)
    assert found.value() == 3
    found.set_value(None)
    assert found.value() is None


@pytest.mark.parametrize(
    ("option", "typed", "said"),
    [
        (PORT, "70000", "from 1 to 65535"),
        (PORT, "http", "whole number"),
        (NEEDED, "", 'a text such as "192.0.2.5"'),
    ],
)
def test_a_mistake_is_said_below_it(
    qtbot: QtBot, option: Option, typed: str, said: str
) -> None:
    found = field(qtbot, option, typed)
    with pytest.raises(BadInput):
        found.value()
    assert said in found.mistake.text()
    assert found.mistake.isVisible()
    found.complain("")
    assert not found.mistake.isVisible()


def test_a_default_is_left_out_and_shown_as_a_hint(qtbot: QtBot) -> None:
    found = field(qtbot, PORT)
    assert isinstance(found.editor, QLineEdit)
    assert found.editor.placeholderText() == "161"
    found.set_value(161)
    assert found.editor.text() == ""
    assert found.value() is None


def test_a_choice_is_one_of_few(qtbot: QtBot) -> None:
    found = field(qtbot, RANGE)
    assert isinstance(found.editor, QComboBox)
    assert found.value() is None
    with qtbot.waitSignal(found.edited):
        found.editor.setCurrentText("5")
    assert found.value() == 5.0
    found.set_value(10.0)
    assert found.value() is None
    found.set_value(5.0)
    assert found.value() == 5.0


def test_a_flag_is_ticked(qtbot: QtBot) -> None:
    found = field(qtbot, FLAG)
    assert isinstance(found.editor, QCheckBox)
    found.set_value(True)
    assert found.value() is True


def test_a_choice_that_was_made_can_be_taken_back(qtbot: QtBot) -> None:
    mode = Option("mode", "Mode.", Kind.CHOICE, choices=("ac", "dc"))
    found = field(qtbot, mode)
    found.show_value("dc")
    assert isinstance(found.editor, QComboBox)
    with qtbot.waitSignal(found.edited) as told:
        found.editor.setCurrentIndex(0)
    assert told.args == [None]


def test_what_stands_in_a_file_is_shown_where_it_is_the_default(qtbot: QtBot) -> None:
    found = field(qtbot, PORT)
    found.show_value(161)
    assert found.entered() == "161"


def test_a_box_has_the_first_clause_of_its_help_and_a_tip_all(qtbot: QtBot) -> None:
    option = Option("x", "It is over early, and has passed then", kind=Kind.FLAG)
    field = OptionField(option)
    qtbot.addWidget(field)
    assert isinstance(field.editor, QCheckBox)
    field.show_value(True)
    assert field.editor.text() == "It is over early"
    field.show_several()
    assert field.editor.text().startswith("It is over early: ")
    assert "has passed then" in field.editor.toolTip()
