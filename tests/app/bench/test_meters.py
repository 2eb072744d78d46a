"""Descriptions of meters: read from files, and every mistake named with its place."""

from pathlib import Path

import pytest

from app.bench.drivers import drivers
from app.bench.file import parse_bench
from app.bench.meters import load_meters, parse_meter, user_folder
from instruments.errors import BadInput
from instruments.power.dialects.described import Description

GOOD = """\
title = "Acme 12"
idn = 'ACME,12.*'
terminator = "crlf"
period = 1.0
window = 0.5
latency = 0.25
setup = ["SYST:REM"]
release = ["SYST:LOC"]
separator = ";"
nan = ["OFF"]
[[check]]
ask = "RANG?"
answer = '300'
[[value]]
ask = "READ?"
position = 1
quantity = "P"
unit = "W"
[[value]]
ask = "READ?"
position = 2
quantity = "drive_energy"
unit = "Wh"
scale = 0.000277777778
location = "element2"
"""


def test_a_description_is_read() -> None:
    meter = parse_meter(GOOD, "acme.toml")
    assert (meter.title, meter.idn, meter.line_end) == ("Acme 12", "ACME,12.*", "\r")
    assert meter.timing.window_s == 0.5
    assert (meter.setup, meter.release) == (("SYST:REM",), ("SYST:LOC",))
    assert meter.checks == (("RANG?", "300"),)
    assert meter.separator == ";"
    assert not meter.acknowledged
    answering = GOOD.replace("period", "acknowledged = true\nperiod", 1)
    assert parse_meter(answering, "acme.toml").acknowledged
    power, energy = meter.fields
    assert (power.position, power.point.quantity, power.scale) == (1, "P", 1.0)
    assert energy.point == ("drive_energy", "Wh", "element2")


@pytest.mark.parametrize(
    ("before", "after", "where", "what"),
    [
        ("title", "titel", "line 1, titel", "unknown key (did you mean"),
        ("'ACME,12.*'", "'ACME('", "line 2, idn", "not a regular expression"),
        *(
            (before, f"'{slow}'", f"line {line}", "may take forever")
            for before, line in (
                ("'ACME,12.*'", "2, idn"),
                ("'300'", "13, [[check]] 1 answer"),
            )
            for slow in (
                "(a+)+b",
                "(?:a|aa)*b",
                "((a{1,20}){1,20}){1,20}",
                r"(a)(\1)*b",
                "(?=(a+))b",
                "a*a*a*a*a*a*a*a*b",
                "a?" * 40 + "b",
                "(a|a)" * 40 + "b",
                "a" * 500,
            )
        ),
        ('"crlf"', '"cr"', "line 3, terminator", "terminator is"),
        ("period = 1.0", "period = 0", "line 4, period", "period is 0"),
        ("period = 1.0", "periode = 1.0", "line 4, periode", "unknown key"),
        ('"SYST:REM"', '"SYST:REM?"', "line 7, setup", "setup has"),
        ('separator = ";"', 'separator = ""', "line 9, separator", "not a text"),
        ('ask = "RANG?"', 'ask = "RANG"', "line 12, [[check]] 1 ask", "ask is"),
        ("answer = '300'", "answer = '['", "line 13, [[check]] 1 answer", "expression"),
        ("position = 1", "position = 0", "line 16, [[value]] 1 position", "is 0"),
        ("position = 1", "", "line 14, [[value]] 1 position", "position is missing"),
        ("position = 1", 'name = "P"', "line 21, [[value]] 2 position", "by position"),
        ('quantity = "P"', 'quantity = "a b"', "[[value]] 1 quantity", "quantity is"),
        ('unit = "W"', 'unit = "VA"', "line 18, [[value]] 1 unit", 'unit is "VA"'),
        ('unit = "W"', "", "line 14, [[value]] 1 unit", "unit is missing"),
        ('unit = "Wh"', 'unit = "kWh"', "line 23, [[value]] 2 unit", 'unit is "kWh"'),
        ("scale = 0.000277777778", "scale = 0", "line 24, [[value]] 2 scale", "is 0"),
        ("location", "place", "line 25, [[value]] 2 place", "unknown key"),
        ("[[value]]", "[[values]]", "line 14, values", 'mean "value"'),
        ("title = ", "title : ", "line 1", "not TOML"),
    ],
)
def test_every_mistake_names_file_line_and_key(
    before: str, after: str, where: str, what: str
) -> None:
    with pytest.raises(BadInput) as caught:
        parse_meter(GOOD.replace(before, after), "acme.toml")
    said = str(caught.value)
    assert said.startswith("acme.toml, ")
    assert where in said
    assert what in said
    assert "\n" not in said


