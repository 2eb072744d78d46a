"""The scripts of the published reports, pasted in as they stand, and run."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.operations.editing.fio_jobs import FioImport, import_fio_text
from app.operations.run.run import run_campaign
from app.plan.campaign import Campaign, parse_campaign
from app.plan.verdict import Verdict
from app.record.store import Session
from tests.app.operations.benches import bench

SCRIPTS = Path(__file__).parents[2] / "fixtures" / "fio"
MIX = "4k/20:64k/50:256k/20:2M/10"


def imported(name: str) -> FioImport:
    return import_fio_text((SCRIPTS / name).read_text(), name)


def told(found: FioImport, start: str) -> list[str]:
    return [
        str(finding) for finding in found.findings if finding.quote.startswith(start)
    ]


def decided(found: FioImport) -> list[str]:
    return [decision.quote for decision in found.decisions]


@pytest.mark.parametrize("name", sorted(p.name for p in SCRIPTS.glob("*.txt")))
def test_every_script_becomes_a_campaign(name: str) -> None:
    found = imported(name)
    again = parse_campaign(found.campaign_text, name)
    assert again.steps == found.campaign.steps
    count = len((SCRIPTS / name).read_text().splitlines())
    for finding in found.findings:
        assert finding.fio
        assert finding.made
        assert all(1 <= line <= count for line in finding.lines)
    assert "dm-" not in found.campaign_text
    assert "hysicaldrive" not in found.campaign_text
    assert all(target.writes for target in found.targets)


def test_raid0_as_a_windows_disk() -> None:
    found = imported("jbod947-raid0-physical.txt")
    rows = [
        (s.options["rw"], s.options.get("bs"), s.options.get("numjobs"), s.runtime_s)
        for s in found.campaign.steps
    ]
    assert rows == [
        ("write", "4m", "1", 300),
        ("read", "4m", "1", 300),
        ("randwrite", "4k", "64", 300),
        ("randread", "4k", "64", 300),
        ("randrw", None, "64", 300),
    ]
    assert found.campaign.steps[-1].options["bssplit"] == MIX
    (target,) = found.targets
    assert target.path == "\\\\.\\Physicaldrive1"
    assert target.is_disk
    (overwritten,) = told(found, "--output=randwritephysical.log")
    assert overwritten.startswith("line 12: ")
    assert "line 9" in overwritten
    assert told(found, "-bs=4m") == [
        "line 4: `-bs=4m`: fio takes one dash for two. So does Bayscope."
    ]
    assert "fio without --name" in decided(found)  # line 13: fio runs nothing
    assert told(found, "ioengine=windowsaio")[0].startswith("lines 2, 5, 8, 11, 16: ")


def test_raid10_with_lines_printed_twice() -> None:
    found = imported("jbod947-raid10-logical.txt")
    assert [s.options["rw"] for s in found.campaign.steps] == [
        "write",
        "read",
        "randwrite",
        "randread",
        "randrw",
    ]
    assert found.campaign.steps[3].options["numjobs"] == "64"
    (repeated,) = told(found, "--runtime=300")
    assert repeated.startswith("lines 13, 14: ")
    assert repeated.endswith("Review it.")
    assert [(t.path, t.size) for t in found.targets] == [("test", "1T")]


def test_sixty_devices_with_a_torn_option_and_a_lost_sign() -> None:
    found = imported("jbod947-60-devices.txt")
    assert [s.options["rw"] for s in found.campaign.steps] == [
        "write",
        "read",
        "randwrite",
        "randread",
        "randrw",
    ]
    assert {s.options["iodepth"] for s in found.campaign.steps} == {"256"}
    assert {s.runtime_s for s in found.campaign.steps} == {3600.0}
    assert [t.path for t in found.targets] == [f"/dev/dm-{n}" for n in range(2, 62)]
    assert decided(found) == [
        "-- name=/dev/dm-{2..61}",
        "60 jobs",
        "--iodepth2566",
    ]
    (slip,) = told(found, "--iodepth2566")
    assert "iodepth=2566" in slip


def test_the_demo_loop_with_rwmix() -> None:
    found = imported("zfs60-demo.txt")
    assert [s.options["rwmixread"] for s in found.campaign.steps] == ["90", "10"]
    assert "goto a" in decided(found)
    assert len(told(found, "--rwmix=90")) == 1


def test_the_benchmark_with_a_command_pasted_into_itself() -> None:
    found = imported("zfs60-benchmark.txt")
    random_write = found.campaign.steps[3]
    assert random_write.options["rw"] == "randwrite"
    assert random_write.options["numjobs"] == "64"
    assert random_write.options["iodepth"] == "512"
    (both,) = told(found, "--output=randwrite --output")
    assert both.startswith("lines 13, 15: ")
    (repeated,) = told(found, "--runtime=1h")
    assert repeated.startswith("line 14: ")
    assert repeated.endswith("Review it.")


def test_all_of_a_report_pasted_at_once() -> None:
    text = "\n".join(path.read_text() for path in sorted(SCRIPTS.glob("*.txt")))
    found = import_fio_text(text, "all")
    assert len(found.campaign.steps) == 22
    labels = [step.label for step in found.campaign.steps]
    assert len(set(labels)) == 22


def test_imported_steps_run_on_a_scratch_file(tmp_path: Path, own_disk: Path) -> None:
    """A few of the reports' steps, each for a second, with a depth that fits here."""
    chosen = []
    for name, number in (
        ("jbod947-60-devices.txt", 3),
        ("jbod947-raid0-physical.txt", 4),
        ("zfs60-demo.txt", 0),
    ):
        step = imported(name).campaign.steps[number]
        fits = {"numjobs": "2", "iodepth": "4"} & step.options.keys()
        options = {**step.options, **dict.fromkeys(fits, "2")}
        chosen.append(
            replace(step, label=f"{name} {number}", runtime_s=1.0, options=options)
        )
    campaign = Campaign("Reports", "", tuple(chosen))
    result = run_campaign(campaign, bench(own_disk), tmp_path / "out")
    assert result.verdict is Verdict.PASS, result.reason
    with Session.open(result.session) as session:
        rows = {str(row["step"]): row for row in session.report_table()}
    assert len(rows) == 3
    for row in rows.values():
        assert row["outcome"] == "DONE"
        assert isinstance(row["iops"], float | int)
        assert row["iops"] > 0
