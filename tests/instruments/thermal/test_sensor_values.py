"""Names, places and gaps of sensors."""

import math

import pytest

from instruments.reading import Status
from instruments.thermal.sensor_values import (
    SensorValue,
    judged,
    location_of,
    make_channels,
    make_reading,
    short_name,
)


@pytest.mark.parametrize(
    ("label", "place"),
    [
        ("Inlet Temp", "inlet"),
        ("INLET_TEMP", "inlet"),
        ("Exhaust Temp", "exhaust"),
        ("Ambient", "ambient"),
        ("Front Panel Intake Temperature", "inlet"),
        ("R03 Inlet Temperature", "inlet"),
        ("System Board Inlet Temp", "inlet"),
        ("01-Inlet Ambient", "inlet"),
        ("Rack 3 back exhaust air temperature", "exhaust"),
        ("PSU1 Inlet", "psu1-inlet"),
        ("CPU1 VR outlet", "cpu1-vr-outlet"),
        ("Coolant Inlet Temp", "coolant-inlet-temp"),
        ("Liquid_Outlet", "liquid-outlet"),
        ("CDU1 Water Inlet", "cdu1-water-inlet"),
        ("HBA ambient", "hba-ambient"),
        ("Riser 2 ambient", "riser-2-ambient"),
        ("FAN 1", "fan1"),
        ("Fan1A", "fan1a"),
        ("System Fan 03", "fan3"),
        ("FAN2 RPM", "fan2"),
        ("Outlet 7 Power", "outlet-7-power"),
        ("PSU1 inlet temp sensor near card", "psu1-inlet-temp-sensor-near-card"),
        ("PSU 1", "psu1"),
        ("Power Supply 02", "psu2"),
        ("PS2 Input Power", "psu2-input-power"),
        ("PSU-like thing", "psu-like-thing"),
        ("Steps 3", "steps-3"),
        ("+12V", "12v"),
        ("???", "sensor"),
    ],
)
def test_a_label_becomes_a_place(label: str, place: str) -> None:
    assert location_of(label) == place


def test_a_short_name_is_never_empty() -> None:
    assert short_name("  ") == "sensor"


def value(key: str, label: str, location: str | None = None) -> SensorValue:
    return SensorValue(key, label, "temperature", "degC", 1.0, Status.OK, location)


def test_equal_names_are_told_apart_and_stay_the_same() -> None:
    values = [value("a", "CPU"), value("b", "CPU"), value("c", "", ""), value("a", "")]
    channels = make_channels("bmc", values, 5.0)
    assert [channel.name for channel in channels.values()] == [
        "bmc.temperature.cpu",
        "bmc.temperature.cpu-2",
        "bmc.temperature",
    ]
    assert channels == make_channels("bmc", values, 5.0)


def test_a_sensor_that_went_away_is_a_gap() -> None:
    values = [value("a", "CPU"), value("b", "DIMM")]
    channels = make_channels("bmc", values, 5.0)
    found = {"b": values[1]}
    reading = make_reading(tuple(channels.values()), channels, found, (1, 2), b"")
    assert math.isnan(reading.values[0])
    assert reading.statuses == (Status.ABSENT, Status.OK)


@pytest.mark.parametrize(
    ("number", "status", "kept"),
    [
        (1.0, Status.OK, Status.OK),
        (None, Status.OK, Status.NAN),
        (math.inf, Status.WARN, Status.NAN),
        (1.0, Status.ABSENT, Status.ABSENT),
    ],
)
def test_no_number_without_a_status_of_a_value(
    number: float | None, status: Status, kept: Status
) -> None:
    found, told = judged(number, status)
    assert told is kept
    assert math.isnan(found) is not kept.is_value
