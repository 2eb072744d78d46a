"""What a document says, as values: units, limits, zones, names."""

import pytest

from instruments.reading import Status
from instruments.thermal.redfish.values import (
    metrics_values,
    sensor_values,
    thermal_values,
)
from tests.instruments.thermal.redfish.service import read_once, source
from tests.redfish_server import (
    RedfishServer,
)


@pytest.mark.parametrize(
    ("units", "kind", "reading", "name", "value"),
    [
        ("Cel", "Temperature", 25, "temperature", 25.0),
        ("[degF]", "Temperature", 77, "temperature", 25.0),
        ("K", "Temperature", 298.15, "temperature", 25.0),
        (None, "Temperature", 25, "temperature", 25.0),
        ("kW.h", "EnergykWh", 1.5, "energy", 1500.0),
        ("W.h", "EnergyWh", 1500, "energy", 1500.0),
        ("J", "EnergyJoules", 7200, "energy", 2.0),
        (None, "EnergykWh", 2, "energy", 2000.0),
        ("kW", "Power", 0.5, "power", 500.0),
        ("mV", "Voltage", 12_100, "voltage", 12.1),
        ("mA", "Current", 250, "current", 0.25),
        ("V.A", None, 300, "apparent_power", 300.0),
        ("{rev}/min", "Rotational", 4200, "fan", 4200.0),
        ("%", "Humidity", 41, "humidity", 41.0),
    ],
)
def test_a_sensor_is_read_in_the_unit_that_it_tells(
    units: str | None, kind: str | None, reading: float, name: str, value: float
) -> None:
    told = {"Name": "X", "ReadingUnits": units, "ReadingType": kind, "Reading": reading}
    [found] = sensor_values(told)
    assert (found.quantity, found.status) == (name, Status.OK)
    assert found.value == pytest.approx(value)


def test_limits_are_compared_in_the_unit_of_the_sensor() -> None:
    limits = {"UpperCritical": {"Reading": 100}}
    told = {"Name": "X", "ReadingUnits": "[degF]", "Reading": 104, "Thresholds": limits}
    [hot] = sensor_values(told)
    assert hot.value == pytest.approx(40.0)
    assert hot.status is Status.CRIT


@pytest.mark.parametrize(
    ("context", "name", "place"),
    [
        ("Intake", "Front Panel Intake Temperature", "inlet"),
        ("Intake", "System Board 1", "inlet"),
        ("Room", "Temp 3", "ambient"),
        ("Exhaust", "Board rear", "exhaust"),
        ("", "R03 Inlet Temperature", "inlet"),
        ("SystemBoard", "Inlet Temp", "inlet"),
        ("Intake", "PSU1 Temp", "psu1-temp"),
        ("PowerSupply", "Inlet Temperature", "inlet-temperature"),
        ("CPU", "CPU1 Temp", "cpu1-temp"),
        ("Fan", "FAN 1", "fan1"),
    ],
)
def test_a_zone_is_told_by_context_or_else_by_name(
    context: str, name: str, place: str
) -> None:
    entry = {"Name": name, "PhysicalContext": context, "ReadingUnits": "Cel"}
    [sensor] = sensor_values({**entry, "Reading": 25})
    assert sensor.location == place
    [old] = thermal_values({"Temperatures": [{**entry, "ReadingCelsius": 25}]})
    assert old.location == place


@pytest.mark.parametrize(
    ("context", "related", "place"),
    [
        ("", ["/redfish/v1/Chassis/1U/Power#/PowerSupplies/0"], "part-inlet"),
        ("SystemBoard", ["/redfish/v1/Systems/1/Storage/1/Drives/2"], "part-inlet"),
        ("", ["/redfish/v1/Chassis/1U", "/redfish/v1/Systems/1/"], "inlet"),
        ("", ["/redfish/v1/Chassis/1U", "/redfish/v1/Chassis/1U/Fans/1"], "inlet"),
        ("Intake", ["/redfish/v1/Chassis/1U/Fans/1"], "inlet"),
        ("StorageDevice", [], "part-inlet"),
    ],
)
def test_what_a_sensor_is_related_to_tells_what_it_is_part_of(
    context: str, related: list[str], place: str
) -> None:
    links = [{"@odata.id": link} for link in related]
    entry = {"Name": "Inlet", "ReadingCelsius": 25, "RelatedItem": links}
    document = {"Temperatures": [{**entry, "PhysicalContext": context}]}
    [value] = thermal_values(document)
    assert value.location == place


