"""Files and pasted texts as campaigns."""

from pathlib import Path

import pytest

from app.operations.editing.fio_jobs import import_fio_text
from app.operations.editing.open import has_steps, with_findings
from app.plan.campaign import parse_campaign
from app.plan.edit import NEW
from instruments.errors import BadInput
from instruments.files.foreign_text import read_text

JOB = """[global]
filename=/dev/sdz
bs=4k
[first]
rw=randread
runtime=60
time_based
"""


def test_a_text_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("name = ")
    assert read_text(path) == "name = "
    path.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="not UTF-8"):
        read_text(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_text(tmp_path / "gone.toml")


def test_what_is_to_be_known_of_fio_jobs_stands_before_their_campaign() -> None:
    text = with_findings(import_fio_text(JOB, "jobs.fio"), "jobs.fio")
    (step,) = parse_campaign(text, "jobs").steps
    assert (step.options["rw"], step.options["bs"]) == ("randread", "4k")
    assert text.startswith("# Made of jobs.fio.\n# What to know")
    comments = text.partition("\n\n")[0]
    assert "/dev/sdz" in comments
    assert max(map(len, comments.splitlines())) <= 88


def test_steps_are_told_from_other_texts() -> None:
    assert has_steps(NEW)
    assert not has_steps(JOB)
    assert not has_steps("fio --name=x --rw=write")
    assert not has_steps("")
