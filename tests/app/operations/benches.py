"""Benches and campaigns that the tests of operations share."""

from dataclasses import replace
from pathlib import Path

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.plan.campaign import Campaign, parse_campaign
from instruments.simulated.process import SimulatorProcess

BENCH = """
name = "Test bench"
[dut]
name = "Scratch"
target = "{target}"
size = "32m"
[[power]]
name = "mains"
driver = "hmc8015"
resource = "{meter}"
[[thermal]]
name = "enclosure"
driver = "simulated"
[[noise]]
name = "noise"
driver = "simulated"
[simulated]
start = true
speedup = 50
seed = 7
"""

CAMPAIGN = """
name = "Short"
[[step]]
label = "Idle"
engine = "idle"
runtime = "1s"
[[step]]
label = "Random read 4k"
engine = "fio"
ramp = "1s"
runtime = "3s"
[step.fio]
rw = "randread"
bs = "4k"
iodepth = 4
rate_iops = 120
[[step]]
label = "Cool-down"
engine = "cooldown"
runtime = "1s"
"""

READ = """
name = "One load"
[[step]]
label = "Random read 4k"
engine = "fio"
runtime = "1s"
[step.fio]
rw = "randread"
bs = "4k"
rate_iops = 120
"""
"""For what shows in any run with a load, however short."""


def bench(folder: Path, meter: str = "simulated") -> Bench:
    """Make a bench that starts its own simulator."""
    text = BENCH.format(target=folder / "scratch.dat", meter=meter)
    return parse_bench(text, "bench.toml")


def bench_at(simulator: SimulatorProcess, folder: Path, meter: str = "") -> Bench:
    """Make a bench on a simulator that runs already, with the meter elsewhere."""
    ready = bench(folder, meter or "simulated").at(
        simulator.meter_resource, simulator.enclosure_address
    )
    return replace(ready, simulated=None)


def campaign(text: str = CAMPAIGN) -> Campaign:
    return parse_campaign(text, "campaign.toml")