def test_a_quantity_twice_needs_places() -> None:
    twice = GOOD.replace('"drive_energy"', '"P"').replace('"Wh"', '"W"')
    assert len(parse_meter(twice, "acme.toml").fields) == 2
    with pytest.raises(BadInput, match=r"line 22.*the quantity .P. appears twice"):
        parse_meter(twice.replace('location = "element2"', ""), "acme.toml")


def test_every_shipped_description_is_good() -> None:
    shipped = load_meters(Path("no such folder"))
    assert "pa1000" in shipped
    assert all(isinstance(meter, Description) for meter in shipped.values())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of descriptions, empty."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    made = user_folder()
    assert made == tmp_path / "bayscope" / "meters"
    made.mkdir(parents=True)
    return made


def bench(meter: str) -> str:
    return (
        'name = "Lab"\n[dut]\nname = "JBOD"\ntarget = "/tmp/x"\n[[power]]\n'
        f'driver = "described"\nmeter = "{meter}"\nresource = "VISA"\n'
    )


def test_a_description_of_the_users_is_offered_and_taken(folder: Path) -> None:
    (folder / "acme.toml").write_text(GOOD)
    (folder / "pa1000.toml").write_text(GOOD.replace("Acme 12", "My own"))
    driver = drivers()["power", "described"]
    meter = next(option for option in driver.options if option.key == "meter")
    assert meter.choices == ("acme", "pa1000")
    own = load_meters()["pa1000"]
    assert isinstance(own, Description)
    assert own.title == "My own"
    found = parse_bench(bench("acme"), "bench.toml").sources[0]
    assert found.keys["meter"] == "acme"


def test_a_mistake_in_a_description_stops_its_bench_only(folder: Path) -> None:
    (folder / "acme.toml").write_text(GOOD.replace('unit = "W"\n', 'unit = "VA"\n'))
    parse_bench(bench("pa1000"), "bench.toml")
    with pytest.raises(BadInput) as caught:
        parse_bench(bench("acme"), "bench.toml")
    said = str(caught.value)
    assert "bench.toml, line 7, [[power]] 1 meter" in said
    assert f"{folder / 'acme.toml'}, line 18, [[value]] 1 unit" in said
    assert 'Expected one of "W" for P' in said


def test_a_description_that_is_no_text_is_a_mistake_as_well(folder: Path) -> None:
    (folder / "broken.toml").write_bytes(b"\xff\xfe")
    found = load_meters()["broken"]
    assert isinstance(found, BadInput)
    assert "not UTF-8" in found.what


@pytest.mark.parametrize(
    "idn",
    [
        "(Tektronix|Voltech).*PA1000.*",
        r"ACME,(12|13)\d*,[^,]*,.*",
        "ACME.*,X12.*,.*,.*",
        r"(?:ACME )?Inc\. \(12\)\+, [(+*]{3}.*",
        "(ACME)?,.{4},.*",
    ],
)
def test_what_describes_an_answer_is_taken(idn: str) -> None:
    assert parse_meter(GOOD.replace("ACME,12.*", idn), "acme.toml").idn == idn
