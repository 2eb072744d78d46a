"""BMCs by Redfish, against a small service over real HTTP and HTTPS."""

import gzip
import json
import logging
import math
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from instruments.errors import BadInput, SourceError
from instruments.reading import Reading, Status
from instruments.settings import Value
from instruments.thermal.redfish.driver import DRIVER
from instruments.thermal.redfish.source import Redfish
from instruments.thermal.redfish.values import (
    metrics_values,
    sensor_values,
    thermal_values,
)
from instruments.tools.hosts import LocalHost
from instruments.tools.pinning import fetch_certificate, fingerprint
from tests.redfish_server import (
    NEW,
    OLD,
    PASSWORD,
    USER,
    Fault,
    RedfishServer,
    Tree,
    make_certificate,
    pour,
    send,
    trickle,
    trickle_chunk,
    trickle_headers,
)

THERMAL = "/Chassis/1U/Thermal"


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", PASSWORD)


@pytest.fixture
def old() -> Iterator[RedfishServer]:
    server = RedfishServer(OLD)
    yield server
    server.close()


@pytest.fixture
def new() -> Iterator[RedfishServer]:
    server = RedfishServer(NEW)
    yield server
    server.close()


def source(address: str, **keys: Value) -> Redfish:
    given = {"address": address, "user": USER, **keys}
    built = DRIVER.build(DRIVER.settings("bmc", given, LocalHost()))
    assert isinstance(built, Redfish)
    return built


def shown(reading: Reading) -> dict[str, tuple[float, Status]]:
    return {
        channel.name: (value, status)
        for channel, value, status in zip(
            reading.channels, reading.values, reading.statuses, strict=True
        )
    }


def login_at(url: str) -> str:
    return url.replace("://", f"://{USER}@")


def read_once(redfish: Redfish) -> dict[str, tuple[float, Status]]:
    try:
        redfish.open()
        return shown(redfish.read())
    finally:
        redfish.close()


def assert_gap(found: tuple[float, Status], status: Status) -> None:
    assert math.isnan(found[0])
    assert found[1] is status


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
    found = shown(reading)
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
        found = shown(redfish.read())
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
        found = shown(redfish.read())
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


def test_empty_documents_of_the_old_schema_do_not_hide_the_new_one() -> None:
    tree: Tree = {path: dict(document) for path, document in NEW.items()}
    tree["/Chassis/1U"]["Thermal"] = {"@odata.id": "/redfish/v1/Chassis/1U/Thermal"}
    tree["/Chassis/1U/Thermal"] = {"Temperatures": [], "Fans": []}
    server = RedfishServer(tree)
    try:
        found = read_once(source(server.url))
    finally:
        server.close()
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
    tree: Tree = {path: dict(document) for path, document in NEW.items()}
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
    server = RedfishServer(tree)
    try:
        found = read_once(source(server.url))
    finally:
        server.close()
    assert found["bmc.temperature.inlet"] == (24.8, Status.OK)
    assert found["bmc.temperature.exhaust"] == (40.0, Status.OK)
    assert found["bmc.fan_percent.fan-bay-1"] == (45.0, Status.OK)
    assert found["bmc.power.bay1"] == (937.4, Status.WARN)
    assert_gap(found["bmc.voltage.bay1"], Status.UNSUPPORTED)
    assert found["bmc.power.system"] == (374.5, Status.OK)


def test_sensors_come_in_turn_where_they_cannot_be_expanded() -> None:
    tree: Tree = {path: dict(document) for path, document in NEW.items()}
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
        names: set[str] = set()
        for _ in range(2):
            reading = redfish.read()
            assert set(reading.channels) <= set(redfish.channels)
            names |= set(shown(reading))
        assert names == {channel.name for channel in redfish.channels}
        assert shown(redfish.read())["bmc.temperature.t0"] == (0.0, Status.OK)
    finally:
        redfish.close()
        server.close()


def test_links_of_a_collection_come_page_by_page() -> None:
    """Of chassis, and of sensors that come one by one."""
    tree: Tree = {path: dict(document) for path, document in NEW.items()}
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
    server = RedfishServer(tree)
    try:
        found = read_once(source(server.url))
    finally:
        server.close()
    assert found["bmc.temperature.a"] == (21.0, Status.OK)
    assert found["bmc.temperature.b"] == (22.0, Status.OK)


def test_a_null_is_missed_where_there_was_a_number(old: RedfishServer) -> None:
    inlet = old.tree["/Chassis/1U/Thermal"]["Temperatures"][0]
    redfish = source(old.url)
    try:
        redfish.open()
        inlet["ReadingCelsius"] = None
        found = shown(redfish.read())
    finally:
        redfish.close()
    assert_gap(found["bmc.temperature.inlet"], Status.NAN)
    assert_gap(found["bmc.power.psu1"], Status.UNSUPPORTED)


