"""Looks around steps: real threads and tools, with /sys below a folder."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.operations.run.evidence import Evidence
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.tools.hosts import Host
from tests.app.record.recording import INFO
from tests.instruments.thermal.drive_stand import Drives
from tests.instruments.thermal.rooted import RootedHost, path_with, tool
from tests.sshd import sshd

BENCH = """
name = "Shelf"
[dut]
name = "x"
target = "{folder}/x"
layout = "4x15"
[[power]]
name = "mains"
driver = "described"
meter = "pa1000"
resource = "TCPIP::127.0.0.1::9::SOCKET"
[[thermal]]
name = "links"
driver = "sas"
[[thermal]]
name = "smart"
driver = "smart"
"""
COUNTER = "/sys/class/sas_phy/phy-0:3/invalid_dword_count"


class Lab:
    """A machine with one phy and one drive, and a recording."""

    def __init__(self, folder: Path) -> None:
        (folder / "bin").mkdir()
        (folder / "root").mkdir()
        self.host = RootedHost(folder / "root")
        self.drives = Drives(self.host, folder / "bin", folder / "drives")
        self.drives.smart(self.drives.add("sdb"), "scsi_st4000nm0043")
        tool(folder / "bin", "dmsetup", "exit 0\n")
        self.host.write("/sys/class/sas_phy/phy-0:3/negotiated_linkrate", "12.0 Gbit\n")
        self.host.write(COUNTER, "5\n")
        self.path = folder / "s.bayscope"
        self.recorder = Recorder(self.path, INFO, clock=SystemClock())
        self.recorder.start()
        self.cancel = threading.Event()
        self.bench: Bench = parse_bench(BENCH.format(folder=folder), "bench.toml")

    def evidence(self, look_s: float = 10.0) -> Evidence:
        return Evidence(
            self.bench,
            self.recorder,
            self.cancel,
            host_of=self._host,
            look_s=look_s,
            capture_s=look_s,
        )

    def _host(self, _: str) -> Host:
        return self.host

    def close(self) -> Session:
        self.recorder.close()
        return Session.open(self.path)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("PATH", path_with(tmp_path / "bin"))
    made = Lab(tmp_path)
    yield made
    made.recorder.close()


def test_errors_on_a_path_are_noted_with_their_step(lab: Lab) -> None:
    evidence = lab.evidence()
    step = lab.recorder.call(lambda w: w.add_step(1, "Read", "fio", ""))
    evidence.start()
    evidence.before(step, "Read")
    lab.host.write(COUNTER, "9\n")
    assert evidence.after(step, "Read") == ["phy-0:3: 4 invalid dwords"]
    evidence.finish()
    with lab.close() as session:
        kept = {row.name for row in session.artefacts()}
        assert {
            "meters/pa1000.toml",
            "layouts/4x15.toml",
            "sas-before.txt",
            "sas-after.txt",
            "before-smart-sdb-SSDB.json",
            "after-smart-sdb-SSDB.json",
        } <= kept
        assert b"invalid dwords 9" in session.artefact("sas-after.txt", step)
        [event] = [e for e in session.events() if e.source == "sas"]
        assert (event.level, event.message) == (
            "warning",
            "Read: phy-0:3: 4 invalid dwords",
        )


def test_counts_of_errors_that_grew_in_a_drive_are_noted(lab: Lab) -> None:
    evidence = lab.evidence()
    evidence.start()
    report = lab.drives.folder / "sdb" / "smartctl"
    told = json.loads(report.read_text())
    told["scsi_grown_defect_list"] += 3
    told["power_on_time"]["hours"] += 1
    report.write_text(json.dumps(told))
    evidence.finish()
    with lab.close() as session:
        said = [e.message for e in session.events() if e.source == "smart"]
    assert said == ["sdb-SSDB: 3 more grown_defects than before the first step"]


def test_nothing_changed_is_nothing_to_note(lab: Lab) -> None:
    evidence = lab.evidence()
    evidence.before(1, "Read")
    assert evidence.after(1, "Read") == []


def test_what_hangs_or_fails_is_an_event_and_ends_in_time(lab: Lab) -> None:
    tool(lab.drives.bin_folder, "dmsetup", "exec sleep 30\n")
    evidence = lab.evidence(look_s=0.3)
    evidence.before(1, "Read")
    assert evidence.after(1, "Read") == []
    with lab.close() as session:
        told = [e.message for e in session.events() if e.source == "evidence"]
    assert len(told) == 1
    assert told[0].startswith("paths of this machine: ")
    assert "longer than 0.3 s" in told[0]


def test_an_operator_who_stopped_does_not_wait(lab: Lab) -> None:
    tool(lab.drives.bin_folder, "dmsetup", "exec sleep 30\n")
    lab.cancel.set()
    assert lab.evidence().after(1, "Read") == []
    with lab.close() as session:
        assert not [e for e in session.events() if e.source == "evidence"]


SSH = """
name = "Head"
[dut]
name = "x"
target = "{folder}/x"
[[host]]
name = "head"
driver = "ssh"
address = "127.0.0.1"
user = "{server.user}"
port = {server.port}
key = "{server.key}"
known_hosts = "{server.known_hosts}"
"""


def test_the_clock_of_another_machine_is_compared_around_a_step(
    tmp_path: Path,
) -> None:
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    with sshd(tmp_path) as server:
        text = SSH.format(folder=tmp_path, server=server)
        bench = parse_bench(text, "bench.toml")
        evidence = Evidence(bench, recorder, threading.Event())
        evidence.before(1, "Read")
        evidence.after(1, "Read")
    recorder.close()
    with Session.open(recorder.path) as session:
        offsets = session.offsets()
        assert not [e.message for e in session.events() if e.source == "evidence"]
    assert [(o.source, o.method) for o in offsets] == [
        ("head.clock", "round trips before Read"),
        ("head.clock", "round trips after Read"),
    ]
    # It is this machine's own clock.
    assert all(abs(o.offset_ns) <= max(o.spread_ns, 10_000_000) for o in offsets)


def test_storage_is_kept_whenever_it_has_changed(lab: Lab, tmp_path: Path) -> None:
    status = tmp_path / "status"
    status.write_text("pool: bay, raidz2\n")
    tool(tmp_path / "bin", "zpool", f'[ "$1" = status ] && cat {status}\n')
    evidence = lab.evidence()
    evidence.before(1, "Write")
    evidence.before(2, "Read")
    status.write_text("pool: bay, mirror\n")
    evidence.before(3, "Write again")
    with lab.close() as session:
        kept = [
            (artefact.step_id, session.artefact(artefact.name, artefact.step_id))
            for artefact in session.artefacts()
            if artefact.name == "zpool-status.txt"
        ]
    assert kept == [(1, b"pool: bay, raidz2\n"), (3, b"pool: bay, mirror\n")]


def test_the_machine_is_kept_with_governors_adapters_and_queues(lab: Lab) -> None:
    cpu = "/sys/devices/system/cpu"
    lab.host.write(f"{cpu}/cpu0/cpufreq/scaling_governor", "powersave\n")
    lab.host.write("/sys/class/scsi_host/host0/proc_name", "mpt3sas\n")
    lab.host.write("/sys/class/scsi_host/host0/version_fw", "16.00.12.00\n")
    lab.host.write("/sys/module/mpt3sas/version", "43.100.00.00\n")
    lab.host.write("/sys/class/nvme/nvme0/firmware_rev", "GDC7302Q\n")
    lab.host.write("/proc/cmdline", "rd.iscsi.password=x mitigations=off\n")
    lab.host.write("/sys/block/sdb/queue/scheduler", "[mq-deadline] none\n")
    lab.evidence().start()
    with lab.close() as session:
        names = {artefact.name for artefact in session.artefacts()}
        assert "uname.txt" in names
        assert session.artefact("governors.txt") == (
            f"{cpu}/cpu0/cpufreq/scaling_governor: powersave\n".encode()
        )
        adapters = session.artefact("adapters.txt").decode()
        assert "host0/version_fw: 16.00.12.00" in adapters
        assert "/sys/module/mpt3sas/version: 43.100.00.00" in adapters
        assert b"nvme0/firmware_rev: GDC7302Q" in session.artefact("nvme.txt")
        assert b"password=*** mitigations=off" in session.artefact(
            "kernel-command-line.txt"
        )
        assert b"sdb/queue/scheduler: [mq-deadline] none" in session.artefact(
            "disk-settings.txt"
        )


def test_a_target_that_no_source_reads_has_its_smart_kept(lab: Lab) -> None:
    target = BENCH.format(folder="/dev").partition("[[thermal]]")[0]
    lab.bench = parse_bench(target.replace("/dev/x", "/dev/sdb"), "bench.toml")
    evidence = lab.evidence()
    evidence.start()
    evidence.finish()
    with lab.close() as session:
        names = {artefact.name for artefact in session.artefacts()}
    assert {"before-smart-sdb-SSDB.json", "after-smart-sdb-SSDB.json"} <= names
