"""The slots as they are drawn, chosen and explained."""
# mypy: disallow-untyped-calls=False

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.ui.kit.theme import Theme
from app.ui.session.slots.heat import heat
from app.ui.session.slots.map import SlotMap
from app.ui.session.slots.values import SlotState, SlotValue

STATE = SlotState(
    {
        "slot00": SlotValue(20.0),
        "slot01": SlotValue(60.0),
        "slot02": SlotValue(math.nan, "timeout"),
    },
    inlet=18.0,
)


@pytest.fixture
def slots(qtbot: QtBot, theme: Theme) -> SlotMap:
    found = SlotMap(theme)
    qtbot.addWidget(found)
    found.resize(400, 200)
    found.set_rows([["slot00", "slot01"], ["slot02", "slot03"]])
    found.set_state(STATE, rise=False)
    found.show()
    qtbot.waitExposed(found)
    return found


def middle(slots: SlotMap, name: str) -> QPoint:
    return slots.rect_of(name).center().toPoint()


def test_each_slot_has_its_colour(slots: SlotMap) -> None:
    image = slots.grab().toImage()
    for name, share in (("slot00", 0.0), ("slot01", 1.0)):
        place = slots.rect_of(name).bottomRight().toPoint() - QPoint(12, 8)
        assert QColor(image.pixel(place)) == heat(share)
    assert slots.colour_of("slot02") is None


def test_a_gap_is_hatched_and_says_its_reason(slots: SlotMap) -> None:
    assert slots.text_of("slot02") == ""
    assert slots.tip_of("slot02") == "slot02: gap (timeout)"
    assert slots.tip_of("slot03") == "slot03: not recorded"
    image = slots.grab().toImage()
    colours = {}
    for name in ("slot02", "slot03"):
        area = slots.rect_of(name).toRect().adjusted(8, 30, -8, -4)
        colours[name] = {
            image.pixel(x, y)
            for x in range(area.left(), area.left() + 24)
            for y in range(area.top() + 20, area.bottom())
        }
    assert len(colours["slot02"]) > len(colours["slot03"])


def test_the_rise_is_over_the_inlet(slots: SlotMap) -> None:
    assert slots.text_of("slot01") == "60.0"
    slots.set_state(STATE, rise=True)
    assert slots.text_of("slot01") == "+42.0"
    assert "+42.0 K over the inlet" in slots.tip_of("slot01")


def test_slots_are_chosen_by_mouse_and_keys(slots: SlotMap, qtbot: QtBot) -> None:
    with qtbot.waitSignal(slots.chosen):
        qtbot.mouseClick(slots, Qt.MouseButton.LeftButton, pos=middle(slots, "slot01"))
    assert slots.chosen_slot == "slot01"
    qtbot.keyClick(slots, Qt.Key.Key_Down)
    assert slots.chosen_slot == "slot03"
    qtbot.keyClick(slots, Qt.Key.Key_Right)
    assert slots.chosen_slot == "slot03"
    qtbot.keyClick(slots, Qt.Key.Key_Left)
    assert slots.chosen_slot == "slot02"


def test_nothing_is_chosen_by_keys_at_first(slots: SlotMap, qtbot: QtBot) -> None:
    qtbot.keyClick(slots, Qt.Key.Key_Right)
    assert slots.chosen_slot == "slot00"
