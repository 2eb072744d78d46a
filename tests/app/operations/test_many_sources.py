"""A bench of many sources, end to end: real servers, sockets, ptys, tools and fio."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bench import build
from app.bench.file import parse_bench
from app.bench.model import Bench
from app.operations.bench.check import check_bench
from app.operations.run.run import run_campaign
from app.operations.sessions.showing import show_json, show_text
from app.record.store import Session
from instruments.tools.hosts import Host, LocalHost
from tests.app.operations.benches import campaign
from tests.faults import meters, services, tools
from tests.faults.part import Machine, Part
from tests.fio_said import counted_iops

PARTS = (
    meters.hmc8015,
    meters.described,
    meters.enclosure,
    meters.dt8852,
    services.ipmi,
    services.redfish,
    services.snmp,
    tools.sensors,
    tools.ses,
    tools.hwmon,
    tools.local,
)
STEPS = """
name = "Many sources"
[[step]]
label = "Idle"
engine = "idle"
runtime = "6s"
[[step]]
label = "Read"
engine = "fio"
ramp = "1s"
runtime = "4s"
[step.fio]
rw = "randread"
bs = "4k"
rate_iops = 200
"""


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Part]]:
    """Everything, with tools and system files of a machine of the test's own."""
    machine = Machine(tmp_path / "machine")
    monkeypatch.setenv("PATH", f"{machine.bin}{os.pathsep}{os.environ['PATH']}")
    for name, secret in services.PASSWORDS.items():
        monkeypatch.setenv(name, secret)

    def host(name: str = "") -> Host:
        return LocalHost(name) if name else machine.host

    monkeypatch.setattr(build, "LocalHost", host)
    with contextlib.ExitStack() as closing:
        made = []
        for make in PARTS:
            part = make(tmp_path)
            closing.callback(part.close)
            made.append(part)
        yield made


def bench_of(parts: list[Part], folder: Path) -> Bench:
    head = f'name = "Many"\n[dut]\nname = "Shelf"\ntarget = "{folder / "scratch"}"\n'
    text = head + 'size = "16m"\n' + "".join(part.text for part in parts)
    return parse_bench(text, "bench.toml")


@pytest.mark.slow
def test_a_bench_of_many_sources_is_checked_recorded_and_told(
    parts: list[Part], tmp_path: Path
) -> None:
    bench = bench_of(parts, tmp_path)
    checks = check_bench(bench)
    assert {check.name: check.error for check in checks if not check.ok} == {}
    result = run_campaign(campaign(STEPS), bench, tmp_path)
    names = [name for part in parts for name in part.names]
    with Session.open(result.session) as session:
        # Its reason may be that other programs used the disk: it is not ours alone.
        assert [(s.label, s.verdict) for s in session.steps()] == [
            ("Idle", "PASS"),
            ("Read", "PASS"),
        ]
        delivering = {
            channel.source
            for channel in session.channels()
            if session.trace(channel).mean.size and channel.quantity != "poll"
        }
        assert {*names, "fio"} <= delivering
        said = session.artefact("fio-output.json.zz")
        quantities = {channel.name for channel in session.channels()}
        assert {"meters/pa1000.toml", "snmp/eaton-ups.toml"} <= {
            artefact.name for artefact in session.artefacts()
        }
    assert {
        "mains.P",
        "server_mains.P",
        "enclosure.temperature.slot59",
        "sound.LAeq",
        "bmc.temperature.inlet",
        "redfish.temperature.inlet",
        "ups.temperature.ambient",
        "pc.cpu_busy",
    } <= quantities
    steps = show_json(result.session)["steps"]
    assert isinstance(steps, list)
    idle, read = steps
    assert read["iops"] == pytest.approx(counted_iops(said), rel=1e-3)
    for row in (idle, read):
        assert 300 < row["power_w"] < 1000
        assert row["server.power_w"] > 0
        both = row["power_w"] + row["server.power_w"]
        assert row["whole bench.power_w"] == pytest.approx(both)
        assert 0 < row["power_error_w"] < 10
        assert row["ambient_c"] is not None
        assert row["noise_db"] is not None
    text = show_text(result.session)
    assert "Other devices" in text
    assert "whole bench" in text
