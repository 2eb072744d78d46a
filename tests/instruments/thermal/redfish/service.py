"""A source at a service, and what it read."""

import math

from instruments.reading import Status
from instruments.settings import Value
from instruments.thermal.redfish.driver import DRIVER
from instruments.thermal.redfish.source import Redfish
from instruments.tools.hosts import LocalHost
from tests.instruments.seen import Seen, seen
from tests.redfish_server import (
    USER,
)

THERMAL = "/Chassis/1U/Thermal"


def source(address: str, **keys: Value) -> Redfish:
    given = {"address": address, "user": USER, **keys}
    built = DRIVER.build(DRIVER.settings("bmc", given, LocalHost()))
    assert isinstance(built, Redfish)
    return built


def login_at(url: str) -> str:
    return url.replace("://", f"://{USER}@")


def read_once(redfish: Redfish) -> Seen:
    try:
        redfish.open()
        return seen(redfish.read())
    finally:
        redfish.close()


def assert_gap(found: tuple[float, Status], status: Status) -> None:
    assert math.isnan(found[0])
    assert found[1] is status
