"""The big figures: values, and gaps that are said."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.report.chart.scale import scale_of
from app.ui.kit.theme import Theme
from app.ui.session.readout import Quiet, Readout, Shown, readouts_of
from app.ui.session.readouts import ReadoutCard
from instruments.reading import Channel

POWER = Readout("Power", (Channel("mains", "P", "W"),), scale_of("W"), 0)


@pytest.fixture
def card(qtbot: QtBot, theme: Theme) -> ReadoutCard:
    found = ReadoutCard(POWER, theme)
    qtbot.addWidget(found)
    return found


def test_a_card_has_a_name_from_the_beginning(card: ReadoutCard) -> None:
    assert card.caption == "Power"
    assert card.accessibleName() == "Power: not read yet"


def test_a_value_has_its_unit_and_extremes(card: ReadoutCard) -> None:
    card.show_value(Shown("593.1", "W", "min 578.3  max 784.8"))
    assert card.accessibleName() == "Power: 593.1 W"
    assert card._note.text() == "min 578.3  max 784.8"


def test_a_gap_says_why_and_shows_no_figure(card: ReadoutCard) -> None:
    card.show_value(Shown("593.1", "W"))
    card.show_value(Shown(gap="timeout"))
    texts = (card._value.text(), card._unit.text(), card._note.text())
    assert texts == ("gap", "", "reason: timeout")
    assert card.accessibleName() == "Power: gap: timeout"


def test_no_load_is_no_gap(card: ReadoutCard) -> None:
    card.show_value(Shown(gap=Quiet.NO_LOAD))
    assert (card._value.text(), card._note.text()) == ("-", Quiet.NO_LOAD)


def test_the_time_of_a_simulated_value_stands_apart(qtbot: QtBot, theme: Theme) -> None:
    card = ReadoutCard(replace(POWER, simulated=True), theme)
    qtbot.addWidget(card)
    with qtbot.waitExposed(card):
        card.show()
    card.show_value(Shown("593.1", "W"), "09:20:40")
    qtbot.waitUntil(lambda: card._at.width() >= card._at.sizeHint().width())
    assert card._fake.x() - card._at.geometry().right() > 4


def test_every_figure_of_a_simulated_load_is_marked() -> None:
    load = [Channel("fio", "read_bw", "B/s"), Channel("fio", "read_iops", "1/s")]
    marks = {
        one.caption: one.simulated for one in readouts_of(load, frozenset({"fio"}))
    }
    assert marks == {"Read throughput": True, "IOPS, read + write": True}
