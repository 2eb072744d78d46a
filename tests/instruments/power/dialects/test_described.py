"""Described meters against scripts: positions, names, scales, checks, gaps."""

import math
from dataclasses import replace

import pytest

from instruments.errors import BadInput, SourceError
from instruments.power.dialects.described import (
    Described,
    Description,
    Field,
    described_driver,
)
from instruments.power.points import Point, Timing
from instruments.reading import Status
from instruments.tools.hosts import LocalHost
from tests.instruments.power.dialect_bench import scripted, written
from tests.instruments.scripted import Line

POWER = Field("READ?", Point("P", "W"), position=1)
ENERGY = Field("ENER?", Point("Wh", "Wh"), position=2, scale=1 / 3600)
METER = Description(
    "Acme 12",
    r"ACME,12\w*,.*",
    Timing(1.0, 0.5, 0.25),
    (POWER, Field("READ?", Point("U", "V"), position=2), ENERGY),
    setup=("SYST:REM", "RANG 300"),
    checks=(("RANG?", r"300(\.0)?"),),
    restart=("ENER:RES",),
    release=("SYST:LOC",),
    nan=("OFF", "-1"),
    overrange=("OVL", "1E9"),
)
IDN = "ACME,12A,4711,1.0,B"


def read(first: str, second: str = "J,7200") -> list[Line]:
    return [("READ?", first), ("ENER?", second)]


def opening() -> list[Line]:
    return [
        ("*IDN?", IDN),
        *written("SYST:REM", "RANG 300"),
        *(("RANG?", "300.0"), *read("580.5,230.1")),
    ]


END = written("SYST:LOC")


def test_a_session_sends_exactly_this() -> None:
    lines = [*opening(), ("ENER:RES", None), *read("1,2"), *read("581,230"), *END]
    meter, script, _ = scripted(Described(METER), lines, line_end="\r")
    identity = meter.open()
    meter.begin_step("Idle", under_load=False)
    reading = meter.read()
    meter.close()
    script.finish()
    assert (identity.maker, identity.model, identity.serial) == ("ACME", "12A", "4711")
    assert identity.firmware == "1.0 B"
    assert reading.values == (581.0, 230.0, 2.0)
    assert reading.raw == b"581,230\nJ,7200"
    names = [channel.name for channel in meter.channels]
    assert names == ["mains.P", "mains.U", "mains.Wh"]


@pytest.mark.parametrize(
    ("token", "status"),
    [
        ("OFF", Status.NAN),
        ("off", Status.NAN),
        ("-1.0", Status.NAN),
        ("NAN", Status.NAN),
        ("OVL", Status.OVERRANGE),
        ("+1.000E+09", Status.OVERRANGE),
        ("9.9E37", Status.OVERRANGE),
    ],
)
def test_what_stands_for_no_value_is_a_gap(token: str, status: Status) -> None:
    lines = [*opening(), *read(f"{token},230.1"), *END]
    meter, script, _ = scripted(Described(METER), lines)
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert math.isnan(reading.values[0])
    assert reading.statuses == (status, Status.OK, Status.OK)


def test_power_that_is_fed_in_is_a_value_and_what_cannot_be_is_none() -> None:
    lines = [*opening(), *read("-581,65535"), *END]
    meter, script, _ = scripted(Described(METER), lines)
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert reading.values[0] == -581.0
    assert reading.statuses == (Status.OK, Status.ABSENT, Status.OK)
    assert "mains.U says 65535 V" in reading.trouble


@pytest.mark.parametrize("row", ["580", "580,230,50", ""])
def test_a_wrong_number_of_values_is_never_given_names(row: str) -> None:
    meter, script, _ = scripted(Described(METER), [*opening(), *read(row), *END])
    meter.open()
    with pytest.raises(SourceError, match="values came where 2 were expected"):
        meter.read()
    meter.close()
    script.finish()