def test_fans_as_older_services_of_hpe_write_them(old: RedfishServer) -> None:
    old.tree["/Chassis/1U/Thermal"]["Fans"] = [
        {"FanName": "Fan 1", "CurrentReading": 23, "Units": "Percent"}
    ]
    assert read_once(source(old.url))["bmc.fan_percent.fan1"] == (23.0, Status.OK)


def test_a_service_without_sessions_names_the_other_way(old: RedfishServer) -> None:
    old.refused_logins, old.refusal = b"{}", 405
    with pytest.raises(SourceError, match=r"no sessions \(405\)\. Try auth = .basic"):
        source(old.url).open()


def test_a_document_that_fails_is_a_gap_of_its_values_only(old: RedfishServer) -> None:
    redfish = source(old.url)
    try:
        redfish.open()
        old.faults["/Chassis/1U/Power"] = lambda handler: send(handler, 503, b"")
        found = shown(redfish.read())
        assert found["bmc.fan.fan1"] == (2100.0, Status.OK)
        assert_gap(found["bmc.power.system"], Status.TIMEOUT)
        del old.faults["/Chassis/1U/Power"]
        assert shown(redfish.read())["bmc.power.system"] == (344.0, Status.OK)
    finally:
        redfish.close()


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (lambda h: send(h, 401, b""), r"refuses user or password \(401\)"),
        (lambda h: send(h, 403, b""), r"the account may not do that \(403\)"),
        (lambda h: send(h, 404, b""), r"no such document \(404\)"),
        (lambda h: send(h, 503, b""), r"busy or starting up \(503\)"),
        (
            lambda h: send(h, 500, b'{"error": {"message": "Out of memory."}}'),
            r"the error 500: Out of memory\.",
        ),
        (
            lambda h: send(h, 302, b"", {"Location": "https://192.0.2.9/login"}),
            r"redirects to https://192\.0\.2\.9\. Give that",
        ),
        (lambda h: send(h, 307, b"", {"Location": h.path}), "redirects in a circle"),
        (lambda h: send(h, 200, b"<!DOCTYPE html><html>"), "a web page and not"),
        (lambda h: send(h, 200, b'{"Temperatures": [{"Name'), "breaks off after 24"),
        (lambda h: send(h, 200, b"[1, 2]"), "not a Redfish document"),
        (lambda h: h.connection.shutdown(2), "connection"),
    ],
)
def test_a_fault_is_one_sentence(
    old: RedfishServer, fault: Fault, sentence: str
) -> None:
    del old.tree["/Chassis/1U"]["Power"]
    redfish = source(old.url)
    try:
        redfish.open()
        old.faults[THERMAL] = fault
        with pytest.raises(SourceError, match=sentence) as caught:
            redfish.read()
        assert "bmc (http://127.0.0.1" in str(caught.value)
    finally:
        redfish.close()


@pytest.mark.parametrize(
    "content", [b'{"Fans": 7}', b'{"Fans": [{"Status": "OK", "ReadingRPM": 9}]}', b"{}"]
)
def test_a_document_without_its_sensors_is_told(
    old: RedfishServer, content: bytes
) -> None:
    redfish = source(old.url)
    try:
        redfish.open()
        old.faults[THERMAL] = lambda h: send(h, 200, content)
        reading = redfish.read()
        assert_gap(shown(reading)["bmc.temperature.inlet"], Status.ABSENT)
        assert f"{THERMAL}: none of its sensors" in reading.trouble
        assert shown(reading)["bmc.power.system"] == (344.0, Status.OK)
    finally:
        redfish.close()


def moved(code: int, to: str) -> Fault:
    return lambda handler: send(handler, code, b"{}", {"Location": to})


