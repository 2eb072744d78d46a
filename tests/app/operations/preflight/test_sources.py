"""The pre-flight of sources, on checks made by hand: calibration, limits, the room."""

import math
from dataclasses import replace
from datetime import date

import pytest

from app.operations.bench.check import SourceCheck, twins
from app.operations.bench.check_report import checks_text
from app.operations.preflight.finding import Level
from app.operations.preflight.sources import (
    check_calibration,
    check_limits,
    check_ranges,
    check_room,
    check_sources,
)
from instruments.errors import BenchError
from instruments.reading import Channel, Identity, Status
from tests.app.operations.benches import CAMPAIGN, campaign

WHO = Identity("Rohde&Schwarz", "HMC8015", "1", "", "")
POWER = Channel("mains", "P", "W")
INLET = Channel("rack", "temperature", "degC", "inlet")
PROBE = Channel("rack", "temperature", "degC", "probe1")


def seen(
    name: str, section: str, *channels: Channel, value: float = 21.0, overdue: int = 0
) -> SourceCheck:
    status = Status.NAN if math.isnan(value) else Status.OK
    return SourceCheck(
        name,
        section,
        "driver",
        "address",
        WHO,
        tuple((channel, value, status) for channel in channels),
        calibrated=date(2026, 1, 1),
        age_days=365 + overdue,
        overdue_days=overdue,
    )


def test_a_calibration_that_is_due_again_is_told() -> None:
    [fine] = check_calibration([seen("mains", "power", POWER)])
    assert fine.level is Level.OK
    late = seen("mains", "power", POWER, overdue=35)
    [due] = check_calibration([late])
    assert (due.level, due.text) == (
        Level.WARN,
        "mains was calibrated 400 days ago, and is overdue by 35 days",
    )
    told = "! calibrated 2026-01-01, 400 days ago, overdue by 35 days\n"
    assert told in checks_text([late])


@pytest.mark.parametrize(
    ("limit", "stops"),
    [
        ("power_w <= 800", False),
        ("noise_db <= 60", True),
        ("drive_max_c <= 50", True),
        ("ambient_c <= 30", False),
        ("read_iops >= 5", False),
    ],
)
def test_a_limit_that_nothing_could_judge_stops(limit: str, stops: bool) -> None:
    plan = campaign(CAMPAIGN.replace("label = ", f'limits = ["{limit}"]\nlabel = ', 1))
    checks = [seen("mains", "power", POWER), seen("rack", "thermal", INLET)]
    found = check_limits(checks, plan)
    assert [one.level for one in found] == [Level.STOP] * stops
    dead = SourceCheck(
        "mic", "noise", "nsrt", "", error=BenchError("it does not answer")
    )
    assert check_limits([*checks, dead], plan) == []


def test_the_room_is_told_by_the_sensor_that_the_bench_names() -> None:
    rack = seen("rack", "thermal", INLET, PROBE)
    warm = seen("hall", "thermal", Channel("hall", "temperature", "degC", "inlet"))
    [room] = check_room([rack, warm], ["rack.temperature.probe1"])
    assert (room.level, room.text) == (Level.OK, "21.0 °C at the inlet")
    [gone] = check_room(
        [seen("rack", "thermal", PROBE, value=math.nan)], ["rack.temperature.probe1"]
    )
    assert (gone.level, gone.text) == (
        Level.STOP,
        "ambient is rack.temperature.probe1, and that has no value",
    )


def test_power_that_flows_the_other_way_is_told() -> None:
    plan = campaign(CAMPAIGN)
    fed = check_ranges([seen("mains", "power", POWER, value=-120.0)], plan)
    assert [one.detail for one in fed if "mains.P is negative (-120 W)" in one.text]
    drawn = check_ranges([seen("mains", "power", POWER, value=-0.2)], plan)
    assert not [one for one in drawn if "negative" in one.text]


def test_a_device_that_stands_twice_on_the_bench_is_told() -> None:
    mains, again = (seen(name, "power", POWER) for name in ("mains", "mains2"))
    other = replace(seen("third", "power", POWER), identity=replace(WHO, serial="2"))
    fake = replace(WHO, simulated=True)
    fakes = [replace(seen(n, "power", POWER), identity=fake) for n in ("x", "y")]
    found = check_sources([mains, again, other, *fakes], [])
    [told] = [one for one in found if one.level is Level.WARN]
    assert told.detail == "mains2"
    assert "serial number of mains, 1" in told.text
    assert set(twins([mains, again, other, *fakes])) == {"mains2"}


def of_parts(name: str, *channels: Channel, **parts: tuple[str, ...]) -> SourceCheck:
    return replace(seen(name, "power", *channels), parts=parts)


@pytest.mark.parametrize(
    ("one", "other", "is_twice"),
    [
        ({"element": ("1",)}, {"element": ("2",)}, False),
        ({"element": ("1", "2")}, {"element": ("3",)}, False),
        ({"element": ("1", "2")}, {"element": ("2",)}, True),
        ({"element": ("1",)}, {"element": ("SIGMA",)}, True),
        ({"outlets": ("3",)}, {"outlets": ("4",)}, False),
        ({"outlets": ("3",)}, {"outlets": ("3",)}, True),
        ({"outlets": ("3",)}, {}, True),  # an outlet, and all of the PDU
        ({"outlets": ("3",), "units": ("1",)}, {"units": ("2",)}, False),
        ({}, {}, True),
    ],
)
def test_parts_of_one_device_are_told_of_where_they_count_twice(
    one: dict[str, tuple[str, ...]],
    other: dict[str, tuple[str, ...]],
    *,
    is_twice: bool,
) -> None:
    # However its places are called: one element alone has none.
    there = Channel("second", "P", "W", "element3")
    checks = [of_parts("first", POWER, **one), of_parts("second", there, **other)]
    assert set(twins(checks)) == ({"second"} if is_twice else set())


def test_other_sensors_of_one_device_do_not_count_twice() -> None:
    first, second = seen("rack", "thermal", INLET), seen("hall", "thermal", PROBE)
    assert twins([first, second]) == {}
    assert set(twins([first, second, seen("again", "thermal", PROBE)])) == {"again"}
