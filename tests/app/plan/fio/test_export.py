"""Exported job files: the plain fio runs them, and the importer reads them back."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.plan.campaign import Campaign, parse_campaign
from app.plan.fio.export import escaped, export_jobs, job_text
from app.plan.fio.steps import make_steps
from instruments.errors import OptionError
from workloads.fio.paste.file import read_job_file

CAMPAIGN = """
name = "Sweep; of [sizes]"
[[step]]
label = "Idle"
engine = "idle"
runtime = "1s"
[[step]]
label = "Random read"
engine = "fio"
runtime = "1s"
ramp = "500ms"
repeat = 3
[step.fio]
rw = "randread"
ioengine = "psync"
[step.sweep]
bs = ["4k", "64k"]
[[step]]
label = "Mix #1 [a]"
engine = "fio"
runtime = "1500ms"
[step.fio]
rw = "randrw"
bssplit = "4k/20:64k/80"
iodepth = 4
norandommap = true
[[step]]
label = "Off"
engine = "fio"
runtime = "1s"
enabled = false
[step.fio]
rw = "write"
"""


@pytest.fixture
def campaign() -> Campaign:
    return parse_campaign(CAMPAIGN, "campaign.toml")


def test_each_point_of_a_sweep_is_a_file(campaign: Campaign) -> None:
    jobs, left_out = export_jobs(campaign)
    assert [job.file for job in jobs] == [
        "01-random-read-4k.fio",
        "02-random-read-64k.fio",
        "03-mix-1-a.fio",
    ]
    assert left_out == ["Idle: it is not a fio step", "Off: it is switched off"]
    assert "runs it 3 times" in jobs[0].text


def test_the_plain_fio_runs_them(campaign: Campaign, own_disk: Path) -> None:
    jobs, _ = export_jobs(campaign)
    for job in jobs[1:]:
        path = own_disk / job.file
        path.write_text(job.text)
        env = {**os.environ, "TARGET": str(own_disk / "scratch"), "SIZE": "4m"}
        done = subprocess.run(
            ["fio", "--output-format=json", str(path)],
            env=env,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        (result,) = json.loads(done.stdout)["jobs"]
        assert result["read"]["total_ios"] > 0
        assert 900 <= result["job_runtime"] <= 2500


def test_fio_refuses_them_without_their_variables(
    campaign: Campaign, tmp_path: Path
) -> None:
    jobs, _ = export_jobs(campaign)
    path = tmp_path / "x.fio"
    path.write_text(jobs[0].text)
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["fio", str(path)], env=env, cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert list(tmp_path.iterdir()) == [path]


def test_they_come_back_as_the_same_steps(campaign: Campaign) -> None:
    for job in export_jobs(campaign)[0]:
        made = make_steps(read_job_file(job.text))
        assert not any(finding.decide for finding in made.findings), made.findings
        (step,) = made.steps
        assert (
            job_text(
                replace(step, repeat=3 if "3 times" in job.text else 1),
                job.label,
                "Sweep",
            ).splitlines()[3:]
            == job.text.splitlines()[3:]
        )


def test_a_target_and_a_size_can_be_named(campaign: Campaign) -> None:
    jobs, _ = export_jobs(campaign, escaped("/data/a:b"), "1g")
    lines = jobs[0].text.splitlines()
    assert "filename=/data/a\\:b" in lines
    assert "size=1g" in lines
    assert "${" not in jobs[0].text


@pytest.mark.parametrize("path", ["/a;b", "/a#b", "/a\nb", "/$(id)", "/`id`", " /a"])
def test_a_name_that_fio_would_cut_is_refused(path: str) -> None:
    with pytest.raises(OptionError, match="job file"):
        escaped(path)
