"""BMCs by Redfish, against a small service over real HTTP and HTTPS."""

import gzip
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from instruments.errors import BadInput, SourceError
from instruments.reading import Status
from instruments.settings import Value
from instruments.thermal.redfish.driver import DRIVER
from instruments.tools.hosts import LocalHost
from tests.instruments.seen import seen
from tests.instruments.thermal.redfish.service import (
    THERMAL,
    assert_gap,
    read_once,
    source,
)
from tests.redfish_server import (
    OLD,
    PASSWORD,
    USER,
    Fault,
    RedfishServer,
    make_certificate,
    pour,
    send,
    trickle,
    trickle_chunk,
    trickle_headers,
)


def test_a_null_is_missed_where_there_was_a_number(old: RedfishServer) -> None:
    inlet = old.tree["/Chassis/1U/Thermal"]["Temperatures"][0]
    redfish = source(old.url)
    try:
        redfish.open()
        inlet["ReadingCelsius"] = None
        found = seen(redfish.read())
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
        found = seen(redfish.read())
        assert found["bmc.fan.fan1"] == (2100.0, Status.OK)
        assert_gap(found["bmc.power.system"], Status.TIMEOUT)
        del old.faults["/Chassis/1U/Power"]
        assert seen(redfish.read())["bmc.power.system"] == (344.0, Status.OK)
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
        assert_gap(seen(reading)["bmc.temperature.inlet"], Status.ABSENT)
        assert f"{THERMAL}: none of its sensors" in reading.trouble
        assert seen(reading)["bmc.power.system"] == (344.0, Status.OK)
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
        assert seen(redfish.read())["bmc.temperature.inlet"] == (25.0, Status.OK)
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
        assert seen(first)["bmc.temperature.inlet"] == (25.0, Status.OK)
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
        found = seen(reading)
        assert found["bmc.temperature.inlet"][1] is Status.ERROR
        assert found["bmc.temperature.inlet-2"] == (25.0, Status.OK)
        assert found["bmc.power.system"] == (344.0, Status.OK)
        assert "500" in reading.trouble
        assert "/Chassis/1U" in reading.notice
        old.faults.clear()
        assert seen(redfish.read())["bmc.temperature.inlet"] == (25.0, Status.OK)
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
        assert seen(redfish.read())["bmc.temperature.inlet"] == (25.0, Status.OK)
    finally:
        redfish.close()


@pytest.mark.parametrize("path", ["/Managers", "/Managers/BMC"])
def test_a_service_without_its_manager_is_read(old: RedfishServer, path: str) -> None:
    old.faults[path] = lambda h: send(h, 500, b"")
    redfish = source(old.url)
    try:
        assert redfish.open().maker == "Contoso"
        assert seen(redfish.read())["bmc.temperature.inlet"] == (25.0, Status.OK)
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


def test_nobody_there_is_a_sentence(old: RedfishServer) -> None:
    old.close()
    with pytest.raises(SourceError, match="connection refused"):
        source(old.url).open()


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