@pytest.mark.parametrize("reading", ["24.5", " 24.50 ", 24.5])
def test_a_number_may_be_written_as_a_text(reading: object) -> None:
    entry = {"Name": "Inlet", "ReadingUnits": "Cel", "Reading": reading}
    [value] = sensor_values(entry)
    assert (value.value, value.status) == (24.5, Status.OK)
    [none] = sensor_values({**entry, "Reading": "0x18"})
    assert none.status is Status.NAN


def test_members_that_are_numbered_alike_are_told_apart() -> None:
    entries = [{"MemberId": "0", "ReadingCelsius": n} for n in (20, 30)]
    found = list(thermal_values({"@odata.id": "/T", "Temperatures": entries}))
    assert len({value.key for value in found}) == 2
    assert [value.value for value in found] == [20, 30]


def test_the_summary_of_zones_and_the_energy_of_excerpts_are_read() -> None:
    document = {
        "@odata.id": "/M",
        "TemperatureSummaryCelsius": {
            "Intake": {"Reading": 22.5},
            "Ambient": {"Reading": 21.0},
            "Exhaust": {"Reading": 38.0},
            "Internal": {"Reading": 40.0},
        },
        "EnergykWh": {"Reading": 12.5},
    }
    found = {(v.quantity, v.location): v.value for v in metrics_values(document)}
    assert found == {
        ("temperature", "inlet"): 22.5,
        ("temperature", "ambient"): 21.0,
        ("temperature", "exhaust"): 38.0,
        ("energy", "system"): 12_500.0,
    }


@pytest.mark.parametrize(
    ("told", "place"),
    [
        ({}, "chassis"),
        ({"DataSourceUri": "/redfish/v1/Chassis/1/Sensors/Board1"}, "board1"),
        ({"DataSourceUri": "/redfish/v1/Chassis/1/Sensors/AmbientTemp"}, "ambient"),
        ({"DataSourceUri": "/redfish/v1/Chassis/1/Sensors/Inlet"}, "inlet"),
        ({"DataSourceUri": "/redfish/v1/Chassis/1/Sensors/PSU1_Inlet"}, "psu1-inlet"),
        ({"DeviceName": "Intake"}, "inlet"),
        ({"PhysicalContext": "Intake"}, "inlet"),
        ({"PhysicalContext": "Room"}, "ambient"),
        ({"PhysicalContext": "Chassis"}, "chassis"),
    ],
)
@pytest.mark.parametrize("field", ["TemperatureCelsius", "HumidityPercent"])
def test_the_air_of_a_chassis_is_its_own_unless_its_sensor_says_where(
    field: str, told: dict[str, str], place: str
) -> None:
    document = {"@odata.id": "/M", field: {"Reading": 39, **told}}
    [found] = metrics_values(document)
    assert (found.location, found.value) == (place, 39)


@pytest.mark.parametrize("unit", ["m3/min", "MHz"])
def test_units_of_no_use_are_said_once(new: RedfishServer, unit: str) -> None:
    sensors = new.tree["/Chassis/1U/Sensors"]["Members"]
    sensors.append({"@odata.id": "/redfish/v1/Chassis/1U/Sensors/Air"})
    air = {"Name": "Air", "ReadingUnits": unit, "Reading": 3400.0}
    new.tree["/Chassis/1U/Sensors/Air"] = air
    redfish = source(new.url)
    try:
        redfish.open()
        assert f"sensors in {unit} are not read" in redfish.read().notice
        assert redfish.read().notice == ""
    finally:
        redfish.close()


def test_a_supply_tells_its_output_and_its_line(old: RedfishServer) -> None:
    (supply,) = old.tree["/Chassis/1U/Power"]["PowerSupplies"]
    supply["PowerOutputWatts"] = 320
    found = read_once(source(old.url))
    assert found["bmc.output_power.psu1"] == (320.0, Status.OK)
    assert found["bmc.voltage.psu1"] == (119.5, Status.OK)


def test_a_fan_without_a_unit_is_not_guessed(old: RedfishServer) -> None:
    del old.tree["/Chassis/1U/Thermal"]["Fans"][0]["ReadingUnits"]
    found = read_once(source(old.url))
    assert "bmc.fan.fan1" not in found
    assert found["bmc.fan_percent.fan2"] == (45.0, Status.OK)
