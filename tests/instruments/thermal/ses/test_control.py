"""Locate lights and fan speeds of an enclosure."""

from pathlib import Path

import pytest

from instruments.errors import BadInput, SourceError
from instruments.thermal.ses.control import set_fan_speed, set_locate
from tests.instruments.thermal.shelves import Shelves, change


def _no_wait(_: float) -> None:
    """Do not wait."""


def _commands(shelves: Shelves) -> list[str]:
    return [c for c in shelves.calls() if "--set" in c or "--clear" in c]


def _light(place: Path, slot: int, on: bool) -> None:
    """Let the enclosure show a slot's light."""
    where = 8 + 4 + 4 * slot + 2  # the slots come first, and the bit is in byte 2
    change(place, "es", lambda page: page.__setitem__(where, 0x02 if on else 0))


def test_a_light_is_set_and_seen(shelves: Shelves) -> None:
    place = shelves.plug("sg5")
    _light(place, 7, on=True)  # what the enclosure says once it was told
    set_locate(shelves.host, "", 7, True, sleep=_no_wait)
    assert _commands(shelves) == ["--index=0,7 --set=ident /dev/sg5"]
    _light(place, 7, on=False)
    set_locate(shelves.host, "/dev/sg5", 7, False, sleep=_no_wait)
    assert _commands(shelves)[-1] == "--index=0,7 --clear=ident /dev/sg5"


def test_a_light_that_stays_dark_is_said(shelves: Shelves) -> None:
    shelves.plug("sg5")
    with pytest.raises(SourceError, match="the light of slot 3 stayed dark"):
        set_locate(shelves.host, "", 3, True, sleep=_no_wait)


def test_a_slot_that_is_not_there_is_refused(shelves: Shelves) -> None:
    shelves.plug("sg5")
    with pytest.raises(BadInput, match="no slot 12") as caught:
        set_locate(shelves.host, "", 12, True)
    assert caught.value.way_out == "Expected one of 0 to 11."
    assert _commands(shelves) == []


def test_all_fans_that_are_there_are_asked(shelves: Shelves) -> None:
    shelves.plug("sg5")
    set_fan_speed(shelves.host, "", 5)
    assert _commands(shelves) == [
        "--index=2,0 --set=speed_code=5 /dev/sg5",
        "--index=2,1 --set=speed_code=5 /dev/sg5",
        "--index=2,3 --set=speed_code=5 /dev/sg5",
    ]
    set_fan_speed(shelves.host, "", 1, fan=2)
    assert _commands(shelves)[-1] == "--index=2,1 --set=speed_code=1 /dev/sg5"


@pytest.mark.parametrize(("code", "fan"), [(0, None), (8, None), (3, 9)])
def test_a_speed_or_fan_that_is_not_there_is_refused(
    shelves: Shelves, code: int, fan: int | None
) -> None:
    shelves.plug("sg5")
    with pytest.raises(BadInput, match="there is no fan"):
        set_fan_speed(shelves.host, "", code, fan)
    assert _commands(shelves) == []


def test_the_second_module_is_told_where_the_first_refuses(shelves: Shelves) -> None:
    first = shelves.plug("sg5")
    shelves.plug("sg9")
    refusal = '[ -n "$words" ] && { echo "Illegal request" >&2; exit 5; }\n'
    (first / "trouble").write_text(refusal)
    set_fan_speed(shelves.host, "", 2, fan=1)
    assert _commands(shelves)[-1] == "--index=2,0 --set=speed_code=2 /dev/sg9"


def test_a_refusal_is_said(shelves: Shelves) -> None:
    place = shelves.plug("sg5")
    (place / "trouble").write_text(
        '[ -n "$words" ] && { echo "Permission denied" >&2; exit 15; }\n'
    )
    with pytest.raises(SourceError, match="not allowed"):
        set_fan_speed(shelves.host, "", 2)


def test_no_light_is_set_where_two_slots_have_the_number(shelves: Shelves) -> None:
    place = shelves.plug("sg5")
    change(place, "aes", lambda page: page.__setitem__(8 + 4 * 36 + 7, 3))  # was 4
    with pytest.raises(SourceError, match="has slot 3 more than once"):
        set_locate(shelves.host, "", 3, True, sleep=_no_wait)
    assert not _commands(shelves)
