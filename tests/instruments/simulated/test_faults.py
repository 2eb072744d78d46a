"""Faults: their names, their time, their ports."""

import pytest

from instruments.simulated.faults import NAMES, Fault, Faults, Port, parse_fault


def test_a_name_alone_is_both_ports_for_ever() -> None:
    assert parse_fault("drop") == Fault("drop", frozenset(Port), None)


@pytest.mark.parametrize(
    "text", ["silence,2.5,meter", "SILENCE, 2.5, Meter", "silence,meter,2.5"]
)
def test_seconds_and_port_in_any_order(text: str) -> None:
    assert parse_fault(text) == Fault("silence", frozenset({Port.METER}), 2.5)


@pytest.mark.parametrize("text", ["", "drip", "drop,", "drop,0", "drop,nan", "drop,x"])
def test_what_is_no_fault_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"no fault is called|neither seconds"):
        parse_fault(text)


def test_a_fault_ends_by_itself() -> None:
    now = [0.0]
    faults = Faults(clock=lambda: now[0])
    faults.set(Fault("drop", frozenset({Port.METER}), 2.0))
    faults.set(Fault("late", frozenset({Port.ENCLOSURE})))
    now[0] = 1.9
    assert (faults.at(Port.METER), faults.at(Port.ENCLOSURE)) == ("drop", "late")
    now[0] = 2.0
    assert (faults.at(Port.METER), faults.at(Port.ENCLOSURE)) == ("", "late")
    faults.clear()
    assert faults.at(Port.ENCLOSURE) == ""


def test_names_are_those_promised() -> None:
    assert {"drop", "silence", "refuse"} <= set(NAMES)
