"""The check of a campaign's fio steps on a bench."""

from dataclasses import replace
from pathlib import Path

from app.operations.fio_check import check_fio_steps
from app.plan.campaign import parse_campaign
from tests.app.operations.benches import bench

CAMPAIGN = """
name = "Checked"
[[step]]
label = "Idle"
engine = "idle"
runtime = "1s"
[[step]]
label = "Mix"
engine = "fio"
runtime = "1s"
repeat = 3
[step.fio]
rw = "randrw"
norandommap = true
[step.sweep]
bs = ["4k", "64m"]
"""


def test_each_point_is_checked_on_the_bench(tmp_path: Path) -> None:
    campaign = parse_campaign(CAMPAIGN, "c.toml")
    assert check_fio_steps(campaign) == []
    here = bench(tmp_path)  # its scratch file has 32 MiB
    ((label, finding),) = check_fio_steps(campaign, here)
    assert label == "Mix 64m"
    assert "larger than the 32 MiB" in finding.fio
    gone = Path("/dev/nowhere")
    away = replace(here, dut=replace(here.dut, target=gone))
    assert (str(gone), True) in {
        (one.quote, one.decide) for _, one in check_fio_steps(campaign, away)
    }
