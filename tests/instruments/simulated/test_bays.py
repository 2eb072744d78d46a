"""Lines about bays and modules, and the stand-in for sg_start, on a real socket."""

import json
from collections.abc import Iterator, Mapping

import pytest

from instruments.simulated.bench import BenchConfig, BenchModel
from instruments.simulated.enclosure import EnclosurePort
from instruments.simulated.server import SimulatedBench
from instruments.simulated.tools import DRIVES, simulated_tools
from instruments.tools.command import start


@pytest.fixture
def port() -> EnclosurePort:
    return EnclosurePort(BenchModel(BenchConfig()))


def states(port: EnclosurePort) -> dict[str, str]:
    found: dict[str, str] = json.loads(port.handle("SIM:DRIV?"))
    return found


def test_a_drive_is_pulled_and_put_back(port: EnclosurePort) -> None:
    assert port.handle("SIM:DRIV 7,OUT") == "OK"
    assert states(port)["slot07"] == "out"
    assert json.loads(port.handle("TEMP?"))["slot07"] == [None, "absent"]
    assert port.handle("SIM:DRIV 7,IDLE_A") == "ERROR there is no drive in slot 7"
    assert port.handle("SIM:DRIV ALL,idle_b") == "OK"
    assert list(states(port).values()).count("idle_b") == 59
    assert port.handle("SIM:DRIV 7,IN") == "OK"
    assert states(port)["slot07"] == "waking"
    assert json.loads(port.handle("TEMP?"))["slot07"] == [None, "standby"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("SIM:DRIV 60,OUT", 'ERROR "60" is not a slot from 0 to 59'),
        ("SIM:DRIV 7", "ERROR expected one of IN, OUT, ACTIVE"),
        ("SIM:DRIV 7,WAKING", "ERROR expected one of"),
        ("SIM:LOC 7,BLUE", "ERROR expected ON or OFF"),
        ("SIM:LOC x,ON", 'ERROR "X" is not a slot'),
    ],
)
def test_mistakes_are_told(port: EnclosurePort, line: str, why: str) -> None:
    assert port.handle(line).startswith(why)


def test_modules_follow_the_power(port: EnclosurePort) -> None:
    assert json.loads(port.handle("STAT?")) == {
        name: [1, "ok"] for name in ("iom1", "iom2", "psu1", "psu2")
    }
    port.handle("SIM:DUT BMC")
    assert json.loads(port.handle("STAT?"))["iom1"] == [None, "standby"]
    assert json.loads(port.handle("STAT?"))["psu1"] == [1, "ok"]
    port.handle("SIM:DUT OFF")
    assert json.loads(port.handle("STAT?"))["psu1"] == [None, "absent"]


def test_lights(port: EnclosurePort) -> None:
    assert port.handle("SIM:LOC 7,ON") == "OK"
    assert port.handle("SIM:LOC 3,ON") == "OK"
    assert port.handle("SIM:LOC?") == "[3, 7]"
    assert port.handle("SIM:LOC 7,OFF") == "OK"
    assert port.handle("SIM:LOC?") == "[3]"


@pytest.fixture
def bench() -> Iterator[SimulatedBench]:
    with SimulatedBench(BenchConfig()) as running:
        yield running


@pytest.fixture
def env(bench: SimulatedBench) -> Iterator[Mapping[str, str]]:
    with simulated_tools(f"127.0.0.1:{bench.enclosure_port}") as made:
        yield made


def sg_start(env: Mapping[str, str], words: str) -> tuple[int | None, str]:
    with start(["sh", "-c", f"sg_start {words}"], env=env) as running:
        said = running.stdout.read().decode()
        return running.wait(30.0), said + running.stderr_text()


def test_sg_start_brings_a_drive_down_and_wakes_it(
    bench: SimulatedBench, env: Mapping[str, str]
) -> None:
    drive = env[DRIVES].split()[7]
    code, said = sg_start(env, f"--pc=2 --mod=1 {drive}")
    assert code == 0, said
    assert said.startswith("sg_start (simulated): slot07 from active to idle_b")
    assert bench.model.enclosure.bays.states[7] == "idle_b"
    code, said = sg_start(env, f"--pc=1 {drive}")
    assert (code, bench.model.enclosure.bays.states[7]) == (0, "active"), said
    assert "slot07 from idle_b to active" in said


def test_sg_start_touches_no_other_drive(env: Mapping[str, str]) -> None:
    code, said = sg_start(env, "--pc=3 /dev/sg3")
    assert code == 2
    assert "/dev/sg3 is not a simulated drive" in said
    code, said = sg_start(env, f"--pc=2 --mod=7 {env[DRIVES].split()[0]}")
    assert code == 2
    assert "no condition 2 with modifier 7" in said
    code, said = sg_start(env, "--pc=2 simulated:slot99")
    assert code == 2
    assert "slot99" in said
