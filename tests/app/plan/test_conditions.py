import pytest

from app.plan.prompt import Condition, parse_conditions
from instruments.errors import OptionError


def test_conditions_are_read_and_written() -> None:
    text = "mains.P < 5; *.temperature.slot07 absent;ses.fan.fan1 present"
    found = parse_conditions("check", text)
    assert found == (
        Condition("mains.P", "<", 5.0),
        Condition("*.temperature.slot07", "absent"),
        Condition("ses.fan.fan1", "present"),
    )
    assert parse_conditions("check", "; ".join(str(one) for one in found)) == found


@pytest.mark.parametrize("text", ["mains.P", "mains.P = 5", "P < five", "P gone"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="is not a condition"):
        parse_conditions("check", text)


def test_what_holds_for_a_value_and_for_none() -> None:
    low, there, gone = parse_conditions("check", "a < 5; a present; a absent")
    assert [one.holds(4.0) for one in (low, there, gone)] == [True, True, False]
    assert [one.holds(5.0) for one in (low, there, gone)] == [False, True, False]
    assert [one.holds(None) for one in (low, there, gone)] == [False, False, True]
