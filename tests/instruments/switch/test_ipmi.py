"""Chassis power by IPMI, against OpenIPMI's simulator."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BadInput, MaybeDone, SourceError
from instruments.switch.base import Switch
from instruments.switch.ipmi import DRIVER
from instruments.tools.hosts import LocalHost
from tests.instruments.thermal.rooted import tool
from tests.ipmi_sim import PASSWORD, USER, IpmiSim


@pytest.fixture
def bmc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IpmiSim]:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_CHASSIS", PASSWORD)
    sim = IpmiSim(tmp_path)
    sim.start()
    yield sim
    sim.kill()


def opened(bmc: IpmiSim) -> Switch:
    given = {"address": "127.0.0.1", "port": bmc.port, "user": USER}
    keys = {**given, "settle": 0.5, "pause": 0.0}
    chassis = DRIVER.build(DRIVER.settings("chassis", keys, LocalHost()))
    chassis.open()
    return chassis


def asked(bmc: IpmiSim) -> list[str]:
    return (bmc.folder / "asked").read_text().splitlines()


def test_power_goes_off_on_and_round(bmc: IpmiSim) -> None:
    chassis = opened(bmc)
    try:
        assert chassis.state("") == "on"
        assert chassis.act("off", "") == "the chassis is off"
        assert asked(bmc) == ["power 0"]
        assert chassis.act("on", "") == "the chassis is on"
        assert chassis.act("cycle", "") == "the chassis is on"
        assert asked(bmc) == ["power 0", "power 1", "power 0", "power 1"]
    finally:
        chassis.close()


def test_a_chassis_that_stays_on_is_an_error(bmc: IpmiSim) -> None:
    (bmc.folder / "stuck").touch()
    chassis = opened(bmc)
    try:
        with pytest.raises(SourceError, match="the chassis is still on and not off"):
            chassis.act("off", "")
        with pytest.raises(BadInput, match='a chassis has no place "3"'):
            chassis.act("off", "3")
    finally:
        chassis.close()


def test_an_order_without_an_answer_may_have_been_done(
    bmc: IpmiSim, bin_folder: Path
) -> None:
    """ipmitool tells one that was refused by the BMC's own code."""
    chassis = opened(bmc)
    said = "Unable to send RAW command (channel=0x0 netfn=0x0 lun=0x0 cmd=0x2"
    try:
        tool(bin_folder, "ipmitool", f'echo "{said})" >&2; exit 1\n')
        with pytest.raises(MaybeDone):
            chassis.act("off", "")
        told = f'echo "{said} rsp=0xd4): Insufficient privilege level" >&2; exit 1\n'
        tool(bin_folder, "ipmitool", told)
        with pytest.raises(SourceError, match="Insufficient privilege") as refused:
            chassis.act("off", "")
        assert not isinstance(refused.value, MaybeDone)
        lost = "Error: Unable to establish IPMI v2 / RMCP+ session"
        tool(bin_folder, "ipmitool", f'echo "{lost}" >&2; exit 1\n')
        with pytest.raises(SourceError, match="no session") as never_sent:
            chassis.act("off", "")
        assert not isinstance(never_sent.value, MaybeDone)
    finally:
        chassis.close()


def test_the_identify_light_is_asked_for(bmc: IpmiSim) -> None:
    chassis = opened(bmc)
    try:
        assert "light" in chassis.act("identify", "")
        assert "light" in chassis.act("identify-off", "")
        assert asked(bmc) == ["identify 0 1", "identify 0 0"]
    finally:
        chassis.close()