@pytest.mark.parametrize("auth", ["session", "basic"])
@pytest.mark.parametrize("way", ["login", "root", "redirect", "link", "page", "logout"])
def test_a_service_sends_nobody_elsewhere_with_user_and_token(
    old: RedfishServer, new: RedfishServer, way: str, auth: str
) -> None:
    """Whatever it points to, a second service is asked nothing at all."""
    there = f"{new.url}/redfish/v1"
    logins = "/SessionService/Sessions"
    if way == "login":
        old.faults[logins] = moved(307, f"{there}{logins}")
    elif way == "logout":

        def let_in(handler: BaseHTTPRequestHandler) -> None:
            place = {"X-Auth-Token": "t", "Location": f"{there}{logins}/t"}
            send(handler, 201, b"{}", place)

        old.faults[logins] = let_in
        old.sessions.add("t")
    elif way == "root":
        old.faults["/"] = moved(308, f"{there}/")
    elif way == "redirect":
        old.faults[THERMAL] = moved(302, f"//127.0.0.1:{new.port}/redfish/v1{THERMAL}")
    elif way == "link":
        old.tree["/Chassis/1U"]["Thermal"] = {"@odata.id": f"{there}{THERMAL}"}
    else:
        old.tree["/Chassis"]["Members@odata.nextLink"] = f"{there}/Chassis"
    redfish = source(old.url, auth=auth)
    try:
        redfish.open()
        redfish.read()
    except SourceError as error:
        assert "127.0.0.1" in str(error)  # noqa: PT017  (some do not get as far)
    finally:
        redfish.close()
    assert old.asked
    assert not new.asked
    assert not new.sessions


def test_a_slow_and_a_trickling_bmc_end_by_the_deadline(old: RedfishServer) -> None:
    redfish = source(old.url, timeout=2)
    try:
        redfish.open()
        old.faults[THERMAL] = trickle
        old.faults["/Chassis/1U/Power"] = trickle
        with pytest.raises(SourceError, match=r"no answer within 2 s") as late:
            redfish.read()
        assert late.value.status is Status.TIMEOUT
    finally:
        redfish.close()


@pytest.mark.parametrize("is_secure", [False, True])
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (trickle_headers, "no answer within 1 s"),
        (trickle_chunk, "no answer within 1 s"),
        (pour, "larger than any document|no answer within 1 s"),
    ],
)
def test_an_answer_that_never_ends_ends_by_the_deadline(
    tmp_path: Path, fault: Fault, said: str, is_secure: bool
) -> None:
    """A minute of drops would come, each of them in time."""
    pem = tmp_path / "bmc.pem"
    if is_secure:
        make_certificate(pem)
    service = RedfishServer(OLD, pem if is_secure else None)
    redfish = source(service.url, timeout=1, trust=is_secure)
    try:
        redfish.open()
        service.faults[THERMAL] = service.faults["/Chassis/1U/Power"] = fault
        with pytest.raises(SourceError, match=said):
            redfish.read()
    finally:
        redfish.close()
        service.close()


def test_packed_and_redirected_documents_are_read(old: RedfishServer) -> None:
    packed = gzip.compress(json.dumps(old.tree[THERMAL]).encode())
    old.faults[THERMAL] = lambda h: send(h, 200, packed, {"Content-Encoding": "gzip"})
    place = {"Location": "/redfish/v1/Chassis/1U/"}
    old.faults["/Chassis/1U"] = lambda h: send(h, 308, b"", place)
    redfish = source(old.url)
    try:
        redfish.open()
        assert shown(redfish.read())["bmc.temperature.inlet"] == (25.0, Status.OK)
    finally:
        redfish.close()


def test_a_chassis_that_fails_does_not_take_the_others_with_it(
    old: RedfishServer,
) -> None:
    """Not even the first one, which the service is named after."""
    chassis = old.tree["/Chassis"]["Members"]
    bad = ("Broken", "Gone", "Late", "Odd")
    chassis[:0] = [{"@odata.id": f"/redfish/v1/Chassis/{name}"} for name in bad]
    for name in bad:
        old.tree[f"/Chassis/{name}"] = {"Thermal": chassis[0]}
    old.faults["/Chassis/Broken"] = lambda h: send(h, 500, b"")
    del old.tree["/Chassis/Gone"]
    old.faults["/Chassis/Late"] = trickle
    old.faults["/Chassis/Odd"] = lambda h: send(h, 200, b'{"Thermal')
    redfish = source(old.url, timeout=1)
    try:
        assert redfish.open().maker == "Contoso"
        first, second = redfish.read(), redfish.read()
        assert shown(first)["bmc.temperature.inlet"] == (25.0, Status.OK)
        for name in ("/Chassis/Broken", "/Chassis/Gone"):
            assert name in first.notice
        assert "1 more" in first.notice
        assert second.notice == ""
    finally:
        redfish.close()


