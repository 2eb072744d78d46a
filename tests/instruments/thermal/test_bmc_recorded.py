"""A BMC and a PDU in a recording: both go away and come back by themselves."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.thermal.ipmi import driver as ipmi
from instruments.thermal.snmp import driver as snmp
from instruments.tools.hosts import LocalHost
from tests.app.record.recording import INFO
from tests.ipmi_sim import PASSWORD, USER, IpmiSim
from tests.snmp_agent import SnmpAgentSim, eaton_records


def _await(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


@pytest.mark.slow
def test_the_run_goes_on_and_the_gap_has_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("instruments.thermal.snmp.session.WAIT_S", 0.2)
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", PASSWORD)
    monkeypatch.setenv("BAYSCOPE_PASSWORD_UPS", "ups")
    for name in ("bmc", "ups"):
        (tmp_path / name).mkdir()
    bmc = IpmiSim(tmp_path / "bmc")
    ups = SnmpAgentSim(tmp_path / "ups", {"ups": eaton_records()})
    bmc.start()
    ups.start()
    here = {"address": "127.0.0.1", "period": 1.0}
    keys = {**here, "port": bmc.port, "user": USER}
    first = ipmi.DRIVER.build(ipmi.DRIVER.settings("bmc", keys, LocalHost()))
    keys = {**here, "port": ups.port, "profile": "eaton-ups"}
    second = snmp.DRIVER.build(snmp.DRIVER.settings("ups", keys, LocalHost()))
    first.period_s = second.period_s = 0.05
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()

    def all_are(state: str) -> bool:
        health = recorder.health()
        return all(health[name].state == state for name in ("bmc", "ups"))

    try:
        recorder.watch(first)
        recorder.watch(second)
        _await(lambda: all_are("ok") and recorder.health()["ups"].readings > 3)
        bmc.kill()
        ups.kill()
        _await(lambda: all_are("lost"))
        bmc.start()
        ups.start()
        _await(lambda: all_are("ok"))
    finally:
        recorder.close()
        bmc.kill()
        ups.kill()
    with Session.open(tmp_path / "s.bayscope") as session:
        said = [(event.source, event.message) for event in session.events()]
        gaps = {
            (gap.channel_name.partition(".")[0], gap.reason) for gap in session.gaps()
        }
    for name in ("bmc", "ups"):
        assert any(source == name and "is back" in text for source, text in said)
        assert (name, "timeout") in gaps
