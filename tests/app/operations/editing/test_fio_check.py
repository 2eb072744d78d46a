"""The check of a campaign's fio steps on a bench."""

from dataclasses import replace
from pathlib import Path

from app.bench.load import LoadHosts
from app.operations.editing.fio_check import find_in_steps
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
    assert find_in_steps(campaign) == []
    here = bench(tmp_path)  # its scratch file has 32 MiB
    (found,) = find_in_steps(campaign, here)
    assert found.label == "Mix 64m"
    assert "larger than the 32 MiB" in found.finding.fio
    gone = Path("/dev/nowhere")
    away = replace(here, dut=replace(here.dut, targets=(gone,)))
    assert (str(gone), True) in {
        (one.finding.quote, one.finding.decide) for one in find_in_steps(campaign, away)
    }


def test_a_value_out_of_range_names_its_step_and_option() -> None:
    wrong = CAMPAIGN.replace("norandommap = true", "rwmixread = 150")
    found = find_in_steps(parse_campaign(wrong, "c.toml"))
    assert {(one.row, one.label, one.finding.option) for one in found} == {
        (1, "Mix 4k", "rwmixread"),
        (1, "Mix 64m", "rwmixread"),
    }
    assert found[0].sentence == "rwmixread is 150. Expected from 0 to 100."
    assert found[0].finding.decide


def test_what_the_real_fio_refuses_is_told_of_the_job_that_has_it() -> None:
    odd = CAMPAIGN.replace('"4k", "64m"', '"4k", "8k"').replace(
        "norandommap = true", 'random_distribution = "zoned:50/5"'
    )
    found = find_in_steps(parse_campaign(odd, "c.toml"))
    assert [one.label for one in found] == ["Mix 4k", "Mix 8k"]
    assert all("fio refuses the job" in one.sentence for one in found)


def test_disks_of_other_machines_are_not_looked_for_here(tmp_path: Path) -> None:
    here = bench(tmp_path)
    gone = replace(here.dut, targets=(Path("/dev/nowhere"),))
    assert find_in_steps(parse_campaign(CAMPAIGN, "c"), replace(here, dut=gone))
    far = replace(here, dut=gone, load=LoadHosts(("load1",)))
    (found,) = find_in_steps(parse_campaign(CAMPAIGN, "c"), far)
    assert found.label == "Mix 64m"
    assert "larger than the 32 MiB" in found.finding.fio
