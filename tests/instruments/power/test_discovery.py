"""Meters found at ports, by what they answer to *IDN?."""

from collections.abc import Sequence
from typing import cast

from instruments.driver import Found
from instruments.power.dialects.yokogawa import GW_INSTEK, YOKOGAWA
from instruments.power.discovery import GW_INSTEK_ID, YOKOGAWA_ID, finder, ports_of
from instruments.tools.hosts import Host, LocalHost
from tests.instruments.scripted import TIMEOUT, Line, Script

ASKED = "*IDN?\r"


def test_meters_of_the_family_are_found_and_others_left_alone() -> None:
    answers: list[list[Line]] = [
        [(ASKED, "YOKOGAWA,WT310,C2PH13047V,F1.03")],
        [(ASKED, "YOKOGAWA,GS200,91F1,1.05")],
        [(ASKED, TIMEOUT)],
        [(ASKED, "GWInstek,GPM-8213,GES913349,V1.05")],
    ]
    script = Script(*answers)
    asked: list[Sequence[int]] = []

    def resources(makers: Sequence[int]) -> list[str]:
        asked.append(makers)
        return ["USB0", "USB1", "USB2", "ASRL3"]

    makers = (YOKOGAWA_ID, GW_INSTEK_ID)
    discover = finder(
        makers, (YOKOGAWA, GW_INSTEK), resources=resources, transport=script
    )
    assert discover(LocalHost()) == [
        Found("WT310 C2PH13047V", {"resource": "USB0"}),
        Found("GPM-8213 GES913349", {"resource": "ASRL3"}),
    ]
    script.finish()
    assert asked == [makers]
    assert discover(cast(Host, object())) == []  # another machine


def test_ports_of_a_maker_that_there_is_none_of() -> None:
    assert ports_of((0xFFFF,)) == []
