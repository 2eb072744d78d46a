"""What a run will take, told from recorded sessions."""

from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.operations.run.foresee import foresee
from app.plan.campaign import parse_campaign
from tests.app.ui.sample import write_sample

BENCH = """
name = "Bench"
[dut]
name = "{dut}"
target = "/tmp/scratch.dat"
size = "64m"
[[thermal]]
name = "ses"
driver = "simulated"
[simulated]
start = true
{rest}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("earlier")
    write_sample(place / "one.bayscope", step_s=4, name="One")
    return place


def bench(dut: str, rest: str = "") -> Bench:
    return parse_bench(BENCH.format(dut=dut, rest=rest), "bench.toml")


def values(folder: Path, on: Bench, label: str) -> dict[str, str]:
    plan = parse_campaign(
        f'name = "c"\n[[step]]\nlabel = "{label}"\nengine = "idle"\nruntime = "1h"\n',
        "c.toml",
    )
    return {one.name: one.value for one in foresee(plan, on, folder)}


def test_nothing_is_made_up_where_nothing_is_known(folder: Path) -> None:
    found = values(folder, bench("Another device"), "Idle")
    assert found["Duration"] == "1h"
    assert found["Written"] == "none"
    assert found["Energy"] == "unknown"
    assert found["Cost"] == "unknown"
    assert values(folder / "missing", bench("Another device"), "Idle") == found


def test_an_hour_idle_costs_what_it_did_before(folder: Path) -> None:
    cost = '[cost]\nprice_per_kwh = 0.5\ncurrency = "EUR"\npue = 2'
    found = values(folder, bench("Simulated 60-bay JBOD", cost), "Idle")
    watt_hours = float(found["Energy"].split()[0])
    money = float(found["Cost"].split()[1])
    assert money == pytest.approx(watt_hours / 1000 * 0.5 * 2, rel=0.06)
    assert found["Cost"].endswith(" EUR")
