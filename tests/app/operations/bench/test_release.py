"""Meters are given back: against the simulated meter, over a real socket."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.operations.bench.check import check_bench
from app.operations.bench.lock import only_program
from app.operations.bench.release import release_bench, released_as_json
from instruments.errors import BadInput, BenchError
from instruments.link.transport import VisaTransport
from instruments.simulated.process import SimulatorProcess

BENCH = """
name = "Lab"
[dut]
name = "JBOD"
target = "{folder}/scratch.dat"
[[power]]
name = "mains"
driver = "hmc8015"
resource = "{mains}"
[[power]]
name = "dead"
driver = "yokogawa"
resource = "{dead}"
[[thermal]]
driver = "hwmon"
"""


@pytest.fixture
def resource() -> Iterator[str]:
    with SimulatorProcess() as simulator:
        yield simulator.meter_resource


def test_a_killed_runs_meter_is_left_alone_by_a_check_and_given_back(
    resource: str, tmp_path: Path, dead_meter: str
) -> None:
    link = VisaTransport(resource, 2.0)
    link.query("CHAN1:CURR:RANG 10;*OPC?")
    link.query("CHAN1:MEAS:FUNC P,TIME;*OPC?")
    link.query("INT:RES;:INT:STAR;*OPC?")
    link.close()  # as a process that was killed does
    text = BENCH.format(mains=resource, dead=dead_meter, folder=tmp_path)
    bench = parse_bench(text, "bench.toml")
    mains = check_bench(bench)[0]
    assert "energy is being integrated on it" in str(mains.error)
    found = release_bench(bench)
    assert [one.name for one in found] == ["mains", "dead"]
    assert found[0].text.startswith("mains: ")
    assert found[0].text.endswith("was released")
    assert "FAILED" in found[1].text
    assert [one["released"] for one in released_as_json(found)] == [True, False]
    assert check_bench(bench)[0].ok


def test_what_is_in_use_or_not_there_is_refused(
    tmp_path: Path, dead_meter: str
) -> None:
    nowhere = "TCPIP::127.0.0.1::1::SOCKET"
    text = BENCH.format(mains=nowhere, dead=dead_meter, folder=tmp_path)
    bench = parse_bench(text, "bench.toml")
    with pytest.raises(BadInput, match=r'no meter "thermal".* mains, dead\.'):
        release_bench(bench, ["thermal"])
    with only_program(bench), pytest.raises(BenchError, match="another Bayscope"):
        release_bench(bench, ["mains"])
