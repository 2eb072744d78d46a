"""The simulated bench as a process: found by its ports, gone with its parent."""

import json
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from instruments.errors import BenchError
from instruments.noise.simulated import SOUND_METER
from instruments.power.hmc8015.driver import HMC8015
from instruments.simulated.process import SimulatorProcess
from instruments.simulated.source import SimulatedSource
from instruments.thermal.simulated import ENCLOSURE
from instruments.tools import command


def test_it_is_ready_once_it_is_started_and_gone_once_it_is_left(
    tmp_path: Path,
) -> None:
    with SimulatorProcess(target=tmp_path / "scratch", speedup=50, seed=7) as simulator:
        pid = simulator.pid
        address = simulator.enclosure_address
        with (
            closing(HMC8015("mains", simulator.meter_resource)) as meter,
            closing(SimulatedSource("enclosure", address, ENCLOSURE)) as enclosure,
            closing(SimulatedSource("noise", address, SOUND_METER)) as noise,
        ):
            for source in (meter, enclosure, noise):
                assert source.open().simulated
                assert source.read().raw
    assert simulator.pid == 0
    assert not Path(f"/proc/{pid}").exists()


def test_two_at_a_time_have_ports_of_their_own() -> None:
    with SimulatorProcess() as first, SimulatorProcess() as second:
        ports = {
            *(first.meter_port, first.enclosure_port),
            *(second.meter_port, second.enclosure_port),
        }
        assert len(ports) == 4


def test_why_it_did_not_start_is_said() -> None:
    with (
        SimulatorProcess() as running,
        pytest.raises(BenchError, match=r"simulated bench: .*port cannot be opened"),
    ):
        SimulatorProcess(port=running.meter_port).start()
    with pytest.raises(BenchError, match='no fault is called "explode"'):
        SimulatorProcess(faults=["explode"]).start()
    with pytest.raises(BenchError, match=r"Expected 0\.1 to 1000"):
        SimulatorProcess(speedup=-1).start()


PARENT = """
import os, time
from instruments.simulated.process import SimulatorProcess
simulator = SimulatorProcess()
simulator.start()
print(simulator.pid, flush=True)
time.sleep(600)
"""


def test_it_dies_with_a_killed_parent() -> None:
    with command.start([sys.executable, "-c", PARENT]) as parent:
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait(60)
        status = Path(f"/proc/{pid}/stat")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and _runs(status):
            time.sleep(0.02)
        assert not _runs(status)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_quietly(number: signal.Signals) -> None:
    argv = [sys.executable, "-m", "instruments.simulated", "--port", "0"]
    with command.start(argv) as running:
        ports = json.loads(running.stdout.readline())
        assert ports["meter"] != ports["enclosure"]
        running.send_signal(number)
        assert running.wait(60) == 0
        assert running.stderr_text() == ""


def test_it_tells_the_other_ways_in() -> None:
    argv = [sys.executable, "-m", "instruments.simulated", "--port", "0"]
    with command.start([*argv, "--vxi11-port", "0", "--serial"]) as running:
        told = json.loads(running.stdout.readline())
        for way in ("vxi11", "serial"):
            assert HMC8015("mains", told[way]).free().serial == "SIM000001"
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 0


def _runs(status: Path) -> bool:
    try:
        return status.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
