"""Files and pasted texts as campaigns."""

from pathlib import Path

import pytest

from app.operations.campaign_open import open_campaign, steps_of
from app.plan.campaign import parse_campaign
from app.plan.edit import NEW
from instruments.errors import BadInput

JOB = """[global]
filename=/dev/sdz
bs=4k
[first]
rw=randread
runtime=60
time_based
"""


def test_a_campaign_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("name = ")
    opened = open_campaign(path)
    assert (opened.text, opened.path) == ("name = ", path)
    path.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="not UTF-8"):
        open_campaign(path)
    with pytest.raises(BadInput, match="cannot be read"):
        open_campaign(tmp_path / "gone.toml")


def test_a_campaign_is_made_of_fio_jobs_and_what_is_to_be_known_is_said(
    tmp_path: Path,
) -> None:
    path = tmp_path / "jobs.fio"
    path.write_text(JOB)
    opened = open_campaign(path)
    assert opened.path is None
    campaign = parse_campaign(opened.text, "jobs")
    (step,) = campaign.steps
    assert (step.options["rw"], step.options["bs"]) == ("randread", "4k")
    assert opened.text.startswith("# Made of jobs.fio.\n# What to know")
    comments = opened.text.partition("\n\n")[0]
    assert "/dev/sdz" in comments
    assert max(map(len, comments.splitlines())) <= 88


def test_steps_and_fio_jobs_are_pasted() -> None:
    assert steps_of(NEW) == NEW
    assert 'rw = "randread"' in steps_of(JOB)
    line = "fio --name=x --rw=write --bs=1m --runtime=10 --time_based --size=1g"
    assert 'rw = "write"' in steps_of(line)
    with pytest.raises(BadInput, match="no step and no fio job"):
        steps_of("lorem ipsum")