@pytest.mark.parametrize(
    "answer", ["U +110.14E+0;P +022.97E+0", "P=22.97;U=110.14", "P: 22.97 ; U: 110.14"]
)
def test_values_with_names_may_come_in_any_order(answer: str) -> None:
    fields = (
        Field("MEAS?", Point("P", "W"), name="P"),
        Field("MEAS?", Point("U", "V", "element2"), name="U"),
    )
    named = Description("N", "N.*", METER.timing, fields, separator=";")
    lines: list[Line] = [("*IDN?", "N"), ("MEAS?", answer), ("MEAS?", answer)]
    meter, script, _ = scripted(Described(named), lines)
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert reading.values == (22.97, 110.14)
    assert meter.channels[1].name == "mains.U.element2"


def test_a_name_that_is_not_there_is_an_error() -> None:
    fields = (Field("MEAS?", Point("P", "W"), name="P"),)
    named = Description("N", "N", METER.timing, fields, separator=";")
    meter, script, _ = scripted(Described(named), [("*IDN?", "N"), ("MEAS?", "U 1;2")])
    with pytest.raises(SourceError, match='no "P" is in "U 1;2"'):
        meter.open()
    script.finish()


def test_a_check_that_fails_refuses_the_meter() -> None:
    lines = [*opening()[:3], ("RANG?", "600"), *END]
    meter, script, _ = scripted(Described(METER), lines)
    with pytest.raises(SourceError, match=r'RANG. is "600", not 300'):
        meter.open()
    script.finish()


def test_no_answer_is_so_long_that_comparing_it_takes_long() -> None:
    meter, script, _ = scripted(Described(METER), [("*IDN?", f"ACME,12,{'1' * 121}")])
    with pytest.raises(SourceError, match="instead of the expected Acme 12"):
        meter.open()
    script.finish()


def test_other_instruments_are_refused_and_left_alone() -> None:
    meter, script, _ = scripted(Described(METER), [("*IDN?", "ACME,13,1,1")])
    with pytest.raises(
        SourceError, match='"ACME,13,1,1" answers there instead of the expected Acme 12'
    ):
        meter.open()
    script.finish()


def test_the_driver_offers_every_description() -> None:
    driver = described_driver({"acme": METER, "slow": replace(METER, line_end="\r")})
    meter = next(option for option in driver.options if option.key == "meter")
    assert meter.choices == ("acme", "slow")
    given = {"meter": "slow", "resource": "VISA"}
    made = driver.build(driver.settings("mains", given, LocalHost()))
    assert (made.driver, made.period_s) == ("described", 1.0)
    with pytest.raises(BadInput, match=r'did you mean "acme"'):
        driver.settings("mains", {"meter": "acmee", "resource": "VISA"}, LocalHost())


def test_a_description_with_a_mistake_is_offered_and_says_it_when_chosen() -> None:
    mistake = BadInput("unit is missing", where="/x/a.toml, line 3", way_out="Add it.")
    driver = described_driver({"a": mistake})
    settings = driver.settings("m", {"meter": "a", "resource": "VISA"}, LocalHost())
    with pytest.raises(BadInput, match=r"a\.toml, line 3: unit is missing\. Add it"):
        driver.build(settings)


def test_a_meter_may_answer_each_command_with_an_empty_line() -> None:
    acknowledging = Described(replace(METER, acknowledged=True))
    lines = [(sent, "" if back is None else back) for sent, back in opening()]
    meter, script, _ = scripted(acknowledging, [*lines, ("SYST:LOC", "")])
    meter.open()
    meter.close()
    script.finish()
    lines = [("*IDN?", IDN), ("SYST:REM", "580.5,230.1"), ("SYST:LOC", "")]
    meter, script, _ = scripted(acknowledging, lines)
    with pytest.raises(
        SourceError, match=r'"580\.5,230\.1" came as the answer to SYST'
    ):
        meter.open()
    script.finish()
