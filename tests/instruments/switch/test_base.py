"""What a bench allows, and what is read back."""

from collections.abc import Iterator

import pytest

from instruments.errors import BadInput, MaybeDone, SourceError
from instruments.reading import Identity, Status
from instruments.switch.base import (
    LOCATE,
    LOCATE_OFF,
    OFF,
    ON,
    await_state,
    order,
    permission,
)
from instruments.switch.guard import Guarded


class Lamp:
    """A switch in memory: one lamp."""

    name = "lamp"
    driver = "lamp"
    actions: tuple[str, ...] = (ON, OFF, LOCATE, LOCATE_OFF)

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def open(self) -> Identity:
        return Identity("", "lamp", "", "", "")

    def act(self, action: str, place: str) -> str:
        self.asked.append((action, place))
        return f"the lamp is {action}"

    def state(self, place: str) -> str:
        return ON

    def places(self) -> tuple[str, ...]:
        return ("1",)

    def close(self) -> None:
        """Nothing is held."""


def test_what_is_not_allowed_is_refused_and_names_the_key() -> None:
    lamp = Lamp()
    with pytest.raises(BadInput) as refused:
        Guarded(lamp, ("on",)).act(OFF, "1")
    assert str(refused.value) == (
        'lamp: the bench does not allow "off". Add "off" to allow in its [[switch]], '
        "if it may be done."
    )
    assert lamp.asked == []


def test_nothing_is_allowed_by_itself() -> None:
    lamp = Lamp()
    for action in lamp.actions:
        with pytest.raises(BadInput, match="does not allow"):
            Guarded(lamp, ()).act(action, "1")
    assert lamp.asked == []


def test_what_is_allowed_gives_a_record() -> None:
    record = Guarded(Lamp(), ("on",)).act(ON, "1")
    assert record.done
    assert record.at.tzinfo is not None
    assert record.text == f"{record.who}: on 1 on lamp: the lamp is on"


def test_a_light_that_may_be_lit_may_be_put_out() -> None:
    assert permission(LOCATE_OFF) == "locate"
    assert Guarded(Lamp(), ("locate",)).act(LOCATE_OFF, "7").done


def test_an_unknown_action_names_those_there_are() -> None:
    with pytest.raises(BadInput, match='"explode" is not an action of it'):
        Guarded(Lamp(), ("on",)).act("explode", "")


def test_a_state_is_awaited() -> None:
    states = iter(["on", "switching", "off"])
    waited: list[float] = []
    told = await_state(
        lambda: next(states),
        "off",
        "outlet 3",
        "pdu",
        settle_s=5,
        sleep=waited.append,
    )
    assert told == "outlet 3 is off"
    assert len(waited) == 2


def test_a_device_that_stays_as_it_is_is_an_error() -> None:
    with pytest.raises(SourceError, match="outlet 3 is still on and not off after 0 s"):
        await_state(lambda: "on", "off", "outlet 3", "pdu", settle_s=0)


def test_a_state_is_read_again_before_an_order_is_called_open() -> None:
    answers: Iterator[SourceError | str] = iter(
        [SourceError("late", status=Status.TIMEOUT), "off"]
    )

    def read() -> str:
        found = next(answers)
        if isinstance(found, SourceError):
            raise found
        return found

    waits: list[float] = []
    told = await_state(read, "off", "outlet 3", "p", settle_s=5, sleep=waits.append)
    assert told == "outlet 3 is off"

    def lost() -> str:
        raise SourceError("no answer", where="pdu", status=Status.TIMEOUT)

    with pytest.raises(MaybeDone, match="may have been done: no answer"):
        await_state(lost, "off", "outlet 3", "pdu", settle_s=0)


def test_an_order_that_is_late_is_open_and_one_that_is_refused_is_not() -> None:
    with pytest.raises(MaybeDone), order():
        raise SourceError("no answer", status=Status.TIMEOUT)
    with pytest.raises(SourceError, match="refused") as caught, order():
        raise SourceError("refused")
    assert not isinstance(caught.value, MaybeDone)