def test_what_fails_at_a_return_is_a_gap_until_it_is_back(old: RedfishServer) -> None:
    """A chassis that breaks meanwhile does not keep the others away."""
    chassis = old.tree["/Chassis"]["Members"]
    chassis.append({"@odata.id": "/redfish/v1/Chassis/2U"})
    old.tree["/Chassis/2U"] = {"Thermal": {"@odata.id": "/redfish/v1/Chassis/2U/T"}}
    old.tree["/Chassis/2U/T"] = old.tree[THERMAL]
    redfish = source(old.url, timeout=1)
    try:
        redfish.open()
        channels = redfish.channels
        redfish.close()
        old.faults["/Chassis/1U"] = lambda h: send(h, 500, b"")
        old.faults[THERMAL] = lambda h: send(h, 500, b"")
        redfish.open()
        assert redfish.channels == channels
        reading = redfish.read()
        found = shown(reading)
        assert found["bmc.temperature.inlet"][1] is Status.ERROR
        assert found["bmc.temperature.inlet-2"] == (25.0, Status.OK)
        assert found["bmc.power.system"] == (344.0, Status.OK)
        assert "500" in reading.trouble
        assert "/Chassis/1U" in reading.notice
        old.faults.clear()
        assert shown(redfish.read())["bmc.temperature.inlet"] == (25.0, Status.OK)
    finally:
        redfish.close()


def _unlike(document: dict[str, Any]) -> None:
    """Put into a document what has no place there."""
    document["Temperatures"][:0] = [
        *(None, "text", 5, [], {}),
        {"Name": 5, "Status": "OK", "ReadingCelsius": None, "MemberId": None},
        {"Name": None, "Status": None, "ReadingCelsius": "hot", "PhysicalContext": []},
        {"Name": "A", "ReadingCelsius": True, "UpperThresholdCritical": "many"},
        {"Name": "B", "ReadingCelsius": 30, "Thresholds": [], "RelatedItem": [None]},
    ]
    document["Fans"] = {"Fan 1": 2100}


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("/Chassis", lambda d: d["Members"].extend([None, "x", 5, {}, []])),
        ("/Chassis", lambda d: d["Members"].append({"@odata.id": None})),
        ("/Chassis/1U/Thermal", _unlike),
        ("/Chassis/1U/Power", lambda d: d.update(PowerSupplies=5, Voltages="none")),
        ("/Chassis/1U", lambda d: d.update(Power=None, Sensors=["x"])),
        ("/", lambda d: d.update(ProtocolFeaturesSupported=["Expand"])),
        ("/", lambda d: d.pop("Managers")),
        ("/Managers", lambda d: d.clear()),
        ("/Managers/BMC", lambda d: d.update(FirmwareVersion=7)),
    ],
)
def test_what_is_misshapen_does_not_take_the_rest_with_it(
    old: RedfishServer, path: str, change: Callable[[dict[str, Any]], None]
) -> None:
    change(old.tree[path])
    redfish = source(old.url)
    try:
        redfish.open()
        assert shown(redfish.read())["bmc.temperature.inlet"] == (25.0, Status.OK)
    finally:
        redfish.close()


@pytest.mark.parametrize("path", ["/Managers", "/Managers/BMC"])
def test_a_service_without_its_manager_is_read(old: RedfishServer, path: str) -> None:
    old.faults[path] = lambda h: send(h, 500, b"")
    redfish = source(old.url)
    try:
        assert redfish.open().maker == "Contoso"
        assert shown(redfish.read())["bmc.temperature.inlet"] == (25.0, Status.OK)
    finally:
        redfish.close()


def test_a_service_that_is_late_all_the_time_is_not_waited_for(
    old: RedfishServer,
) -> None:
    late = [f"/Chassis/{n}" for n in range(9)]
    chassis = [{"@odata.id": f"/redfish/v1{path}"} for path in late]
    old.tree["/Chassis"]["Members"][1:] = chassis
    old.faults.update(dict.fromkeys(late, lambda h: send(h, 503, b"")))
    with pytest.raises(SourceError, match="503"):
        source(old.url).open()
    assert sum("/Chassis/" in asked for asked in old.asked) < 9


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


