"""Server power by Redfish, against a small service."""

from collections.abc import Iterator

import pytest

from instruments.errors import BadInput, SourceError
from instruments.settings import Value
from instruments.switch.base import Switch
from instruments.switch.redfish import DRIVER
from instruments.tools.hosts import LocalHost
from tests.redfish_server import OLD, PASSWORD, USER, RedfishServer


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedfishServer]:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_SERVER", PASSWORD)
    server = RedfishServer(OLD)
    yield server
    server.close()


def opened(service: RedfishServer, **keys: Value) -> Switch:
    given = {"address": service.url, "user": USER, "settle": 0.5, "pause": 0.0}
    server = DRIVER.build(DRIVER.settings("server", {**given, **keys}, LocalHost()))
    try:
        server.open()
    except SourceError:
        server.close()
        raise
    return server


def test_power_goes_off_on_and_round(service: RedfishServer) -> None:
    server = opened(service)
    try:
        assert server.state("") == "on"
        assert server.act("soft", "") == "the system is off"
        assert server.act("on", "") == "the system is on"
        assert server.act("cycle", "") == "the system is on"
        posts = [line for line in service.asked if line.startswith("POST")]
        assert len(posts) == 4
        server.act("on", "")
        assert [line for line in service.asked if line.startswith("POST")] == posts
    finally:
        server.close()


def test_a_system_that_stays_on_is_an_error(service: RedfishServer) -> None:
    service.stuck = True
    server = opened(service)
    try:
        with pytest.raises(SourceError, match="the system is still on and not off"):
            server.act("off", "")
        with pytest.raises(SourceError, match="identify light is still off and not on"):
            server.act("identify", "")
        with pytest.raises(BadInput, match="no place"):
            server.state("2")
    finally:
        server.close()


def test_what_the_system_does_not_offer_is_told(service: RedfishServer) -> None:
    reset = service.tree["/Systems/1"]["Actions"]["#ComputerSystem.Reset"]
    reset["ResetType@Redfish.AllowableValues"] = ["On"]
    server = opened(service)
    try:
        with pytest.raises(SourceError, match='the system offers no "ForceOff"'):
            server.act("off", "")
    finally:
        server.close()


@pytest.mark.parametrize(
    ("path", "key", "lit", "dark"),
    [
        ("/Chassis/1U", "LocationIndicatorActive", True, False),
        ("/Systems/1", "IndicatorLED", "Blinking", "Off"),
    ],
)
def test_the_identify_light_old_and_new(
    service: RedfishServer, path: str, key: str, lit: object, dark: object
) -> None:
    if key == "IndicatorLED":
        del service.tree["/Chassis/1U"]["LocationIndicatorActive"]
    server = opened(service)
    try:
        assert server.act("identify", "") == "the identify light is on"
        assert service.tree[path][key] == lit
        assert server.act("identify-off", "") == "the identify light is off"
        assert service.tree[path][key] == dark
    finally:
        server.close()


def test_a_service_that_insists_on_versions_gets_them(service: RedfishServer) -> None:
    service.tree["/Chassis/1U"]["@odata.etag"] = 'W/"12"'
    server = opened(service)
    try:
        assert server.act("identify", "") == "the identify light is on"
    finally:
        server.close()


def test_a_system_is_chosen_by_its_id(service: RedfishServer) -> None:
    members = [{"@odata.id": f"/redfish/v1/Systems/{n}"} for n in (1, 2)]
    service.tree["/Systems"]["Members"] = members
    with pytest.raises(
        SourceError, match=r"several systems\. Give system, one of 1, 2"
    ):
        opened(service)
    opened(service, system="1").close()
    with pytest.raises(SourceError, match='there is no system "9"'):
        opened(service, system="9")
