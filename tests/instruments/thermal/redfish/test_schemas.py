"""Old and new schema: expansion, pages of collections, sensors in turn."""

import json
from http.server import BaseHTTPRequestHandler

import pytest

from instruments.reading import SECOND, Status
from tests.instruments.seen import Seen, seen
from tests.instruments.thermal.redfish.service import (
    assert_gap,
    read_once,
    source,
)
from tests.redfish_server import (
    NEW,
    RedfishServer,
    Tree,
    send,
)


@pytest.mark.parametrize("auth", ["session", "basic"])
def test_the_old_schema_in_two_requests(old: RedfishServer, auth: str) -> None:
    redfish = source(old.url, auth=auth)
    try:
        identity = redfish.open()
        assert (identity.maker, identity.model) == ("Contoso", "3500RX")
        assert identity.firmware == "1.45.455b66-rev4"
        old.asked.clear()
        reading = redfish.read()
        assert old.asked == ["GET /Chassis/1U/Thermal", "GET /Chassis/1U/Power"]
    finally:
        redfish.close()
    found = seen(reading)
    assert found["bmc.temperature.inlet"] == (25.0, Status.OK)
    assert found["bmc.temperature.cpu1-temp"] == (62.0, Status.WARN)
    assert_gap(found["bmc.temperature.cpu2-temp"], Status.ABSENT)
    assert_gap(found["bmc.temperature.dimm-temp"], Status.ABSENT)
    assert found["bmc.fan.fan1"] == (2100.0, Status.OK)
    assert found["bmc.fan_percent.fan2"] == (45.0, Status.OK)
    assert found["bmc.power.system"] == (344.0, Status.OK)
    assert found["bmc.output_power.psu1"] == (325.0, Status.OK)
    assert found["bmc.voltage.vrm1"] == (12.1, Status.OK)
    assert_gap(found["bmc.power.psu1"], Status.UNSUPPORTED)
    assert b'"ReadingCelsius": 25' in reading.raw
    assert not old.sessions, "it logs out"


def test_the_new_schema_with_expanded_sensors(new: RedfishServer) -> None:
    redfish = source(new.url)
    try:
        redfish.open()
        new.asked.clear()
        found = seen(redfish.read())
        assert new.asked[0] == "GET /Chassis/1U/Sensors?$expand=."
        assert len(new.asked) == 3
    finally:
        redfish.close()
    assert found["bmc.temperature.inlet"] == (24.8, Status.OK)
    assert found["bmc.temperature.cpu-1-temperature"] == (97.0, Status.CRIT)
    assert_gap(found["bmc.temperature.spare-temp"], Status.ABSENT)
    assert found["bmc.fan_percent.fan1"] == (45.0, Status.OK)
    assert found["bmc.fan.fan-bay-1"] == (1900.0, Status.OK)
    assert found["bmc.power.total-power"] == (374.5, Status.OK)
    watts = [name for name in found if name.startswith("bmc.power.")]
    assert len(watts) == 1, "EnvironmentMetrics tells the same sensor again"


def test_a_service_that_announces_expansion_and_does_not_do_it(
    new: RedfishServer,
) -> None:
    new.expands = False
    redfish = source(new.url)
    try:
        redfish.open()
        found = seen(redfish.read())
        assert found["bmc.temperature.inlet"] == (24.8, Status.OK)
        assert found["bmc.fan.fan-bay-1"] == (1900.0, Status.OK)
    finally:
        redfish.close()


def test_expansion_that_is_refused_is_done_without(new: RedfishServer) -> None:
    refusing = "/Chassis/1U/Sensors"
    plain = new.tree[refusing]

    def refuse(handler: BaseHTTPRequestHandler) -> None:
        expanded = "$expand" in handler.path
        content = b"" if expanded else json.dumps(plain).encode()
        send(handler, 501 if expanded else 200, content)

    new.faults[refusing] = refuse
    found = read_once(source(new.url))
    assert found["bmc.temperature.inlet"] == (24.8, Status.OK)


def new_tree() -> Tree:
    """Copy the service of the new schema, to be changed."""
    return {path: dict(document) for path, document in NEW.items()}


def read_at(tree: Tree) -> Seen:
    """Read once what a service of these documents tells."""
    server = RedfishServer(tree)
    try:
        return read_once(source(server.url))
    finally:
        server.close()


def test_empty_documents_of_the_old_schema_do_not_hide_the_new_one() -> None:
    tree = new_tree()
    tree["/Chassis/1U"]["Thermal"] = {"@odata.id": "/redfish/v1/Chassis/1U/Thermal"}
    tree["/Chassis/1U/Thermal"] = {"Temperatures": [], "Fans": []}
    found = read_at(tree)
    assert found["bmc.temperature.inlet"] == (24.8, Status.OK)


