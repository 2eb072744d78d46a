"""[[switch]] in a bench."""

import pytest

from app.bench.build import build_switch
from app.bench.drivers import switch_drivers
from app.bench.file import parse_bench
from instruments.errors import BadInput

HEAD = 'name = "Lab"\n[dut]\nname = "JBOD"\ntarget = "/tmp/x"\nsize = "64m"\n'
GOOD = """
[[switch]]
driver = "snmp"
address = "192.0.2.7"
profile = "apc-rpdu2"
allow = ["on", "off"]
[[switch]]
name = "shelf"
driver = "ses"
allow = ["locate"]
"""


def test_switches_are_read_with_what_is_allowed() -> None:
    bench = parse_bench(HEAD + GOOD, "bench.toml")
    assert [(s.name, s.driver.name, s.allow) for s in bench.switches] == [
        ("switch", "snmp", ("on", "off")),
        ("shelf", "ses", ("locate",)),
    ]
    assert bench.switches[0].keys["settle"] == 30.0
    assert build_switch(bench, "shelf").switch.driver == "ses"


def test_nothing_is_allowed_where_nothing_is_said() -> None:
    text = HEAD + GOOD.replace('allow = ["locate"]\n', "")
    assert parse_bench(text, "b").switches[1].allow == ()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            ('"on", "off"', '"on", "of"'),
            r'line 11, .*allow has "of" .* Expected some of',
        ),
        (('"apc-rpdu2"', '"apc"'), 'profile is "apc"'),
        (('"shelf"', '"switch"'), 'the name "switch" is used twice'),
        (('driver = "ses"', 'driver = "ses"\nhost = "head"'), 'no host "head"'),
        (('driver = "ses"', 'driver = "sesame"'), 'driver is "sesame"'),
        (('driver = "ses"', 'driver = "ses"\nspeed = 3'), "unknown key"),
        (('address = "192.0.2.7"\n', ""), "address is missing"),
    ],
)
def test_a_mistake_names_its_line(change: tuple[str, str], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        parse_bench(HEAD + GOOD.replace(*change), "bench.toml")


def test_an_unknown_switch_names_those_there_are() -> None:
    bench = parse_bench(HEAD + GOOD, "bench.toml")
    with pytest.raises(BadInput, match=r'no switch "x"\. Available: switch, shelf\.'):
        build_switch(bench, "x")


def test_every_driver_says_what_may_be_allowed() -> None:
    for driver in switch_drivers().values():
        assert set(driver.permissions) <= set(driver.actions)
        assert driver.title
