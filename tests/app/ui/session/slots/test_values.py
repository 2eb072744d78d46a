"""What slots read at a moment, and the span of their colours."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.record.store import Session
from app.ui.session.slots.values import (
    SlotState,
    SlotValue,
    colour_span,
    read_slots,
    slot_channels,
)
from instruments.reading import SECOND
from tests.app.ui.sample import START


@pytest.fixture
def session(recorded: Path) -> Iterator[Session]:
    with Session.open(recorded / "first.bayscope") as found:
        yield found


def test_all_slots_are_read_at_a_moment(session: Session) -> None:
    slots = slot_channels(session.channels())
    assert [slot.location for slot in slots] == [f"slot{n:02d}" for n in range(60)]
    inlet = next(
        channel for channel in session.channels() if channel.location == "inlet"
    )
    span = colour_span(session, slots)
    early = read_slots(session, slots, inlet, START + 5 * SECOND, span)
    late = read_slots(session, slots, inlet, START + 70 * SECOND, span)
    assert (early.slots["slot00"].temperature, len(early.known)) == (29.0, 60)
    assert late.slots["slot59"].temperature > early.slots["slot59"].temperature
    assert early.inlet == pytest.approx(23.4, abs=0.3)
    assert early.rise("slot00") == pytest.approx(5.6, abs=0.3)
    assert "Hottest slot" in late.summary
    assert "rise up to" in late.summary
    low, high = span
    assert low <= 29 < high
    assert low % 5 == high % 5 == 0


def test_before_the_first_reading_there_is_no_value(session: Session) -> None:
    slots = slot_channels(session.channels())
    state = read_slots(session, slots, None, START - 60 * SECOND, (20.0, 60.0))
    assert state.known == {}
    assert state.slots["slot00"].reason == "no reading"
    assert math.isnan(state.inlet)
    assert state.summary == "No slot has a temperature at this moment"


def test_a_summary_says_how_many_were_read() -> None:
    slots = {"slot00": SlotValue(30.0), "slot01": SlotValue(math.nan, "timeout")}
    said = SlotState(slots).summary
    assert "1 of 2 slots read" in said
    assert "inlet" not in said


def test_nothing_recorded_has_the_usual_span(session: Session) -> None:
    assert colour_span(session, []) == (20.0, 60.0)
