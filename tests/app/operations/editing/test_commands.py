"""The preview of commands is what is run, and touches nothing."""

import subprocess
from pathlib import Path

from app.bench.file import default_bench
from app.operations.editing.commands import preview
from app.plan.campaign import Campaign, parse_campaign
from instruments.tools.command import run

TEXT = """name = "Mine"
[[step]]
label = "Idle"
engine = "idle"
runtime = "1s"
[[step]]
label = "Write"
engine = "fio"
runtime = "1s"
repeat = 2
[step.fio]
rw = "write"
bs = "4k"
[[step]]
label = "Read"
engine = "fio"
runtime = "1s"
[step.fio]
rw = "read"
[[step]]
label = "Dbench"
engine = "vdbench"
runtime = "5s"
[[step]]
label = "Zone"
engine = "iozone"
runtime = "5s"
[[step]]
label = "Copy"
engine = "copy"
runtime = "5s"
[[step]]
label = "Put"
engine = "warp"
runtime = "5s"
[step.warp]
operation = "put"
host = "127.0.0.1:9"
bucket = "some-bucket"
erase = "some-bucket"
"""


def campaign() -> Campaign:
    return parse_campaign(TEXT, "mine")


def test_every_engine_is_previewed_and_nothing_is_made(tmp_path: Path) -> None:
    bench = default_bench().with_target(tmp_path / "scratch.dat", 2**26)
    found = {one.label: one.text for one in preview(campaign(), bench)}
    assert "everything is recorded" in found["Idle"]
    assert found["Write (1/2)"] == found["Write (2/2)"]
    assert found["Write (1/2)"].startswith("$ fio --output-format=json+")
    assert "size=67108864" in found["Write (1/2)"]
    assert "--readonly" in found["Read"]
    assert "--readonly" not in found["Write (1/2)"]
    assert "rd=rd1,wd=wd1" in found["Dbench"]
    assert "$ iozone " in found["Zone"]
    assert "scratch.dat" in found["Copy"]
    assert "$ warp put --host=127.0.0.1:9" in found["Put"]
    assert list(tmp_path.iterdir()) == []


def test_only_the_wanted_steps_are_previewed(tmp_path: Path) -> None:
    bench = default_bench().with_target(tmp_path / "scratch.dat", 2**26)
    found = preview(campaign(), bench, ["Write"])
    assert [one.label for one in found] == ["Write (1/2)", "Write (2/2)"]


def test_a_previewed_job_is_one_that_fio_takes(tmp_path: Path) -> None:
    bench = default_bench().with_target(tmp_path / "scratch.dat", 2**26)
    text = preview(campaign(), bench, ["Write"])[0].text
    job = text.partition("\n[global]")[2]
    (tmp_path / "job.fio").write_text(f"[global]{job}")
    told = run(["fio", "--parse-only", str(tmp_path / "job.fio")], 10.0)
    assert told.code == 0, told.stderr
    assert subprocess.run(["fio", "--version"], check=True).returncode == 0
