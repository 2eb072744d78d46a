"""Outlets by SNMP, against snmpsim whose objects can be written."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BadInput, SourceError
from instruments.settings import Value
from instruments.switch.base import Switch
from instruments.switch.snmp import DRIVER
from instruments.tools.hosts import LocalHost
from tests.snmp_agent import SnmpAgentSim

PDU = """
1.3.6.1.4.1.99.1.1|2:writecache|value=1
1.3.6.1.4.1.99.1.2|2:writecache|value=0
1.3.6.1.4.1.99.2.0|4|Test PDU
"""
STUCK = """
1.3.6.1.4.1.13742.6.3.2.1.1.3.1|4|PX2-5475
1.3.6.1.4.1.13742.6.4.1.2.1.2.1.1|2:writecache|value=1
1.3.6.1.4.1.13742.6.4.1.2.1.3.1.1|2|7
"""
PROFILE = """
title = "A PDU whose state is where it is commanded"
model = "1.3.6.1.4.1.99.2.0"
[switch]
state = "1.3.6.1.4.1.99.1.{}"
is_on = [1]
is_off = [0]
on = { oid = "1.3.6.1.4.1.99.1.{}", write = 1 }
off = { oid = "1.3.6.1.4.1.99.1.{}", write = 0 }
"""


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnmpAgentSim]:
    records = {"pdu": PDU, "stuck": STUCK}
    sim = SnmpAgentSim(tmp_path_factory.mktemp("snmp"), records)
    sim.start()
    yield sim
    sim.kill()


@pytest.fixture
def profile(home: Path) -> None:
    folder = home / ".config" / "bayscope" / "snmp"
    folder.mkdir(parents=True)
    (folder / "raritan-px2.toml").write_text(PROFILE)


def switch(agent: SnmpAgentSim, **keys: Value) -> Switch:
    given = {"address": "127.0.0.1", "port": agent.port, "profile": "raritan-px2"}
    settle = {"settle": 0.5, "pause": 0.0}
    return DRIVER.build(
        DRIVER.settings("pdu", {**given, **settle, **keys}, LocalHost())
    )


@pytest.mark.usefixtures("profile")
def test_an_outlet_goes_off_on_and_round(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_PDU", "pdu")
    pdu = switch(agent)
    try:
        assert pdu.open().model == "Test PDU"
        assert (pdu.state("1"), pdu.state("2")) == ("on", "off")
        assert pdu.places()[:2] == ("1", "2")
        assert pdu.act("off", "1") == "outlet 1 is off"
        assert pdu.state("1") == "off"
        assert pdu.act("on", "2") == "outlet 2 is on"
        assert pdu.act("cycle", "2") == "outlet 2 is on"
        assert pdu.act("on", "1") == "outlet 1 is on"
    finally:
        pdu.close()


def test_an_outlet_that_stays_on_is_an_error(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_PDU", "stuck")
    pdu = switch(agent)
    try:
        pdu.open()
        with pytest.raises(SourceError, match="outlet 1 is still on and not off"):
            pdu.act("off", "1")
        with pytest.raises(BadInput, match="no outlet 9 that can be switched"):
            pdu.act("off", "9")
        with pytest.raises(BadInput, match='"all" is not an outlet'):
            pdu.act("off", "all")
    finally:
        pdu.close()


def test_a_profile_without_outlets_is_refused(agent: SnmpAgentSim) -> None:
    with pytest.raises(BadInput, match="has no outlets to be switched"):
        switch(agent, profile="ups-mib")