def test_a_wrong_password_is_told_without_it(
    old: RedfishServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", "not-the-secret")
    with pytest.raises(SourceError, match="refuses user or password") as refused:
        source(old.url).open()
    assert "not-the-secret" not in str(refused.value)


def test_a_password_that_a_service_repeats_is_not_told(old: RedfishServer) -> None:
    words = f'{{"error": {{"message": "The value {PASSWORD} is too weak."}}}}'
    old.refused_logins = words.encode()
    with pytest.raises(SourceError, match=r"The value \*\*\* is too weak") as refused:
        source(old.url).open()
    assert PASSWORD not in str(refused.value)


def test_a_link_to_another_host_is_not_followed_with_our_token(
    old: RedfishServer,
) -> None:
    other = RedfishServer(OLD)
    try:
        old.tree["/Chassis/1U"]["Thermal"] = {"@odata.id": f"{other.url}/redfish/v1/X"}
        with pytest.raises(SourceError, match=f"points to {other.url}"):
            source(old.url).open()
        assert not other.asked
    finally:
        other.close()


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


def test_nobody_there_is_a_sentence(old: RedfishServer) -> None:
    old.close()
    with pytest.raises(SourceError, match="connection refused"):
        source(old.url).open()


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[RedfishServer]:
    make_certificate(tmp_path / "bmc.pem", days=-1)  # as on a BMC with a wrong clock
    server = RedfishServer(OLD, tmp_path / "bmc.pem")
    yield server
    server.close()


def test_a_certificate_of_its_own_is_refused_with_its_fingerprint(
    secure: RedfishServer,
) -> None:
    shows = fingerprint(fetch_certificate("127.0.0.1", secure.port, 5))
    with pytest.raises(SourceError, match="certificate is not trusted") as refused:
        source(secure.url).open()
    assert f'fingerprint = "{shows}"' in str(refused.value)
    assert not secure.asked, "not a word before it is trusted"


def test_a_certificate_of_a_known_authority_needs_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_certificate(tmp_path / "bmc.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "bmc.pem"))
    server = RedfishServer(OLD, tmp_path / "bmc.pem")
    try:
        found = read_once(source(server.url))
        by_name = server.url.replace("127.0.0.1", "localhost")
        other = source(by_name)
        monkeypatch.setenv("BAYSCOPE_ADDRESS_BMC", login_at(by_name))
        with pytest.raises(SourceError, match="not trusted"):
            other.open()
    finally:
        server.close()
    assert found["bmc.fan.fan1"] == (2100.0, Status.OK)


def test_a_pinned_certificate_is_accepted_and_no_other(secure: RedfishServer) -> None:
    shows = fingerprint(fetch_certificate("127.0.0.1", secure.port, 5))
    pairs = ":".join(shows[at : at + 2] for at in range(0, 64, 2)).upper()
    redfish = source(secure.url, fingerprint=f"SHA256:{pairs}")
    identity = redfish.open()
    redfish.close()
    assert identity.address == f"{secure.url} (certificate sha256 {shows})"
    secure.asked.clear()
    with pytest.raises(SourceError, match="another certificate than the one that"):
        source(secure.url, fingerprint="00" * 32).open()
    assert not secure.asked


def test_trusting_the_first_certificate_tells_it_and_keeps_to_it(
    secure: RedfishServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shows = fingerprint(fetch_certificate("127.0.0.1", secure.port, 5))
    redfish = source(secure.url, trust=True)
    with caplog.at_level(logging.WARNING):
        assert read_once(redfish)["bmc.fan.fan1"] == (2100.0, Status.OK)
    assert f'fingerprint = "{shows}"' in caplog.text
    make_certificate(tmp_path / "other.pem")
    other = RedfishServer(OLD, tmp_path / "other.pem")
    moved = source(other.url, trust=True)
    moved._trusted = shows
    monkeypatch.setenv("BAYSCOPE_ADDRESS_BMC", login_at(other.url))
    with pytest.raises(SourceError, match="another certificate than the one that"):
        moved.open()
    assert not other.sessions, "it got no password"
    other.close()


def test_a_certificate_that_changes_meanwhile_is_called_another_one(
    secure: RedfishServer, tmp_path: Path
) -> None:
    redfish = source(secure.url, trust=True)
    redfish.open()
    secure.close()
    redfish._link._http._transport.close()  # type: ignore[union-attr]
    make_certificate(tmp_path / "other.pem")
    other = RedfishServer(OLD, tmp_path / "other.pem", secure.port)
    try:
        with pytest.raises(SourceError, match="another certificate than") as caught:
            redfish.read()
        assert "trust = true" not in str(caught.value)
    finally:
        redfish.close()
        other.close()


def test_tls_where_there_is_none_is_a_sentence(old: RedfishServer) -> None:
    with pytest.raises(SourceError, match="does not speak TLS"):
        source(old.url.replace("http://", "https://")).open()


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ({"address": "ftp://bmc"}, "address"),
        ({"address": "http://user:pw@bmc"}, "address"),
        ({"address": "bmc", "fingerprint": "abc"}, "fingerprint"),
        ({"address": "bmc", "fingerprint": "ab" * 32, "trust": True}, "trust"),
    ],
)
def test_options_that_cannot_be(keys: dict[str, Value], where: str) -> None:
    with pytest.raises(BadInput) as refused:
        DRIVER.build(DRIVER.settings("bmc", {"user": USER, **keys}, LocalHost()))
    assert refused.value.where == where
