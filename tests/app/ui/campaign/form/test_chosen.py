"""The chosen steps as one."""

from app.ui.campaign.form.chosen import Chosen

FAST = {"engine": "fio", "runtime": "1m", "fio": {"bs": "4k"}, "sweep": {"bs": ["4k"]}}
SLOW = {"engine": "fio", "fio": {"bs": "4k", "iodepth": 8}, "steady": {"method": "x"}}
IDLE = {"engine": "idle", "runtime": "1m"}


def test_nothing_is_chosen() -> None:
    none = Chosen()
    assert (none.engine, none.value(("runtime",)), none.axes) == ("", None, set())
    assert not none.is_several
    assert none.share("steady") == 0


def test_a_key_that_is_left_out_is_its_default() -> None:
    both = Chosen((FAST, SLOW))
    assert both.engine == "fio"
    assert not both.differs(("fio", "bs"))
    assert both.differs(("fio", "iodepth"))
    assert not both.differs(("fio", "iodepth"), "8")
    assert both.has(("fio", "iodepth"))
    assert both.share("steady") == 0.5
    assert both.axes == set()
    assert Chosen((FAST, FAST)).axes == {"bs"}


def test_several_engines_are_none() -> None:
    assert Chosen((FAST, IDLE)).engine == ""
