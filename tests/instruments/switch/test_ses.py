"""Locate lights and fan requests, through a fake sg_ses on the PATH."""

import pytest

from instruments.errors import BadInput, SourceError
from instruments.switch.base import Switch
from instruments.switch.ses import DRIVER
from tests.instruments.thermal.shelves import Shelves


def switch(shelves: Shelves) -> Switch:
    return DRIVER.build(DRIVER.settings("shelf", {}, shelves.host))


def sent(shelves: Shelves) -> list[str]:
    return [c for c in shelves.calls() if "--set" in c or "--clear" in c]


def test_a_light_is_put_out_and_read_back(shelves: Shelves) -> None:
    shelves.plug("sg5")
    shelf = switch(shelves)
    assert shelf.act("locate-off", "7") == "the light of slot 7 is off"
    assert sent(shelves) == ["--index=0,7 --clear=ident /dev/sg5"]
    shelf.close()


def test_a_light_that_stays_dark_is_an_error(shelves: Shelves) -> None:
    shelves.plug("sg5")
    with pytest.raises(SourceError, match="the light of slot 3 stayed dark"):
        switch(shelves).act("locate", "3")


def test_a_fan_speed_is_asked_for_and_not_promised(shelves: Shelves) -> None:
    shelves.plug("sg5")
    told = switch(shelves).act("fan", "2:5")
    assert told == "the enclosure took the request of speed 5 for fan 2"
    assert sent(shelves) == ["--index=2,1 --set=speed_code=5 /dev/sg5"]
    assert "for all fans" in switch(shelves).act("fan", "3")


@pytest.mark.parametrize(
    ("action", "place"), [("locate", "all"), ("fan", "9"), ("fan", "fast")]
)
def test_a_place_that_cannot_be_is_refused(
    shelves: Shelves, action: str, place: str
) -> None:
    shelves.plug("sg5")
    with pytest.raises(BadInput, match=f'"{place}" is no'):
        switch(shelves).act(action, place)
    assert sent(shelves) == []