def test_a_collection_comes_page_by_page(new: RedfishServer) -> None:
    first = new.tree["/Chassis/1U/Sensors"]
    first["Members"], rest = first["Members"][:2], first["Members"][2:]
    first["Members@odata.nextLink"] = "/redfish/v1/More?$expand=."
    new.tree["/More"] = {"Members": rest}
    found = read_once(source(new.url))
    assert found["bmc.temperature.inlet"] == (24.8, Status.OK)
    assert found["bmc.power.total-power"] == (374.5, Status.OK)


def test_the_new_schema_without_a_list_of_sensors() -> None:
    tree = new_tree()
    del tree["/Chassis/1U"]["Sensors"]
    power = "/Chassis/1U/PowerSubsystem"
    bay = f"{power}/PowerSupplies/Bay1"
    link = "/redfish/v1{}".format
    tree["/Chassis/1U"]["PowerSubsystem"] = {"@odata.id": link(power)}
    tree[power] = {"PowerSupplies": {"@odata.id": link(f"{power}/PowerSupplies")}}
    tree[f"{power}/PowerSupplies"] = {"Members": [{"@odata.id": link(bay)}]}
    tree[bay] = {"Metrics": {"@odata.id": link(f"{bay}/Metrics")}}
    tree[f"{bay}/Metrics"] = {
        "Status": {"State": "Enabled", "Health": "Warning"},
        "InputPowerWatts": {"Reading": 937.4},
        "InputVoltage": {"Reading": None},
    }
    found = read_at(tree)
    assert found["bmc.temperature.inlet"] == (24.8, Status.OK)
    assert found["bmc.temperature.exhaust"] == (40.0, Status.OK)
    assert found["bmc.fan_percent.fan-bay-1"] == (45.0, Status.OK)
    assert found["bmc.power.bay1"] == (937.4, Status.WARN)
    assert_gap(found["bmc.voltage.bay1"], Status.UNSUPPORTED)
    assert found["bmc.power.system"] == (374.5, Status.OK)


def test_sensors_come_in_turn_where_they_cannot_be_expanded() -> None:
    tree = new_tree()
    del tree["/"]["ProtocolFeaturesSupported"]
    many = [f"/Chassis/1U/Sensors/T{number}" for number in range(11)]
    links = [{"@odata.id": f"/redfish/v1{path}"} for path in many]
    tree["/Chassis/1U/Sensors"] = {"Members": links}
    for number, path in enumerate(many):
        tree[path] = {"Name": f"T{number}", "Reading": number, "ReadingUnits": "Cel"}
    tree["/Chassis/1U"].pop("ThermalSubsystem")
    server = RedfishServer(tree)
    redfish = source(server.url)
    try:
        redfish.open()
        single = [one for one in redfish.channels if one.location.startswith("t")]
        every = {channel.period_ns for channel in single}
        assert every == {2 * round(redfish.period_s * SECOND)}
        names: set[str] = set()
        for _ in range(2):
            reading = redfish.read()
            assert set(reading.channels) <= set(redfish.channels)
            names |= set(seen(reading))
        assert names == {channel.name for channel in redfish.channels}
        assert seen(redfish.read())["bmc.temperature.t0"] == (0.0, Status.OK)
    finally:
        redfish.close()
        server.close()


def test_links_of_a_collection_come_page_by_page() -> None:
    """Of chassis, and of sensors that come one by one."""
    tree = new_tree()
    del tree["/"]["ProtocolFeaturesSupported"]
    tree["/Chassis/1U"].pop("ThermalSubsystem")
    for collection, first, second in (
        ("/Chassis", "/Chassis/Empty", "/Chassis/1U"),
        ("/Chassis/1U/Sensors", "/Chassis/1U/Sensors/A", "/Chassis/1U/Sensors/B"),
    ):
        tree[collection] = {
            "Members": [{"@odata.id": f"/redfish/v1{first}"}],
            "Members@odata.nextLink": f"/redfish/v1{collection}/Page2",
        }
        tree[f"{collection}/Page2"] = {
            "Members": [{"@odata.id": f"/redfish/v1{second}"}]
        }
    tree["/Chassis/Empty"] = {"Id": "Empty"}
    for letter, celsius in (("A", 21), ("B", 22)):
        tree[f"/Chassis/1U/Sensors/{letter}"] = {
            "Name": letter,
            "Reading": celsius,
            "ReadingUnits": "Cel",
        }
    found = read_at(tree)
    assert found["bmc.temperature.a"] == (21.0, Status.OK)
    assert found["bmc.temperature.b"] == (22.0, Status.OK)
